"""The learning curves of runs, with every point measured, as a picture.

python -m training.chat.curve healed=HEAL/curve.csv distilled=DISTIL/curve.csv --out docs/images/learning.svg
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from training.chat import command, documents
from training.common.commands import finish

COLOURS = {documents.CHAT: "#c2410c", documents.STORIES: "#2563eb", documents.ENCYCLOPEDIA: "#4d7c0f"}
MEASURES = {"kl": "KL to the teacher (nats a boundary)", "bpb": "bits per byte"}


def read_curve(path: Path) -> list[dict[str, float]]:
    """The lines of a run's curve.csv."""
    with path.open(encoding="utf-8", newline="") as stream:
        lines = [{name: float(value) for name, value in line.items()} for line in csv.DictReader(stream)]
    if not lines:
        raise ValueError(f"{path}: no point of a learning curve in it")
    return lines


def draw_curves(runs: dict[str, list[dict[str, float]]], path: Path) -> None:
    """Two rows (KL, bits per byte), a column a run, a line a held-out set."""
    plt.rcParams["svg.hashsalt"] = "pspllm"  # else each drawing of the same curves gets other ids
    figure, axes = plt.subplots(
        len(MEASURES), len(runs), figsize=(4.2 * len(runs), 5.6), squeeze=False, layout="constrained"
    )
    for column, (name, lines) in enumerate(runs.items()):
        tokens = [line["tokens"] / 1000 for line in lines]
        for row, (measure, label) in enumerate(MEASURES.items()):
            plot = axes[row][column]
            for kind, colour in COLOURS.items():
                if f"{measure}_{kind}" in lines[0]:
                    values = [line[f"{measure}_{kind}"] for line in lines]
                    plot.plot(tokens, values, "o-", color=colour, label=kind, markersize=3.5)
            plot.set_ylim(bottom=0)
            plot.grid(alpha=0.3)
            plot.set_ylabel(label)
            plot.set_xlabel("thousand tokens")
        axes[0][column].set_title(name)
    axes[0][0].legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Draw learning curves.")
    parser.add_argument("runs", nargs="+", metavar="NAME=FILE", help="name of a run and its curve.csv")
    parser.add_argument("--out", type=Path, default=command.BUILD / "learning.svg", help=".svg or .png")
    return parser


def run(options: argparse.Namespace) -> None:
    pairs = [text.partition("=") for text in options.runs]
    draw_curves({name: read_curve(Path(file)) for name, _, file in pairs}, options.out)
    print(options.out)


if __name__ == "__main__":
    finish(run, make_parser())
