"""python -m pspllm: what the package does without a line of code."""

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from pspllm import _engine
from pspllm.harness import make_plans, run_inside, runnable_plan
from pspllm.harness_picture import write_picture
from pspllm.harness_tables import plan_table, region_table, run_lines

_UNITS = {"": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "KB": 10**3, "MB": 10**6, "GB": 10**9}


def memory_size(text: str) -> int:
    """Bytes of "24MiB", "20 MB" or "25165824"."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].upper() not in _UNITS:
        raise argparse.ArgumentTypeError(
            f"{text} is no size; expected a number and B, KiB, MiB, GiB, KB, MB or GB"
        )
    size = int(float(match[1]) * _UNITS[match[2].upper()])
    least = _engine.system_and_program_bytes
    if not least < size < 2**40:
        raise argparse.ArgumentTypeError(
            f"{text} is not possible: system and program alone take {least:,} bytes of a console"
        )
    return size


def bits_list(text: str) -> list[float]:
    """Of "8,2,1.33"."""
    try:
        return [float(part) for part in text.split(",") if part]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no list of numbers, such as 8,2,1.33") from None


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(prog="python -m pspllm", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    harness = commands.add_parser(
        "harness",
        help="what a model needs under a memory limit, and how it runs there",
        description="Lays a model over the memory of a console, region by region, as it is and at other "
        "numbers; runs it in one block inside the limit; draws it. Exit code 1 where nothing that can be run "
        "fits.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    harness.add_argument("--model", required=True, help="model file, GGUF file or Hugging Face folder")
    harness.add_argument("--tokenizer", help="vocabulary file, where the model's is not in or beside it")
    harness.add_argument("--memory", type=memory_size, default="24MiB", help="memory for programs")
    harness.add_argument(
        "--context", type=int, default=64, help="positions of the key/value cache; 0: the model's"
    )
    harness.add_argument(
        "--bits", type=bits_list, default="8,4,2,1.33", help="bits a weight to plan for as well"
    )
    harness.add_argument("--prompt", default="Once upon a time", help="how the text begins that is made")
    harness.add_argument("--temperature", type=float, default=0.0, help="of that text")
    harness.add_argument("--seed", type=int, default=1, help="of its random numbers")
    harness.add_argument("--picture", type=Path, help="file for the picture: .svg, or .png with matplotlib")
    return top


def run_harness(options: argparse.Namespace) -> int:
    """Prints the findings; 1 where nothing that can be run fits."""
    model, memory = options.model, options.memory
    plans = make_plans(model, memory, options.context, options.bits, options.tokenizer)
    chosen = runnable_plan(plans)
    shown = chosen or min(plans, key=lambda plan: plan.budget.needed_bytes)
    first = shown.budget
    title = (
        f"{first.model}, {first.parameters:,} parameters, context {first.context}, {memory / 2**20:.3g} MiB"
    )
    print(f"{title}\n\n{plan_table(plans, memory)}\n\n{shown.label}:\n{region_table(shown, memory)}\n")
    if options.picture:
        write_picture(options.picture, plans, memory, title)
        print(f"picture: {options.picture}\n")
    if chosen is None:
        fitting = [plan.label for plan in plans if plan.budget.fits]
        hint = (
            f"it would fit at {fitting[0]}: `pspllm quantize` makes such a file"
            if fitting
            else "no choice of numbers fits; give a shorter context or more memory"
        )
        print(f"pspllm: not run: {hint}", file=sys.stderr)
        return 1
    run = run_inside(
        model,
        chosen,
        memory,
        options.prompt,
        tokenizer=options.tokenizer,
        temperature=options.temperature,
        seed=options.seed,
        on_piece=lambda piece: print(piece, end="", flush=True),
    )
    print(f"\n\n{run_lines(run)}")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes as the command line's: 1: the work failed, 2: wrong use, 130: stopped by Ctrl-C."""
    options = parser().parse_args(arguments)
    try:
        return run_harness(options)
    except (_engine.Failure, OSError) as error:
        print(f"pspllm: {error}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"pspllm: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
