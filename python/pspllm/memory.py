"""Where a console's memory goes."""

from dataclasses import dataclass
from typing import Any

from pspllm import _engine
from pspllm.checks import Path, text_path, whole


@dataclass(frozen=True)
class Numbers:
    """Number format of a model's matrices, for what its file would be."""

    format: str = "q80"
    """f32, q80 (int8, a scale a group) or codes (a byte for several weights)."""
    code_width: int = 6
    """codes: weights a byte of the layers' matrices, 1 to 8."""
    embedding_width: int = 2
    """The same for embedding and classifier."""


@dataclass(frozen=True)
class Region:
    """One stretch of the console's memory."""

    name: str
    description: str
    offset: int
    """From the start of the memory for programs."""
    bytes: int
    share: float
    """Of that memory."""
    in_block: bool
    """A part of the engine's one block; the others are the system's and the program's."""


@dataclass(frozen=True)
class Budget:
    """A model's memory plan laid over a device's memory."""

    model: str
    kind: str
    device: str
    parameters: int
    context: int
    partition_bytes: int
    block_bytes: int
    """The engine's block."""
    needed_bytes: int
    """Block, system and program."""
    fits: bool
    verdict: str
    """In words, with what is left or missing."""
    bits_per_weight: float
    """Of all tensors, scales included."""
    file_bytes: int
    """Of the model's file; where it is only planned, of its tensors."""
    matrix_weights: dict[str, int]
    """Weights that every token passes through, by number format."""
    regions: tuple[Region, ...]


def budget(
    model: Path,
    device: str = "psp1000",
    context: int = 0,
    *,
    tokenizer: Path | None = None,
    partition_bytes: int | None = None,
    numbers: Numbers | None = None,
    batch: int = 12,
    prompt_bytes: int = 4096,
) -> Budget:
    """What `pspllm budget` prints.

    device: psp1000 (24 MB for programs) or psp2000 (51 MB). context: positions of the key/value cache; 0: the
    model's own. partition_bytes: memory for programs instead of a device's. numbers: plan for the file that
    the model would be with these numbers (`model` is then anything that `pspllm convert` reads); None: as it
    is. Raises Failure.
    """
    chosen = numbers or Numbers(format="")
    report = _engine.memory_report(
        text_path(model),
        text_path(tokenizer),
        device,
        0 if partition_bytes is None else whole("partition_bytes", partition_bytes, 1, 2**63),
        whole("context", context, 0),
        whole("batch", batch, 1),
        whole("prompt_bytes", prompt_bytes, 1),
        chosen.format,
        whole("code_width", chosen.code_width, 1, 8),
        whole("embedding_width", chosen.embedding_width, 1, 8),
    )
    return _budget_of(report)


def _budget_of(report: dict[str, Any]) -> Budget:
    names = [name for name in Budget.__dataclass_fields__ if name != "regions"]
    regions = tuple(Region(**region) for region in report["regions"])
    return Budget(**{name: report[name] for name in names}, regions=regions)
