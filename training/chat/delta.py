"""A healed model as a small file: the trained low-rank factors at 8 bits and the norms at 16, over a base
that can be remade.

python -m training.chat.delta --base build/chat/pruned-16384-1152.pt --delta FILE --out
build/chat/healed-16384-1152.pt
"""

from __future__ import annotations

import argparse
import io
import lzma
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from training.chat import adapters, command, student
from training.chat.llama import build
from training.common.checkpoint import load_checkpoint, save_checkpoint
from training.common.commands import finish

LEVELS = 127


def pack(values: dict[str, Tensor], ranks: tuple[int, int]) -> dict[str, Any]:
    """Matrices as int8 with a scale a row, vectors as bfloat16."""
    packed: dict[str, Any] = {"ranks": list(ranks), "codes": {}, "scales": {}, "vectors": {}}
    for name, value in values.items():
        value = value.detach().float().cpu()
        if value.dim() == 1:
            packed["vectors"][name] = value.to(torch.bfloat16)
            continue
        long_rows = value if value.shape[0] < value.shape[1] else value.t()
        scale = (long_rows.abs().amax(1) / LEVELS).clamp(min=1e-12)
        codes = (long_rows / scale[:, None]).round().to(torch.int8)
        packed["codes"][name] = (codes if value.shape[0] < value.shape[1] else codes.t()).contiguous()
        packed["scales"][name] = scale
    return packed


def unpack(packed: dict[str, Any]) -> dict[str, Tensor]:
    values = {name: value.float() for name, value in packed["vectors"].items()}
    for name, codes in packed["codes"].items():
        scale = packed["scales"][name]
        values[name] = codes.float() * (scale[:, None] if codes.shape[0] < codes.shape[1] else scale[None, :])
    return values


def save(path: Path, values: dict[str, Tensor], ranks: tuple[int, int], notes: dict[str, Any]) -> None:
    save_checkpoint(path, pack(values, ranks) | {"notes": notes})


def read(path: Path) -> dict[str, Any]:
    """What save wrote, or the same compressed by xz."""
    if path.suffix != ".xz":
        return load_checkpoint(path)
    with lzma.open(path) as stream:
        return torch.load(io.BytesIO(stream.read()), map_location="cpu", weights_only=True)


def apply(base: Path, path: Path, out: Path) -> None:
    """Writes the student that the base becomes with the differences of `path`."""
    config, state, kept = student.read_student(base)
    packed = read(path)
    model = build(config, state)
    adapters.add_adapters(model, *packed["ranks"], seed=0, frozen=torch.float32)
    targets, values = adapters.trainable(model), unpack(packed)
    if set(targets) != set(values):
        raise ValueError(
            f"{path} does not belong to {base}: it holds {len(values)} tensors, {len(targets)} are needed"
        )
    with torch.no_grad():
        for name, target in targets.items():
            if target.shape != values[name].shape:
                raise ValueError(
                    f"{path}: {name} is {tuple(values[name].shape)}, {base} needs {tuple(target.shape)}"
                )
            target.copy_(values[name])
    student.save_student(out, config, adapters.merged_state(model), kept, packed["notes"])


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Add a stored healing to its base.")
    parser.add_argument(
        "--base",
        type=Path,
        default=command.BUILD / "pruned-16384-1152.pt",
        help="student file that was healed",
    )
    parser.add_argument(
        "--delta",
        type=Path,
        default=command.COMMITTED / "healed-16384-1152.delta.pt.xz",
        help="stored differences",
    )
    parser.add_argument(
        "--out", type=Path, default=command.BUILD / "healed-16384-1152.pt", help="student file to write"
    )
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(options)
    apply(options.base, options.delta, options.out)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    finish(run, make_parser())
