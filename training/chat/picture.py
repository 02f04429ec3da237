"""Pictures of measured tables: CSV files with a line of names.

    python -m training.chat.picture docs/data/stream-error.csv --y "relative error"
    python -m training.chat.picture docs/data/quality.csv --points megabytes --out docs/images/quality.svg

The first column is x, and every further one is a line; or with --points X the first one names points, X is
the column of their places, and every other column is a panel.
"""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from training.chat import command
from training.common.commands import finish

Table = tuple[list[str], list[list[str]]]  # names of the columns, rows


def read_table(path: Path) -> Table:
    """A CSV with a line of names; every row as long as it."""
    with path.open(encoding="utf-8", newline="") as stream:
        names, *rows = list(csv.reader(stream)) or [[]]
    if len(names) < 2 or not rows:
        raise ValueError(f"{path}: expected a line of at least two names and rows below it")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(names):
            raise ValueError(f"{path}: line {number}: expected {len(names)} fields, found {len(row)}")
    return names, rows


def number(text: str) -> float:
    """A field as a number; an empty one leaves a gap."""
    return float(text) if text else math.nan


def draw_lines(table: Table, y_label: str) -> Figure:
    """A line for each column behind the first."""
    names, rows = table
    figure, plot = plt.subplots(figsize=(7.2, 3.8), layout="constrained")
    x = [number(row[0]) for row in rows]
    for column, name in enumerate(names[1:], start=1):
        plot.plot(x, [number(row[column]) for row in rows], "o-", label=name, markersize=3)
    plot.set_xlabel(names[0])
    plot.set_ylabel(y_label)
    plot.set_ylim(bottom=0)
    plot.grid(alpha=0.3)
    plot.legend(fontsize=8)
    return figure


def draw_points(table: Table, place: str) -> Figure:
    """A panel for each column but the names' and the places': named points."""
    names, rows = table
    if place not in names:
        raise ValueError(f"no column {place}; there are {', '.join(names)}")
    at = names.index(place)
    panels = [column for column in range(1, len(names)) if column != at]
    figure, axes = plt.subplots(
        1, len(panels), figsize=(4.2 * len(panels), 3.8), squeeze=False, layout="constrained"
    )
    for plot, column in zip(axes[0], panels, strict=True):
        known = [row for row in rows if row[column] and row[at]]
        for row in known:
            point = (number(row[at]), number(row[column]))
            plot.plot(*point, "o", color="#c2410c" if row[0].startswith("chat-90m") else "#2563eb")
            is_last = point[0] == max(number(other[at]) for other in known)  # its name would leave the panel
            place_of_name = {"xytext": (-5, 4), "ha": "right"} if is_last else {"xytext": (4, 4)}
            plot.annotate(row[0], point, textcoords="offset points", fontsize=7, **place_of_name)
        plot.set_xscale("log")
        plot.margins(x=0.25, y=0.12)
        plot.set_xlabel(place)
        plot.set_title(names[column], fontsize=10)
        plot.grid(alpha=0.3)
    return figure


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Draw a table of measurements.")
    parser.add_argument("table", type=Path, help="CSV file")
    parser.add_argument("--y", default="value", help="what the lines show")
    parser.add_argument("--points", metavar="X", help="draw named points over this column instead of lines")
    parser.add_argument("--out", type=Path, default=command.BUILD / "picture.svg", help=".svg or .png")
    return parser


def run(options: argparse.Namespace) -> None:
    plt.rcParams["svg.hashsalt"] = "pspllm"  # else each drawing of the same table gets other ids
    table = read_table(options.table)
    figure = draw_points(table, options.points) if options.points else draw_lines(table, options.y)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out, metadata={"Date": None} if options.out.suffix == ".svg" else None)
    plt.close(figure)
    print(options.out)


if __name__ == "__main__":
    finish(run, make_parser())
