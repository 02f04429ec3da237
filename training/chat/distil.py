"""Distils the whole teacher into a quantised student, end to end: codebooks, row scales and norms train,
with --code-rate the codes too (worth it beyond a few million tokens: docs/model.md).

    python -m training.chat.distil --base build/chat/quantised.pspm --minutes 60
    torchrun --nproc-per-node 2 -m training.chat.distil ...

Folder of a run: that of distillation_run.py, and distilled.pspm.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from training.chat import command, distillation_run, student, teacher
from training.chat.coded_student import CodedStudent
from training.chat.pspm import PspmFile
from training.common.commands import finish
from training.common.processes import join_processes


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Distil the teacher into a quantised student.")
    parser.add_argument(
        "--base", type=Path, default=command.BUILD / "quantised.pspm", help="what `pspllm quantize` wrote"
    )
    parser.add_argument("--name", default="chat-90m", help="name of the model in the file that is written")
    command.add_kept_options(parser)
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument("--folder", type=Path, default=command.BUILD / "distil", help="folder of the run")
    parser.add_argument(
        "--targets", type=Path, help="targets.pt of an earlier run with the same pieces, read at the start"
    )
    parser.add_argument(
        "--code-rate",
        type=float,
        default=0.0,
        help="learning rate of the codes' latents as a multiple of the others', such as 7.5; 0: codes stay",
    )
    distillation_run.add_options(parser, minutes=60.0, batch_tokens=1024, learning_rate=4e-3)
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(
        options,
        kept=command.SMOKE / "kept-480.json",
        epochs=4,
        **distillation_run.SMOKE,
    )
    torch.manual_seed(options.seed)
    loaded = teacher.read_teacher(options.teacher)
    kept = student.kept_pieces(loaded, options)
    trainee = CodedStudent(PspmFile.read(options.base), options.code_rate, options.name)
    if trainee.config.vocab_size != len(kept):
        raise ValueError(
            f"{options.base} has {trainee.config.vocab_size} pieces, the student keeps {len(kept)}"
        )
    with join_processes(options.device) as processes:
        sources, aligner = distillation_run.open_sources(loaded, kept, processes.device)
        if options.targets:
            sources.targets.load(options.targets)
        trainee.to(processes.device)
        trainee.model.to(processes.device)
        distillation_run.run(options, trainee, sources, aligner, processes)


if __name__ == "__main__":
    finish(run, make_parser())
