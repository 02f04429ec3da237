"""Heals the cut vocabulary and the narrowed layers at full precision, by distillation from the whole teacher.

    python -m training.chat.heal --base build/chat/pruned-16384-1152.pt --minutes 40
    torchrun --nproc-per-node 2 -m training.chat.heal ...

Folder of a run: that of distillation_run.py, and healed.pt (the student, bfloat16), with --train lowrank also
delta.pt (small; see delta.py).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from training.chat import adapters, command, delta, distillation_run, student, teacher
from training.chat.llama import Llama, build
from training.chat.precision import fast_type
from training.common.commands import finish
from training.common.processes import join_processes


class HealedStudent:
    """A full-precision student: all weights train, or low-rank differences of them (a Trainee)."""

    def __init__(
        self, model: Llama, kept: list[int], ranks: tuple[int, int] | None, seed: int, frozen: torch.dtype
    ) -> None:
        self.model, self._kept, self._ranks = model, kept, ranks
        if ranks is not None:
            adapters.add_adapters(model, *ranks, seed=seed, frozen=frozen)

    @property
    def trained(self) -> nn.Module:
        return self.model

    def settings(self) -> dict[str, Any]:
        return {"ranks": None if self._ranks is None else list(self._ranks)}

    def parameter_groups(self) -> Iterable[dict[str, Any]]:
        return [{"params": list(adapters.trainable(self.model).values()), "scale": 1.0}]

    def before_step(self) -> None:
        """The model trains itself."""

    def after_backward(self) -> None:
        """The gradients are where they are needed."""

    def export(self, folder: Path, notes: dict[str, Any]) -> None:
        """The healed student, and the small file of differences where there is one."""
        state = adapters.merged_state(self.model)
        student.save_student(folder / "healed.pt", self.model.config, state, self._kept, notes)
        if self._ranks is not None:
            delta.save(folder / "delta.pt", adapters.trainable(self.model), self._ranks, notes)


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Heal a cut and pruned student by distillation.")
    parser.add_argument(
        "--base", type=Path, default=command.BUILD / "pruned-16384-1152.pt", help="student file to start from"
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--folder", type=Path, default=command.BUILD / "heal-16384-1152", help="folder of the run"
    )
    parser.add_argument(
        "--train",
        choices=("lowrank", "all"),
        default="lowrank",
        help="what trains: low-rank differences and norms, or every weight (then --learning-rate 2e-4 suits)",
    )
    parser.add_argument("--rank", type=int, default=8, help="rank of the differences of the matrices")
    parser.add_argument(
        "--embedding-rank", type=int, default=64, help="rank of the difference of the embedding"
    )
    distillation_run.add_options(parser, minutes=40.0, batch_tokens=2048, learning_rate=2e-3)
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(
        options,
        rank=4,
        embedding_rank=8,
        epochs=6,
        **distillation_run.SMOKE,
    )
    torch.manual_seed(options.seed)
    loaded = teacher.read_teacher(options.teacher)
    config, state, kept = student.read_student(options.base)
    with join_processes(options.device) as processes:
        fast = fast_type(processes.device)
        sources, aligner = distillation_run.open_sources(loaded, kept, processes.device)
        ranks = (options.rank, options.embedding_rank) if options.train == "lowrank" else None
        frozen = fast if options.bf16 else torch.float32
        model = build(config, state)
        trainee = HealedStudent(model, kept, ranks, options.seed, frozen)
        model.to(processes.device)
        distillation_run.run(options, trainee, sources, aligner, processes)


if __name__ == "__main__":
    finish(run, make_parser())
