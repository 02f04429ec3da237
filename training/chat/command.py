"""What the commands of this folder share: where things lie, and the options that each of them takes."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch

from training.chat.teacher import GGUF_NAME
from training.chat.tiny_teacher import write_tiny_teacher
from training.common.commands import Formatter
from training.common.places import PROJECT

BUILD = PROJECT / "build" / "chat"  # everything made here that is not committed
SMOKE = Path(
    os.environ.get("PSPLLM_CHAT_SMOKE", BUILD / "smoke")
).absolute()  # what --smoke runs make and read instead
DOWNLOADS = PROJECT / "build" / "downloads"
COMMITTED = Path(__file__).parent / "data"


def make_parser(description: str) -> argparse.ArgumentParser:
    """A parser whose help shows defaults, with the options that all commands take."""
    parser = argparse.ArgumentParser(description=description, formatter_class=Formatter)
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of this process")
    parser.add_argument("--seed", type=int, default=7, help="seed of everything random")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"), help="where to compute")
    parser.add_argument(
        "--smoke",
        action="store_true",
        help="a tiny teacher and tiny settings, in seconds; files go to build/chat/smoke",
    )
    return parser


def add_kept_options(parser: argparse.ArgumentParser) -> None:
    """Options that say which of the teacher's pieces a student has."""
    parser.add_argument(
        "--kept", type=Path, default=COMMITTED / "kept-16384.json", help="the student's kept pieces"
    )
    parser.add_argument(
        "--all-pieces", action="store_true", help="the student keeps all pieces; --kept is not read"
    )


def shrink(options: argparse.Namespace, **tiny: object) -> None:
    """With --smoke: makes the tiny teacher, moves every path from build/chat to its smoke folder, takes the
    tiny values.
    """
    if not options.smoke:
        return
    for name, value in vars(options).items():
        if isinstance(value, Path):
            setattr(options, name, _smoke_place(value.absolute()))
    for name, value in tiny.items():
        setattr(options, name, value)
    write_tiny_teacher(SMOKE / GGUF_NAME, options.seed)


def _smoke_place(path: Path) -> Path:
    """Where a --smoke run has what a full run has at `path`; its own places stay."""
    if path.is_relative_to(SMOKE):
        return path
    return SMOKE / (path.relative_to(BUILD) if path.is_relative_to(BUILD) else path.name)


def choose_device(name: str) -> torch.device:
    """The device that auto, cpu or cuda stands for."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)
