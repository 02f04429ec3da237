"""The C++ module behind pspllm.simulate()."""

from collections.abc import Sequence
from typing import Any

def simulate(
    program: str,
    device: str,
    name: str,
    prompt: str | None,
    autorun: Sequence[str],
    keys: str,
    screenshots: Sequence[str],
    switches: str,
    max_cycles: float,
    profile: bool,
    keep_stick: bool,
) -> dict[str, Any]: ...
