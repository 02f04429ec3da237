#!/usr/bin/env python3
"""Compares the engine's tokenizer with PyPI's `tokenizers`, line by line, on whole texts.

    tools/check_tokenizer.py --lines 100000

The model is SmolLM2's GGUF (`make smollm2`); the engine's side is `pspllm tokenize`. Texts come from the
shared folder. Special tokens that a text spells stay text, so the tokenizer compared with has none.
"""

from __future__ import annotations

import argparse
import itertools
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from gguf import GGUFReader
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("PSPLLM_SHARED", PROJECT.parent / "shared"))
TEXTS = (
    "tinystories_valid.txt",
    "wikitext2_raw_valid.txt",
    "wikitext2_raw_test.txt",
    "gutenberg_children.txt.xz",
    "tinystories_train.txt",
)
SHOWN_DIFFERENCES = 5


def smollm2_tokenizer(gguf: Path) -> Tokenizer:
    """SmolLM2's vocabulary with its pre-tokenizer, no special tokens."""
    reader = GGUFReader(gguf)

    def field(name: str) -> list[str]:
        return reader.fields[name].contents()

    vocabulary = {piece: index for index, piece in enumerate(field("tokenizer.ggml.tokens"))}
    merges = [tuple(merge.split(" ")) for merge in field("tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def lines_of(names: tuple[str, ...]) -> Iterator[str]:
    """Lines that are not empty: an empty text is BOS for the engine and nothing for the library."""
    for name in names:
        path = SHARED / "data" / "text" / name
        opener = lzma.open if path.suffix == ".xz" else open
        with opener(path, "rt", encoding="utf-8", newline="\n") as stream:
            for line in stream:
                if text := line.rstrip("\n"):
                    yield text


def engine_tokens(program: Path, model: Path, lines: list[str]) -> list[list[int]]:
    """What `pspllm tokenize` makes of the lines."""
    text = "\n".join(lines) + "\n"
    outcome = subprocess.run(
        [program, "tokenize", model], input=text.encode(), stdout=subprocess.PIPE, check=True
    )
    return [[int(token) for token in line.split()] for line in outcome.stdout.decode().splitlines()]


def differences(lines: list[str], ours: list[list[int]], theirs: list[list[int]]) -> list[str]:
    return [
        f"{line!r}: pspllm {mine}, tokenizers {other}"
        for line, mine, other in zip(lines, ours, theirs, strict=True)
        if mine != other
    ]


def compare(program: Path, gguf: Path, count: int) -> tuple[int, int, list[str]]:
    """Lines and tokens compared, and what differs."""
    lines = list(itertools.islice(lines_of(TEXTS), count))
    tokenizer = smollm2_tokenizer(gguf)
    theirs = [encoding.ids for encoding in tokenizer.encode_batch(lines)]
    ours = engine_tokens(program, gguf, lines)
    return len(lines), sum(map(len, ours)), differences(lines, ours, theirs)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Compare the engine's tokenizer with PyPI's.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    build = PROJECT / "build"
    parser.add_argument("--program", type=Path, default=build / "pspllm", help="pspllm")
    parser.add_argument(
        "--model",
        type=Path,
        default=build / "smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf",
        help="SmolLM2's GGUF",
    )
    parser.add_argument("--lines", type=int, default=100_000, help="lines to compare")
    options = parser.parse_args()
    if not SHARED.exists():
        print(f"skipped: {SHARED}, which holds the texts, is not there")
        return 0
    for path, remedy in ((options.program, "make build"), (options.model, "make smollm2")):
        if not path.exists():
            print(f"{path} is not there; run `{remedy}` first", file=sys.stderr)
            return 1
    lines, tokens, different = compare(options.program, options.model, options.lines)
    for difference in different[:SHOWN_DIFFERENCES]:
        print(difference, file=sys.stderr)
    if different:
        print(f"{len(different)} of {lines} lines have other tokens", file=sys.stderr)
        return 1
    print(f"{lines} lines, {tokens} tokens: all equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
