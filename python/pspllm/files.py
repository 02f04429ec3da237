"""Models written as other files."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from pspllm import _engine
from pspllm.checks import Path, text_path, whole


@dataclass(frozen=True)
class WrittenModel:
    """A file that was written."""

    path: str
    bytes: int
    largest_error: float
    """Of one weight against the source's."""
    root_mean_square_error: float


def quantize(model: Path, out: Path, *, group_size: int = 0) -> WrittenModel:
    """An fp32 llama2.c checkpoint becomes a q80 one, as `pspllm quantize --type q80` makes it.

    group_size: weights that share a scale; 0: the largest of 64, 32, 16 ... that divides every row. The file
    appears whole or not at all. Raises Failure.
    """
    path = text_path(out)
    report = _engine.quantize_llama2c(text_path(model), path, whole("group_size", group_size, 0))
    return WrittenModel(path, **report)


def convert(
    model: Path, out: Path, *, tokenizer: Path | None = None, format: str = "q80", group_size: int = 0
) -> WrittenModel:
    """A GGUF file, Hugging Face folder, llama2.c checkpoint or .pspm file becomes a .pspm file (`pspllm
    convert`).

    tokenizer: vocabulary file, where the model holds none. format: f32 or q80. Raises Failure.
    """
    if format not in ("f32", "q80"):
        raise ValueError(f"format is {format!r}, expected f32 or q80")
    path = text_path(out)
    group = whole("group_size", group_size, 0)
    report = _engine.convert(text_path(model), path, text_path(tokenizer), format, group)
    return WrittenModel(path, **report)


def quantize_to_codes(
    model: Path,
    out: Path,
    *,
    recipe: Path | Mapping[str, Any] | None = None,
    calibration: Path | None = None,
    calibration_tokens: int = 50000,
    tokenizer: Path | None = None,
    threads: int = 0,
    seed: int = 0,
) -> dict[str, Any]:
    """Any model that convert() reads becomes a .pspm file of byte codes, one byte for 1 to 8 weights, as
    `pspllm quantize --type codes` makes it; gives that command's report.

    recipe: weights a byte for every matrix, as a JSON file or what stands in one: {"embedding": 2,
    "matrices": {"value": 4}}; None: 2 for the embedding, 4 for value, 6 for all others. calibration: a file
    with text like what the model will meet; None: all inputs count alike, which loses much below 4 bits a
    weight. The result is the same with any number of threads. The file appears whole or not at all. Raises
    Failure.
    """
    from pspllm import _quantizer

    with tempfile.TemporaryDirectory(prefix="pspllm-") as folder:
        recipe_path = recipe
        if isinstance(recipe, Mapping):
            recipe_path = FilePath(folder) / "recipe.json"
            recipe_path.write_text(json.dumps(recipe), encoding="utf-8")
        return _quantizer.quantize_to_codes(
            text_path(model),
            text_path(out),
            text_path(tokenizer),
            text_path(recipe_path),
            text_path(calibration),
            whole("calibration_tokens", calibration_tokens, 512, 10_000_000),
            whole("threads", threads, 0, 256),
            whole("seed", seed, 0, 2**64 - 1),
        )
