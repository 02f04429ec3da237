"""The four commands one after the other, on a text made here: tokenizer, train, export, evaluate."""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from training.common.llama2c import read_model, read_tokenizer
from training.common.places import PROJECT
from training.stories import evaluate, export, places, tokenizer, train


def write_stories(path: Path, count: int) -> None:
    generator = random.Random(count)
    animals = ["cat", "dog", "bird", "fish", "bear"]
    stories = []
    for _ in range(count):
        one, other = generator.sample(animals, 2)
        stories.append(f"Once there was a {one}. The {one} saw a {other}.\nThey were happy all day.")
    path.write_text("\n<|endoftext|>\n".join(stories), encoding="utf-8")


def call(command: ModuleType, *arguments: str | Path) -> None:
    options: argparse.Namespace = command.parser().parse_args([str(argument) for argument in arguments])
    command.run(options)


def test_from_text_to_a_measured_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_stories(tmp_path / "train.txt", 150)
    write_stories(tmp_path / "valid.txt", 30)
    pieces, model, fp32 = (tmp_path / name for name in ("tokenizer.bin", "model.bin", "model_fp32.bin"))
    call(tokenizer, "--text", tmp_path / "train.txt", "--output", pieces, "--size", "310", "--rarest", "5")
    texts = ["--text", tmp_path / "train.txt", "--valid", tmp_path / "valid.txt"]
    call(train, "--smoke", *texts, "--tokenizer", pieces, "--folder", tmp_path / "run")
    best = tmp_path / "run" / "smoke" / "best.pt"
    call(export, "--checkpoint", best, "--output", model, "--fp32", fp32, "--group-size", "32")
    assert read_model(model).config == read_model(fp32).config
    assert read_model(model).config.vocab_size == len(read_tokenizer(pieces)) == 310

    files = ["--model", model, "--tokenizer", pieces, "--text", tmp_path / "valid.txt"]
    outputs = ["--json", tmp_path / "figures.json", "--curve", tmp_path / "curve.svg"]
    log = tmp_path / "run" / "smoke" / "log.jsonl"
    call(evaluate, *files, "--peer", fp32, "--peer-tokenizer", pieces, *outputs, "--log", log)
    quantized, exact = json.loads((tmp_path / "figures.json").read_text())
    assert (
        quantized["text_bytes"] == exact["text_bytes"] == len((tmp_path / "valid.txt").read_bytes()) - 29 * 15
    )
    assert 0 < exact["bits_per_byte"] < 3.8  # a uniform guess among 310 ids costs more than 4
    assert quantized["bits_per_byte"] == pytest.approx(exact["bits_per_byte"], rel=0.02)
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    assert "bits/byte" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["tokenizer", "train", "export", "evaluate"])
def test_help_shows_defaults(name: str) -> None:
    command = {"tokenizer": tokenizer, "train": train, "export": export, "evaluate": evaluate}[name]
    assert "(default: " in command.parser().format_help()


def test_a_missing_file_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "training.stories.tokenizer", "--text", str(tmp_path / "absent.txt")]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "absent.txt" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_shipped_model_fits_its_tokenizer() -> None:
    model = read_model(places.MODEL_FOLDER / "model.bin")
    vocabulary = read_tokenizer(places.TOKENIZER)
    assert model.config.vocab_size == len(vocabulary)
    assert 1_000_000 <= (places.MODEL_FOLDER / "model.bin").stat().st_size <= 2_500_000
