"""Designs of the small model against each other: each cut, quantised in closed form, distilled alike.

    python -m training.chat.tournament --distil-tokens 100000

Nothing is healed before it is quantised, so that no design has an advantage. Every stage whose file is there
is not run again. Needs what `fetch_teacher`, `conversations` and `fact_talks` make. Writes a folder an entry
and table.csv: bytes, codes looked up a token, KL and bits a byte on held-out text before and after.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from training.chat import command, student, teacher
from training.chat.curve import read_curve
from training.chat.pspm import PspmFile
from training.chat.pspm_format import CODES, Layout
from training.common.commands import finish
from training.common.places import PROJECT


@dataclass(frozen=True)
class Entry:
    """A design: pieces of the vocabulary, width of the feed-forward layers, recipe of `pspllm quantize`."""

    name: str
    pieces: int
    width: int
    recipe: dict[str, Any]


@dataclass(frozen=True)
class Places:
    """What the stages of an entry share and make."""

    kept: Path
    folder: Path

    @property
    def student(self) -> Path:
        return self.folder / "student.pt"

    @property
    def exported(self) -> Path:
        return self.folder / "student-hf"

    @property
    def calibration(self) -> Path:
        return self.folder / "calibration.txt"

    @property
    def quantised(self) -> Path:
        return self.folder / "quantised.pspm"

    @property
    def distilled(self) -> Path:
        return self.folder / "distil" / "distilled.pspm"


def read_entries(path: Path) -> list[Entry]:
    """The designs of a JSON file; names must differ."""
    entries = [Entry(**one) for one in json.loads(path.read_text())]
    if len({one.name for one in entries}) != len(entries):
        raise ValueError(f"{path}: two entries have the same name")
    return entries


def make_student(options: argparse.Namespace, entry: Entry, places: Places) -> None:
    """The teacher cut to the entry's pieces and width."""
    loaded = teacher.read_teacher(options.teacher)
    if entry.width >= loaded.config.ffn_dim:
        kept = student.read_kept(places.kept)
        student.save_student(places.student, *student.cut_state(loaded, kept), kept, {})
        return
    wanted = ("--width", entry.width, "--tokens", options.prune_tokens)
    _stage(options, "prune_ffn", *wanted, "--kept", places.kept, "--out", places.student)


def play(options: argparse.Namespace, entry: Entry, places: Places, targets: Path) -> None:
    """All stages of an entry that are not done yet. targets: what the teacher says, of an entry with the same
    pieces, where there is one.
    """
    places.folder.mkdir(parents=True, exist_ok=True)
    if not places.student.exists():
        make_student(options, entry, places)
    if not places.exported.exists():
        _stage(options, "export", "--model", places.student, "--out", places.exported, "--name", entry.name)
    if not places.calibration.exists():
        tokens = ("--tokens", 2 * options.calibration_tokens)
        _stage(options, "calibration", *tokens, "--kept", places.kept, "--out", places.calibration)
    if not places.quantised.exists():
        recipe = places.folder / "recipe.json"
        recipe.write_text(json.dumps(entry.recipe))
        wanted = ["--recipe", recipe, "--calibration", places.calibration]
        wanted += ["--calibration-tokens", options.calibration_tokens, "--threads", options.threads]
        _call([options.pspllm, "quantize", *wanted, places.exported, places.quantised])
    if not places.distilled.exists():
        length = ("--pool-tokens", options.distil_tokens, "--epochs", 1, "--minutes", 10_000)
        files = ("--kept", places.kept, "--base", places.quantised, "--folder", places.distilled.parent)
        _stage(options, "distil", *length, *files, "--targets", targets, "--name", "tournament")


def _stage(options: argparse.Namespace, module: str, *arguments: object) -> None:
    shared = ["--threads", options.threads, "--seed", options.seed, "--device", options.device]
    shared += ["--teacher", options.teacher, *(["--smoke"] if options.smoke else [])]
    if module != "export":
        shared += [
            "--conversations",
            options.conversations,
            "--more-conversations",
            *options.more_conversations,
        ]
    _call([sys.executable, "-m", f"training.chat.{module}", *shared, *arguments])


def _call(words: list[object]) -> None:
    done = subprocess.run([str(word) for word in words], cwd=PROJECT, check=False)
    if done.returncode != 0:
        raise ValueError(f"{' '.join(str(word) for word in words[:3])}: ended with {done.returncode}")


def result(entry: Entry, places: Places) -> dict[str, object]:
    """A line of the table."""
    file = PspmFile.read(places.distilled)
    codes = sum(one.rows * Layout.of(one).groups for one in file.tensors if one.format == CODES)
    weights = sum(one.rows * one.cols for one in file.tensors)
    size = places.distilled.stat().st_size
    line: dict[str, object] = {
        "entry": entry.name,
        "million weights": round(weights / 1e6, 1),
        "bytes": size,
        "bits a weight": round(8 * size / weights, 3),
        "codes": codes,
    }
    before, *_, after = read_curve(places.distilled.parent / "curve.csv")
    for name in (key for key in after if key.startswith(("kl_", "bpb_"))):
        line[f"{name} closed"], line[name] = before[name], after[name]
    return line


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Let designs of the small model compete.")
    parser.add_argument(
        "--entries", type=Path, default=command.COMMITTED / "tournament.json", help="the designs"
    )
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="entries to play; all if none")
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--conversations", type=Path, default=command.BUILD / "conversations.jsonl", help="conversations"
    )
    parser.add_argument(
        "--more-conversations",
        type=Path,
        nargs="*",
        default=[command.BUILD / "fact_talks.jsonl"],
        help="files of conversations to train on too",
    )
    parser.add_argument("--pspllm", default="build/pspllm", help="the command line program")
    parser.add_argument("--folder", type=Path, default=command.BUILD / "tournament", help="everything made")
    parser.add_argument("--prune-tokens", type=int, default=12_000, help="tokens that pruning calibrates on")
    parser.add_argument("--calibration-tokens", type=int, default=50_000, help="tokens of the quantiser")
    parser.add_argument("--distil-tokens", type=int, default=100_000, help="tokens that each is distilled on")
    return parser


def run(options: argparse.Namespace) -> None:
    command.shrink(options)
    lines = []
    targets: dict[int, Path] = {}
    entries = [one for one in read_entries(options.entries) if not options.only or one.name in options.only]
    for number, entry in enumerate(entries, start=1):
        print(f"{entry.name}: entry {number} of {len(entries)}", flush=True)
        kept = options.entries.parent / f"kept-{entry.pieces}.json"
        name = "".join(letter if letter.isalnum() else "-" for letter in entry.name)
        places = Places(kept.absolute(), (options.folder / name).absolute())
        known = targets.setdefault(entry.pieces, places.distilled.parent / "targets.pt")
        play(options, entry, places, known)
        lines.append(result(entry, places))
        with (options.folder / "table.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(lines[0]))
            writer.writeheader()
            writer.writerows(lines)
    print((options.folder / "table.csv").read_text())


if __name__ == "__main__":
    finish(run, make_parser())
