"""Writes the trained story model as llama2.c files: model.bin (q80, v2), and v0 (fp32) where asked for."""

import argparse
import hashlib
from pathlib import Path

from training.common.checkpoint import load_model
from training.common.commands import Formatter, finish
from training.common.llama import parameter_count
from training.common.llama2c import v0_bytes, v2_bytes, write_file
from training.stories import places


def run(options: argparse.Namespace) -> None:
    model = load_model(options.checkpoint)
    print(f"{options.checkpoint}: {parameter_count(model)} parameters, {model.config}")
    outputs = [(options.output, v2_bytes(model, options.group_size))]
    if options.fp32 is not None:
        outputs.append((options.fp32, v0_bytes(model)))
    for path, content in outputs:
        write_file(path, content)
        print(f"{path}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(
        prog="python -m training.stories.export", description=__doc__, formatter_class=Formatter
    )
    result.add_argument(
        "--checkpoint", type=Path, default=places.FOLDER / "best.pt", help="what train kept as best"
    )
    result.add_argument(
        "--output", type=Path, default=places.MODEL_FOLDER / "model.bin", help="q80 file to write"
    )
    result.add_argument("--group-size", type=int, default=64, help="weights that share a scale")
    result.add_argument("--fp32", type=Path, help="also write a v0 file")
    return result


if __name__ == "__main__":
    finish(run, parser())
