"""The learning curve of a training run as a picture."""

import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a run's log.jsonl."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines:
        raise ValueError(f"{path}: the log is empty")
    return [json.loads(line) for line in lines]


def draw_curve(log: list[dict[str, Any]], path: Path) -> None:
    """Training and validation loss and the learning rate over millions of tokens."""
    plt.rcParams["svg.hashsalt"] = "pspllm"  # else each drawing of the same log gets other ids
    millions = [line["tokens"] / 1e6 for line in log]
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(
        millions,
        [line["train_loss"] for line in log],
        label="training (mean since the point before)",
        color="#9aa5b1",
    )
    axes.plot(millions, [line["valid_loss"] for line in log], label="validation", color="#c2410c")
    axes.set_xlabel("million tokens seen")
    axes.set_ylabel("loss (nats a token)")
    axes.grid(alpha=0.3)
    rate = axes.twinx()
    rate.plot(millions, [line["learning_rate"] for line in log], color="#2563eb", linestyle=":", linewidth=1)
    rate.set_ylabel("learning rate (dotted)")
    rate.set_ylim(bottom=0)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
