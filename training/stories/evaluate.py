"""Bits per byte of story models on the validation text (table, JSON); the learning curve as a picture."""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import torch

from training.common.commands import Formatter, finish
from training.common.documents import read_documents
from training.common.evaluation import measure
from training.common.llama import parameter_count
from training.common.llama2c import read_model, read_tokenizer, write_file
from training.common.places import shared_folder
from training.stories import places
from training.stories.curve import draw_curve, read_log

PEER_MODEL = shared_folder() / "data" / "models" / "stories260K.bin"
PEER_TOKENIZER = shared_folder() / "data" / "models" / "tok512.bin"


def figures(
    model_path: Path, tokenizer_path: Path, documents: list[str], batch_tokens: int
) -> dict[str, Any]:
    """Size and quality of one model file."""
    model = read_model(model_path)
    quality = measure(model, read_tokenizer(tokenizer_path), documents, batch_tokens)
    content = model_path.read_bytes()
    return {
        "model": model_path.name,
        "file_bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "parameters": parameter_count(model),
        "vocabulary": model.config.vocab_size,
        "context": model.config.context,
        "stories": quality.documents,
        "text_bytes": quality.text_bytes,
        "tokens": quality.tokens,
        "loss": round(quality.loss, 4),
        "bits_per_byte": round(quality.bits_per_byte, 4),
    }


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    if options.curve is not None:
        draw_curve(read_log(options.log), options.curve)
        print(options.curve)
    documents = read_documents(options.text)[: options.stories or None]
    pairs = [(options.model, options.tokenizer)]
    if options.peer.exists() and options.peer_tokenizer.exists():
        pairs.append((options.peer, options.peer_tokenizer))
    else:
        print(f"{options.peer}: absent, so nothing to compare with")
    results = [figures(*pair, documents, options.batch_tokens) for pair in pairs]
    print(f"{'model':24} {'parameters':>10} {'bytes':>9} {'tokens':>8} {'loss':>7} {'bits/byte':>9}")
    for row in results:
        print(
            f"{row['model']:24} {row['parameters']:10} {row['file_bytes']:9} {row['tokens']:8} "
            f"{row['loss']:7.4f} {row['bits_per_byte']:9.4f}"
        )
    if options.json is not None:
        write_file(options.json, (json.dumps(results, indent=2) + "\n").encode())


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m training.stories.evaluate", description=__doc__, formatter_class=Formatter
    )
    result.add_argument("--model", type=Path, default=places.MODEL_FOLDER / "model.bin", help="v0 or v2 file")
    result.add_argument("--tokenizer", type=Path, default=places.TOKENIZER, help="its tokenizer.bin")
    result.add_argument("--peer", type=Path, default=PEER_MODEL, help="a second model for comparison")
    result.add_argument("--peer-tokenizer", type=Path, default=PEER_TOKENIZER, help="its tokenizer.bin")
    result.add_argument("--text", type=Path, default=places.VALID_TEXT, help="stories to score")
    result.add_argument("--stories", type=int, default=0, help="score only the first ones; 0: all")
    result.add_argument("--batch-tokens", type=int, default=4096, help="tokens scored at a time")
    result.add_argument("--threads", type=int, default=1, help="CPU threads")
    result.add_argument("--json", type=Path, help="also write the figures here")
    result.add_argument(
        "--log", type=Path, default=places.FOLDER / "log.jsonl", help="log of the training run"
    )
    result.add_argument(
        "--curve", type=Path, help="also draw the learning curve of --log here (.svg or .png)"
    )
    return result


if __name__ == "__main__":
    finish(run, parser())
