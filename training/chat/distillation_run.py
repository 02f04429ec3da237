"""A distillation from the whole teacher, whatever of the student trains: steps, evaluations, checkpoints.

Folder of a run: last.pt (resumed from), targets.pt (the teacher's answers so far, so that it reads
no text twice), curve.csv (one line an evaluation), and what the trainee exports.
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn
from tqdm import tqdm

from training.chat import documents
from training.chat.corpus import AlignedDocument, Aligner
from training.chat.distillation import (
    Losses,
    TeacherTargets,
    distillation_losses,
    first_pieces,
    make_batch,
)
from training.chat.llama import Llama, build
from training.chat.precision import fast_type
from training.chat.student import cut_tokenizer
from training.chat.teacher import Teacher
from training.chat.tokenizer import piece_lengths
from training.common.checkpoint import load_checkpoint, save_checkpoint
from training.common.documents import epoch_batches
from training.common.loop import TrainingError, check_finite
from training.common.processes import Processes

FINAL_LEARNING_RATE = 0.05  # as a share of the highest
LONGER = {"minutes", "epochs"}  # settings that may change when a run is taken up again

# What --smoke sets of the options that every distillation takes: the tiny teacher's conversations alone.
SMOKE: dict[str, Any] = {
    "minutes": 30.0,
    "batch_tokens": 256,
    "micro_tokens": 128,
    "pool_tokens": 3000,
    "evaluate_minutes": 30.0,
    "validation_tokens": 400,
    "story_share": 0.0,
    "encyclopedia_share": 0.0,
    "book_share": 0.0,
    "bf16": False,
}


@dataclass(frozen=True)
class Settings:
    """How to distil. A step is one batch of all processes together."""

    minutes: float
    epochs: int
    batch_tokens: int
    micro_tokens: int
    learning_rate: float
    warmup_steps: int
    clip: float
    bf16: bool
    seed: int


class Trainee(Protocol):
    """The student, and what of it trains."""

    @property
    def model(self) -> Llama:
        """The model that reads."""

    @property
    def trained(self) -> nn.Module:
        """Its parameters are trained; may be the model itself (then those that require gradients)."""

    def settings(self) -> dict[str, Any]:
        """What must be the same when a run is taken up again."""

    def parameter_groups(self) -> Iterable[dict[str, Any]]:
        """Groups for the optimizer, each with its share `scale` of the learning rate."""

    def before_step(self) -> None:
        """Puts the trained numbers into the model."""

    def after_backward(self) -> None:
        """Brings the model's gradients to the trained numbers."""

    def export(self, folder: Path, notes: dict[str, Any]) -> None:
        """Writes what the run is for."""


@dataclass(frozen=True)
class Sources:
    """What is distilled, and how long the student's pieces are."""

    targets: TeacherTargets
    lengths: list[int]  # bytes of each of the student's pieces


def open_sources(loaded: Teacher, kept: list[int], device: torch.device) -> tuple[Sources, Aligner]:
    """The whole teacher on a device, and how a student with these pieces lines up with it."""
    tokenizer = cut_tokenizer(loaded.tokenizer_parts, kept)
    whole = build(loaded.config, loaded.state, fast_type(device)).to(device)
    first = first_pieces(loaded.tokenizer_parts, tokenizer).to(device)
    sources = Sources(TeacherTargets(whole, first, len(kept)), piece_lengths(tokenizer))
    return sources, Aligner(tokenizer, loaded.tokenizer_parts.build())


class Run:
    """The moving parts of a distillation; a checkpoint holds them all."""

    def __init__(
        self, trainee: Trainee, sources: Sources, settings: Settings, folder: Path, processes: Processes
    ) -> None:
        self.trainee, self.settings, self.sources = trainee, settings, sources
        self.folder, self.processes = folder, processes
        groups = list(trainee.parameter_groups())
        self.parameters = [one for group in groups for one in group["params"]]
        self.optimizer = torch.optim.Adam(groups, lr=settings.learning_rate, betas=(0.9, 0.98))
        self.step = self.tokens = 0
        self.seconds_before, self.started = 0.0, time.monotonic()
        self.resumed = False

    def seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self.started

    def losses(self, part: list[AlignedDocument]) -> tuple[Losses, int]:
        """Losses of documents and the number of predictions in them."""
        batch = make_batch(part, self.processes.device)
        targets = self.sources.targets(part, batch)
        return distillation_losses(self.trainee.model, targets, batch, self.settings.bf16), batch.predictions

    def train_step(
        self, pool: list[AlignedDocument], indices: list[int], progress: float
    ) -> tuple[float, int]:
        """One step; the summed loss of the whole batch and its predictions."""
        settings, processes = self.settings, self.processes
        predictions = sum(len(pool[index].student) - 1 for index in indices)
        total = torch.zeros((), dtype=torch.float64)
        self.trainee.before_step()
        for part in self._micro_batches(pool, processes.share(indices)):
            losses, _ = self.losses(part)
            (losses.total / predictions).backward()
            total += losses.total.detach().double().cpu()
        self.trainee.after_backward()
        for value in self.parameters:
            if value.grad is None:
                value.grad = torch.zeros_like(value)
        processes.sum_gradients(self.trainee.trained)
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, settings.clip)
        summed = processes.total(total.to(processes.device))
        check_finite(self.trainee.model, self.step, summed, float(norm))
        warmup = min(1.0, (self.step + 1) / max(1, settings.warmup_steps))
        rate = settings.learning_rate * warmup * (1 - (1 - FINAL_LEARNING_RATE) * min(1.0, progress))
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.tokens += predictions
        return summed, predictions

    def _micro_batches(self, pool: list[AlignedDocument], indices: list[int]) -> list[list[AlignedDocument]]:
        chosen = [pool[index] for index in indices]
        if not chosen:
            return []
        lengths = [len(one.student) for one in chosen]
        return [[chosen[i] for i in part] for part in epoch_batches(lengths, self.settings.micro_tokens, 0)]

    @torch.no_grad()
    def evaluate(self, validation: dict[str, list[AlignedDocument]]) -> dict[str, float]:
        """KL (nats a shared boundary) and bits per byte of each validation set."""
        self.trainee.before_step()
        scores = {}
        for kind, pool in validation.items():
            divergence, likelihood, boundaries, n_bytes = 0.0, 0.0, 0, 0
            for part in self._micro_batches(pool, list(range(len(pool)))):
                losses, _ = self.losses(part)
                divergence += float(losses.divergence)
                likelihood += float(losses.likelihood)
                boundaries += sum(
                    len([i for i in one.student_positions if i < len(one.student) - 1]) for one in part
                )
                n_bytes += sum(self.sources.lengths[token] for one in part for token in one.student[1:])
            scores[f"kl_{kind}"] = round(divergence / boundaries, 5)
            scores[f"bpb_{kind}"] = round(likelihood / math.log(2) / n_bytes, 5)
        return scores

    def write_curve(self, train_loss: float, scores: dict[str, float]) -> None:
        line = {
            "step": self.step,
            "tokens": self.tokens,
            "seconds": round(self.seconds(), 1),
            "train_loss": round(train_loss, 5),
        } | scores
        path = self.folder / "curve.csv"
        new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(line))
            if new:
                writer.writeheader()
            writer.writerow(line)

    def all_settings(self) -> dict[str, Any]:
        return asdict(self.settings) | self.trainee.settings()

    def save(self) -> None:
        state = {
            "settings": self.all_settings(),
            "trained": [value.detach().cpu() for value in self.parameters],
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "tokens": self.tokens,
            "seconds": self.seconds(),
        }
        self.sources.targets.save(self.folder / "targets.pt")
        save_checkpoint(self.folder / "last.pt", state)

    def resume(self) -> None:
        """Takes up last.pt; everything but the length of the run must be the same."""
        self.sources.targets.load(self.folder / "targets.pt")
        path = self.folder / "last.pt"
        if not path.exists():
            return
        state = load_checkpoint(path)
        differing = [
            f"{name} {state['settings'].get(name)} (now {value})"
            for name, value in self.all_settings().items()
            if name not in LONGER and state["settings"].get(name) != value
        ]
        if differing:
            raise TrainingError(
                f"{path} has other settings: {', '.join(differing)}; give the same, or another --folder"
            )
        with torch.no_grad():
            for value, stored in zip(self.parameters, state["trained"], strict=True):
                value.copy_(stored)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.tokens, self.seconds_before = state["step"], state["tokens"], state["seconds"]
        self.resumed = True

    def export(self) -> None:
        notes = {
            "tokens": self.tokens,
            "steps": self.step,
            "seconds": round(self.seconds()),
            "settings": self.all_settings(),
        }
        self.trainee.before_step()
        self.trainee.export(self.folder, notes)


def train(
    run: Run, pool: list[AlignedDocument], validation: dict[str, list[AlignedDocument]], evaluate_every: float
) -> None:
    """Steps until the epochs or the minutes are over; evaluates and saves every `evaluate_every` minutes."""
    settings, processes = run.settings, run.processes
    run.folder.mkdir(parents=True, exist_ok=True)
    run.resume()
    lengths = [len(one.student) for one in pool]
    steps_per_epoch = len(epoch_batches(lengths, settings.batch_tokens, settings.seed))
    total_steps = steps_per_epoch * settings.epochs
    if processes.first and not run.resumed:
        run.write_curve(math.nan, run.evaluate(validation))
    last_saved, loss_sum, loss_count = time.monotonic(), 0.0, 0
    with tqdm(
        total=total_steps, initial=run.step, unit="step", disable=not processes.first, mininterval=5
    ) as bar:
        while run.step < total_steps:
            progress = processes.from_first(
                max(run.step / total_steps, run.seconds() / (60 * settings.minutes))
            )
            if progress >= 1:
                break
            epoch, index = divmod(run.step, steps_per_epoch)
            batches = epoch_batches(lengths, settings.batch_tokens, settings.seed + epoch)
            summed, count = run.train_step(pool, batches[index % len(batches)], progress)
            loss_sum, loss_count = loss_sum + summed, loss_count + count
            bar.update()
            bar.set_postfix_str(f"loss {summed / count:.4f}, {run.tokens} tokens", refresh=False)
            if processes.first and time.monotonic() - last_saved > 60 * evaluate_every:
                run.write_curve(loss_sum / loss_count, run.evaluate(validation))
                run.save()
                last_saved, loss_sum, loss_count = time.monotonic(), 0.0, 0
    if processes.first:
        if loss_count:
            run.write_curve(loss_sum / loss_count, run.evaluate(validation))
        run.save()
        run.export()


def add_options(
    parser: argparse.ArgumentParser, *, minutes: float, batch_tokens: int, learning_rate: float
) -> None:
    """Options of every distillation; the keywords are defaults."""
    parser.add_argument(
        "--pool-tokens", type=int, default=600_000, help="tokens of the training pool (one epoch)"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=minutes,
        help="length of the run; the learning rate falls towards its end",
    )
    parser.add_argument("--epochs", type=int, default=1, help="passes over the pool at most")
    parser.add_argument(
        "--batch-tokens", type=int, default=batch_tokens, help="tokens a step, padding included"
    )
    parser.add_argument(
        "--micro-tokens", type=int, default=2048, help="tokens a forward pass; fewer need less memory"
    )
    parser.add_argument("--learning-rate", type=float, default=learning_rate, help="highest rate")
    parser.add_argument("--warmup-steps", type=int, default=10, help="steps until the highest rate")
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of the gradients")
    parser.add_argument(
        "--bf16",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="bfloat16 matrix products where the device has instructions for them",
    )
    parser.add_argument(
        "--evaluate-minutes", type=float, default=8.0, help="time between evaluations and checkpoints"
    )
    parser.add_argument("--validation-tokens", type=int, default=4096, help="tokens of each validation set")
    documents.add_options(parser)


def run(
    options: argparse.Namespace, trainee: Trainee, sources: Sources, aligner: Aligner, processes: Processes
) -> None:
    """A whole distillation as add_options' options say, from reading its texts to the export."""
    pool = documents.training_pool(aligner, options, options.pool_tokens, options.seed)
    validation = documents.validation_sets(aligner, options.conversations, options.validation_tokens)
    moving = Run(trainee, sources, _settings_of(options), options.folder, processes)
    train(moving, pool, validation, options.evaluate_minutes)


def _settings_of(options: argparse.Namespace) -> Settings:
    return Settings(**{name: getattr(options, name) for name in Settings.__dataclass_fields__})
