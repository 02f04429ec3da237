"""Where data and results lie, seen from the project's folder."""

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BUILD = PROJECT / "build" / "training"  # checkpoints and logs, never committed


def shared_folder() -> Path:
    """The folder of data that the project does not own: PSPLLM_SHARED, or `shared` beside the project."""
    return Path(os.environ.get("PSPLLM_SHARED", PROJECT.parent / "shared"))


def text_file(name: str) -> Path:
    """A file of shared training text."""
    return shared_folder() / "data" / "text" / name
