"""What every training command does alike: help with defaults, clear errors, exit codes."""

import argparse
import sys
from collections.abc import Callable

from training.common.loop import TrainingError


class Formatter(argparse.ArgumentDefaultsHelpFormatter):
    """Help that shows the default of each option."""


def finish(run: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> None:
    """Runs a command and leaves: 0 done, 1 the work failed, 2 wrong use (by argparse), 130 on Ctrl-C."""
    options = parser.parse_args()
    try:
        run(options)
    except (OSError, ValueError, TrainingError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("\nstopped; the last checkpoint is kept", file=sys.stderr)
        sys.exit(130)
