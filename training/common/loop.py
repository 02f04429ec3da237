"""The training loop: schedule, steps, validation, checkpoints, resuming, and stopping at the first NaN."""

import json
import math
import signal
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Self

import torch
from torch import Tensor, nn
from tqdm import tqdm

from training.common.checkpoint import load_checkpoint, model_state, save_checkpoint
from training.common.documents import Batch, epoch_batches, to_batch
from training.common.llama import Llama, summed_loss
from training.common.processes import Processes

# What may change when a run is resumed: how long it goes on, and what does not touch the weights.
FREE_SETTINGS = {"minutes", "validate_every", "compile"}


class TrainingError(Exception):
    """A run that cannot go on; the message is one sentence for the user."""


@dataclass(frozen=True)
class Settings:
    """How to train. One step is one batch."""

    epochs: int
    minutes: float  # 0: no limit; otherwise the schedule ends at the limit if the epochs do not end before
    batch_tokens: int
    learning_rate: float
    final_learning_rate: float  # as a share of learning_rate
    warmup_steps: int
    weight_decay: float
    clip: float
    optimizer: str
    seed: int
    validate_every: int
    compile: bool
    bf16: bool


def learning_rate_at(settings: Settings, step: int, progress: float) -> float:
    """Linear warm-up by steps, times a cosine by progress (0 to 1) down to the final share."""
    warmup = min(1.0, (step + 1) / max(1, settings.warmup_steps))
    cosine = 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))
    floor = settings.final_learning_rate
    return settings.learning_rate * warmup * (floor + (1.0 - floor) * cosine)


def make_optimizers(model: nn.Module, settings: Settings) -> list[torch.optim.Optimizer]:
    """AdamW, with weight decay on matrices only; with `muon`, the layers' matrices go to Muon instead."""
    matrices = [w for name, w in model.named_parameters() if w.dim() == 2 and name.startswith("layers.")]
    tables = [w for name, w in model.named_parameters() if w.dim() == 2 and not name.startswith("layers.")]
    gains = [w for w in model.parameters() if w.dim() < 2]
    adamw_matrices = tables if settings.optimizer == "muon" else tables + matrices
    groups = [
        {"params": adamw_matrices, "weight_decay": settings.weight_decay},
        {"params": gains, "weight_decay": 0.0},
    ]
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(groups, lr=settings.learning_rate, betas=(0.9, 0.95))
    ]
    if settings.optimizer == "muon":
        optimizers.append(
            torch.optim.Muon(
                matrices,
                lr=settings.learning_rate,
                weight_decay=settings.weight_decay,
                adjust_lr_fn="match_rms_adamw",
            )
        )
    return optimizers


def first_non_finite(model: nn.Module) -> str | None:
    """The name of the first weight or gradient that holds a NaN or an infinity."""
    for name, weight in model.named_parameters():
        if not torch.isfinite(weight).all():
            return f"weight {name}"
    for name, weight in model.named_parameters():
        if weight.grad is not None and not torch.isfinite(weight.grad).all():
            return f"gradient of {name}"
    return None


def check_finite(model: nn.Module, step: int, loss: float, norm: float) -> None:
    """Stops the run with the step and the tensor where a value is not finite."""
    if math.isfinite(loss) and math.isfinite(norm):
        return
    where = first_non_finite(model) or ("logits" if not math.isfinite(loss) else "norm of the gradients")
    raise TrainingError(
        f"step {step}: {where} is not finite (loss {loss}, gradient norm {norm}); "
        "lower --learning-rate, or train with --no-bf16"
    )


@torch.no_grad()
def mean_loss(
    loss_of: Callable[[Batch], Tensor], rows: list[list[int]], batch_tokens: int, device: torch.device
) -> float:
    """Mean cross-entropy in nats a token over all rows."""
    batches = epoch_batches([len(row) - 1 for row in rows], batch_tokens, seed=0)
    total = sum(float(loss_of(to_batch([rows[i] for i in batch], device))) for batch in batches)
    return total / sum(len(row) - 1 for row in rows)


def fit(
    model: Llama,
    train_rows: list[list[int]],
    valid_rows: list[list[int]],
    settings: Settings,
    folder: Path,
    processes: Processes,
) -> float:
    """Trains until the epochs or the minutes are used up; returns the best validation loss.

    In `folder`: last.pt (resumed from if it is there), best.pt, log.jsonl (one line a validation).
    """
    run = Run(model, settings, folder, processes)
    run.resume()
    lengths = [len(row) - 1 for row in train_rows]
    steps_per_epoch = len(epoch_batches(lengths, settings.batch_tokens, settings.seed))
    total_steps = steps_per_epoch * settings.epochs
    batches: list[list[int]] = []
    epoch = -1
    bar = tqdm(total=total_steps, initial=run.step, disable=not processes.first, unit="step", mininterval=2.0)
    with bar, StopRequest() as stop:
        while run.step < total_steps:
            progress = processes.from_first(run.progress(total_steps))
            if progress >= 1.0:
                break
            if run.step // steps_per_epoch != epoch:
                epoch = run.step // steps_per_epoch
                batches = epoch_batches(lengths, settings.batch_tokens, settings.seed + epoch)
            run.train_step(train_rows, batches[run.step % steps_per_epoch], progress)
            bar.update()
            if stop.asked:
                run.save()
                raise KeyboardInterrupt
            if run.step % settings.validate_every == 0:
                run.validate(valid_rows, progress)
                bar.set_postfix_str(f"train {run.last_train:.4f} valid {run.last_valid:.4f}")
    if run.step % settings.validate_every != 0:
        run.validate(valid_rows, 1.0)
    return run.best


class StopRequest:
    """Within it Ctrl-C and SIGTERM are wishes, granted between two steps; a second one kills."""

    def __init__(self) -> None:
        self.asked = False
        self._before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def __enter__(self) -> Self:
        for number in self._before:
            signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(number, signal.SIG_DFL)


class Run:
    """The moving parts of one training run; a checkpoint holds them all."""

    def __init__(self, model: Llama, settings: Settings, folder: Path, processes: Processes) -> None:
        self.model = model.to(processes.device)
        self.settings = settings
        self.folder = folder
        self.processes = processes
        self.optimizers = make_optimizers(model, settings)
        self.loss_of: Callable[[Batch], Tensor] = self._loss
        if settings.compile:
            self.compiled = torch.compile(model, dynamic=True)
        else:
            self.compiled = model
        self.step = 0
        self.tokens = 0
        self.seconds_before = 0.0  # used by the processes that this run was resumed from
        self.started = time.monotonic()
        self.best = math.inf
        self.last_valid = math.inf
        self.last_train = math.inf
        self.train_sum = 0.0
        self.train_tokens = 0

    def _loss(self, batch: Batch) -> Tensor:
        """Summed loss of a batch in nats."""
        with torch.autocast(self.processes.device.type, torch.bfloat16, enabled=self.settings.bf16):
            logits = self.compiled(batch.inputs)
        return summed_loss(logits, batch.targets)

    def seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self.started

    def progress(self, total_steps: int) -> float:
        """Share of the run that is done, by steps or by time, whichever is further."""
        by_steps = self.step / total_steps
        if self.settings.minutes <= 0:
            return by_steps
        return max(by_steps, self.seconds() / (60 * self.settings.minutes))

    def train_step(self, rows: list[list[int]], indices: list[int], progress: float) -> None:
        """One batch: each process takes its share, and the summed gradient is that of the whole batch."""
        processes = self.processes
        self.model.train()
        torch.manual_seed((self.settings.seed << 32) + self.step * processes.count + processes.rank)
        count = sum(len(rows[index]) - 1 for index in indices)
        batch = to_batch([rows[index] for index in processes.share(indices)], processes.device)
        loss = self.loss_of(batch)
        (loss / count).backward()
        processes.sum_gradients(self.model)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        total = processes.total(loss)
        check_finite(self.model, self.step, total, float(norm))
        rate = learning_rate_at(self.settings, self.step, progress)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            optimizer.zero_grad()
        self.step += 1
        self.tokens += count
        self.train_sum += total
        self.train_tokens += count

    def validate(self, rows: list[list[int]], progress: float) -> None:
        """Validation loss, a line in the log, checkpoints; by the first process, while the others wait."""
        self.last_train = self.train_sum / max(1, self.train_tokens)
        self.train_sum, self.train_tokens = 0.0, 0
        if not self.processes.first:
            return
        self.model.eval()
        self.last_valid = mean_loss(self.loss_of, rows, self.settings.batch_tokens, self.processes.device)
        improved = self.last_valid < self.best
        self.best = min(self.best, self.last_valid)
        line = {
            "step": self.step,
            "tokens": self.tokens,
            "seconds": round(self.seconds(), 1),
            "learning_rate": learning_rate_at(self.settings, self.step, progress),
            "train_loss": round(self.last_train, 5),
            "valid_loss": round(self.last_valid, 5),
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        self.save()
        if improved:
            save_checkpoint(self.folder / "best.pt", model_state(self.model) | {"step": self.step})

    def save(self) -> None:
        """Writes last.pt, from which a run is resumed."""
        if not self.processes.first:
            return
        state = model_state(self.model) | {
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "settings": asdict(self.settings),
            "step": self.step,
            "tokens": self.tokens,
            "seconds": self.seconds(),
            "best": self.best,
        }
        save_checkpoint(self.folder / "last.pt", state)

    def resume(self) -> None:
        """Takes up the run of last.pt; its shapes and settings (FREE_SETTINGS aside) must be the same."""
        path = self.folder / "last.pt"
        if not path.exists():
            return
        state = load_checkpoint(path)
        for name, kept, asked in (
            ("shapes", state["config"], asdict(self.model.config)),
            ("settings", state["settings"], asdict(self.settings)),
        ):
            asked = {name: value for name, value in asked.items() if name not in FREE_SETTINGS}
            if any(kept.get(name) != value for name, value in asked.items()):
                differing = ", ".join(
                    f"{k} {kept.get(k)} (now {asked[k]})" for k in asked if kept.get(k) != asked[k]
                )
                raise TrainingError(
                    f"{path} has other {name}: {differing}; give the same options, or another --folder"
                )
        self.model.load_state_dict(state["weights"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.step, self.tokens, self.best = state["step"], state["tokens"], state["best"]
        self.seconds_before = state["seconds"]
        if self.processes.first:
            tqdm.write(f"resuming at step {self.step}")
