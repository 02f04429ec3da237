"""Where the tests find models, and what they were built beside."""

import os
import subprocess
from pathlib import Path

import pspllm
import pytest

ROOT = Path(__file__).resolve().parents[2]
STORIES = ROOT / "models" / "stories-2M" / "model.bin"


@pytest.fixture(scope="session")
def model() -> pspllm.Model:
    return pspllm.Model(STORIES)


@pytest.fixture(scope="session")
def command() -> Path:
    """The command line; named by PSPLLM_BUILD, else in build/."""
    path = Path(os.environ.get("PSPLLM_BUILD", ROOT / "build")) / "pspllm"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


@pytest.fixture(scope="session")
def command_text(command: Path):  # noqa: ANN201
    """What the command line prints for a text, less the line end behind it."""

    def run(*arguments: str) -> str:
        output = subprocess.run([command, "run", STORIES, *arguments], check=True, capture_output=True)
        return output.stdout.decode().removesuffix("\n")

    return run
