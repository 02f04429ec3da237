"""Learns the vocabulary of the story model and writes its tokenizer.bin."""

import argparse
from pathlib import Path

from training.common import bpe
from training.common.commands import Formatter, finish
from training.common.documents import read_documents
from training.common.llama2c import tokenizer_bytes, write_file
from training.stories import places


def run(options: argparse.Namespace) -> None:
    documents = read_documents(options.text)
    vocabulary, _ = bpe.train(documents, options.size, options.rarest)
    write_file(options.output, tokenizer_bytes(vocabulary))
    tokens = sum(len(vocabulary.encode(document)) for document in documents)
    size = sum(len(document.encode("utf-8")) for document in documents)
    print(f"{options.output}: {len(vocabulary)} ids; {tokens} tokens of text, {size / tokens:.3f} bytes each")


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m training.stories.tokenizer", description=__doc__, formatter_class=Formatter
    )
    result.add_argument("--text", type=Path, default=places.TRAIN_TEXT, help="stories to learn from")
    result.add_argument("--output", type=Path, default=places.TOKENIZER, help="tokenizer file to write")
    result.add_argument("--size", type=int, default=2048, help="number of ids, reserved ones included")
    result.add_argument(
        "--rarest", type=int, default=40, help="a character seen less often stays byte tokens"
    )
    return result


if __name__ == "__main__":
    finish(run, parser())
