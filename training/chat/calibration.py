"""Writes the text that the quantiser is calibrated on: conversations as students read them, stories, prose.

python -m training.chat.calibration --out build/chat/calibration.txt
"""

from __future__ import annotations

import argparse
from pathlib import Path

from training.chat import command, corpus, documents, student, teacher
from training.common.commands import finish


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Write the calibration text of the quantiser.")
    command.add_kept_options(parser)
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument("--out", type=Path, default=command.BUILD / "calibration.txt", help="file to write")
    parser.add_argument(
        "--tokens", type=int, default=120_000, help="tokens of the text, in the student's pieces"
    )
    parser.add_argument(
        "--held-out",
        action="store_true",
        help="write the conversations held out from training instead, for `pspllm eval --special-tokens`",
    )
    documents.add_options(parser)
    return parser


def run(options: argparse.Namespace) -> None:
    command.shrink(
        options,
        kept=command.SMOKE / "kept-480.json",
        tokens=6000,
        story_share=0.0,
        encyclopedia_share=0.0,
        book_share=0.0,
    )
    loaded = teacher.read_teacher(options.teacher)
    tokenizer = student.cut_tokenizer(loaded.tokenizer_parts, student.kept_pieces(loaded, options))
    aligner = corpus.Aligner(tokenizer, loaded.tokenizer_parts.build())
    if options.held_out:
        pool = documents.validation_sets(aligner, options.conversations, options.tokens)[documents.CHAT]
    else:
        pool = documents.training_pool(aligner, options, options.tokens, options.seed)
    texts = [tokenizer.decode(list(one.student), skip_special_tokens=False) for one in pool]
    options.out.write_text("".join(texts), encoding="utf-8")
    print(f"wrote {options.out}: {sum(len(one.student) for one in pool)} tokens of {len(pool)} documents")


if __name__ == "__main__":
    finish(run, make_parser())
