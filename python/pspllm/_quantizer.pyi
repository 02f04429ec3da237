"""The C++ module behind pspllm.quantize_to_codes()."""

from typing import Any

def quantize_to_codes(
    path: str,
    out: str,
    tokenizer: str,
    recipe: str,
    calibration: str,
    calibration_tokens: int,
    threads: int,
    seed: int,
) -> dict[str, Any]: ...
