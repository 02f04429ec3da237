"""Heals the cut vocabulary and the narrowed layers at full precision, by distillation from the whole teacher.

    python -m training.chat.heal --base build/chat/pruned-8192-1152.pt --minutes 40
    torchrun --nproc-per-node 2 -m training.chat.heal ...

Folder of a run: last.pt (resumed from if it is there), curve.csv (one line an evaluation), healed.pt (the
student, bfloat16), with --train lowrank also delta.pt (small; see delta.py).
"""

from __future__ import annotations

import argparse
import csv
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from tqdm import tqdm

from training.chat import adapters, command, corpus, delta, documents, student, teacher
from training.chat.corpus import AlignedDocument
from training.chat.distillation import Losses, distillation_losses, first_pieces, make_batch, teacher_targets
from training.chat.llama import Llama, LlamaConfig, build
from training.chat.tokenizer import piece_lengths
from training.common.checkpoint import load_checkpoint, save_checkpoint
from training.common.commands import finish
from training.common.documents import epoch_batches
from training.common.loop import TrainingError, check_finite
from training.common.processes import Processes, join_processes

FINAL_LEARNING_RATE = 0.05  # as a share of the highest


@dataclass(frozen=True)
class Settings:
    """How to heal. A step is one batch of all processes together."""

    train: str
    rank: int
    embedding_rank: int
    minutes: float
    epochs: int
    batch_tokens: int
    micro_tokens: int
    learning_rate: float
    warmup_steps: int
    clip: float
    bf16: bool
    seed: int


@dataclass(frozen=True)
class Sources:
    """What is distilled into what."""

    teacher: Llama
    first: torch.Tensor  # first_pieces() on the device
    config: LlamaConfig
    kept: list[int]
    lengths: list[int]  # bytes of each of the student's pieces


class Run:
    """The moving parts of a healing; a checkpoint holds them all."""

    def __init__(
        self, model: Llama, sources: Sources, settings: Settings, folder: Path, processes: Processes
    ) -> None:
        self.settings, self.sources, self.folder, self.processes = settings, sources, folder, processes
        if settings.train == "lowrank":
            frozen = torch.bfloat16 if settings.bf16 else torch.float32
            adapters.add_adapters(model, settings.rank, settings.embedding_rank, settings.seed, frozen)
        self.model = model.to(processes.device)
        self.trained = adapters.trainable(self.model)
        self.optimizer = torch.optim.Adam(self.trained.values(), lr=settings.learning_rate, betas=(0.9, 0.98))
        self.step = self.tokens = 0
        self.seconds_before, self.started = 0.0, time.monotonic()
        self.resumed = False

    def seconds(self) -> float:
        return self.seconds_before + time.monotonic() - self.started

    def losses(self, part: list[AlignedDocument]) -> tuple[Losses, int]:
        """Losses of documents and the number of predictions in them."""
        batch = make_batch(part, self.processes.device)
        targets = teacher_targets(
            self.sources.teacher, self.sources.first, self.sources.config.vocab_size, batch
        )
        return distillation_losses(self.model, targets, batch, self.settings.bf16), batch.predictions

    def train_step(
        self, pool: list[AlignedDocument], indices: list[int], progress: float
    ) -> tuple[float, int]:
        """One step; the summed loss of the whole batch and its predictions."""
        settings, processes = self.settings, self.processes
        predictions = sum(len(pool[index].student) - 1 for index in indices)
        total = torch.zeros((), dtype=torch.float64)
        for part in self._micro_batches(pool, processes.share(indices)):
            losses, _ = self.losses(part)
            (losses.total / predictions).backward()
            total += losses.total.detach().double().cpu()
        for value in self.trained.values():
            if value.grad is None:
                value.grad = torch.zeros_like(value)
        processes.sum_gradients(self.model)
        norm = torch.nn.utils.clip_grad_norm_(self.trained.values(), settings.clip)
        summed = processes.total(total.to(processes.device))
        check_finite(self.model, self.step, summed, float(norm))
        warmup = min(1.0, (self.step + 1) / max(1, settings.warmup_steps))
        rate = settings.learning_rate * warmup * (1 - (1 - FINAL_LEARNING_RATE) * min(1.0, progress))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
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

    def save(self) -> None:
        state = {
            "settings": asdict(self.settings),
            "trained": {name: value.detach().cpu() for name, value in self.trained.items()},
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "tokens": self.tokens,
            "seconds": self.seconds(),
        }
        save_checkpoint(self.folder / "last.pt", state)

    def resume(self) -> None:
        """Takes up last.pt; everything but the length of the run must be the same."""
        path = self.folder / "last.pt"
        if not path.exists():
            return
        state = load_checkpoint(path)
        longer = {"minutes", "epochs"}
        asked = asdict(self.settings)
        differing = [
            f"{k} {state['settings'].get(k)} (now {v})"
            for k, v in asked.items()
            if k not in longer and state["settings"].get(k) != v
        ]
        if differing:
            raise TrainingError(
                f"{path} has other settings: {', '.join(differing)}; give the same, or another --folder"
            )
        with torch.no_grad():
            for name, value in self.trained.items():
                value.copy_(state["trained"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.tokens, self.seconds_before = state["step"], state["tokens"], state["seconds"]
        self.resumed = True

    def export(self) -> None:
        """The healed student, and the small file of differences where there is one."""
        notes = {
            "tokens": self.tokens,
            "steps": self.step,
            "seconds": round(self.seconds()),
            "settings": asdict(self.settings),
        }
        student.save_student(
            self.folder / "healed.pt",
            self.sources.config,
            adapters.merged_state(self.model),
            self.sources.kept,
            notes,
        )
        if self.settings.train == "lowrank":
            ranks = (self.settings.rank, self.settings.embedding_rank)
            delta.save(self.folder / "delta.pt", dict(self.trained), ranks, notes)


def heal(
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


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Heal a cut and pruned student by distillation.")
    parser.add_argument(
        "--base", type=Path, default=command.BUILD / "pruned-8192-1152.pt", help="student file to start from"
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--folder", type=Path, default=command.BUILD / "heal-8192-1152", help="folder of the run"
    )
    parser.add_argument(
        "--train",
        choices=("lowrank", "all"),
        default="lowrank",
        help="what trains: low-rank differences and norms, or every weight",
    )
    parser.add_argument("--rank", type=int, default=8, help="rank of the differences of the matrices")
    parser.add_argument(
        "--embedding-rank", type=int, default=64, help="rank of the difference of the embedding"
    )
    parser.add_argument(
        "--pool-tokens", type=int, default=600_000, help="tokens of the training pool (one epoch)"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=40.0,
        help="length of the run; the learning rate falls towards its end",
    )
    parser.add_argument("--epochs", type=int, default=1, help="passes over the pool at most")
    parser.add_argument("--batch-tokens", type=int, default=2048, help="tokens a step, padding included")
    parser.add_argument(
        "--micro-tokens", type=int, default=2048, help="tokens a forward pass; fewer need less memory"
    )
    parser.add_argument(
        "--learning-rate", type=float, default=2e-3, help="highest rate (2e-4 suits --train all)"
    )
    parser.add_argument("--warmup-steps", type=int, default=10, help="steps until the highest rate")
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of the gradients")
    parser.add_argument(
        "--bf16", action=argparse.BooleanOptionalAction, default=True, help="bfloat16 matrix products"
    )
    parser.add_argument(
        "--evaluate-minutes", type=float, default=8.0, help="time between evaluations and checkpoints"
    )
    parser.add_argument("--validation-tokens", type=int, default=4096, help="tokens of each validation set")
    documents.add_options(parser)
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(
        options,
        rank=4,
        embedding_rank=8,
        minutes=30.0,
        epochs=6,
        batch_tokens=256,
        micro_tokens=128,
        pool_tokens=3000,
        evaluate_minutes=30.0,
        validation_tokens=400,
        story_share=0.0,
        encyclopedia_share=0.0,
        book_share=0.0,
        bf16=False,
    )
    torch.manual_seed(options.seed)
    settings = Settings(**{name: getattr(options, name) for name in Settings.__dataclass_fields__})
    loaded = teacher.read_teacher(options.teacher)
    config, state, kept = student.read_student(options.base)
    tokenizer = student.cut_tokenizer(loaded.tokenizer_parts, kept)
    aligner = corpus.Aligner(tokenizer, loaded.tokenizer_parts.build())
    with join_processes(options.device) as processes:
        whole = build(loaded.config, loaded.state, torch.bfloat16).to(processes.device)
        first = first_pieces(loaded.tokenizer_parts, tokenizer).to(processes.device)
        sources = Sources(whole, first, config, kept, piece_lengths(tokenizer))
        pool = documents.training_pool(aligner, options, options.pool_tokens, options.seed)
        validation = documents.validation_sets(aligner, options.conversations, options.validation_tokens)
        model = build(config, state)
        heal(
            Run(model, sources, settings, options.folder, processes),
            pool,
            validation,
            options.evaluate_minutes,
        )


if __name__ == "__main__":
    finish(run, make_parser())
