"""Generates conversations with the full-vocabulary teacher, and keeps those worth learning from.

    python -m training.chat.conversations --minutes 60

Appends to a JSONL file; run again, it goes on with the next plan. Plan number k of a seed is always the same.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Tokenizer
from tqdm import tqdm

from training.chat import command, jsonl, prompts, teacher
from training.chat.command import choose_device
from training.chat.filters import AnswerFilter, hopeless
from training.chat.llama import Llama, build
from training.chat.sampling import RowDecoder, sample
from training.chat.tokenizer import END_OF_TEXT, TURN_END, next_turn, opening
from training.common.commands import finish

LOOK_EVERY = 16  # tokens after which an unfinished answer is looked at


@dataclass(frozen=True)
class Settings:
    """How answers are drawn."""

    rows: int = 128
    context: int = 256
    max_answer_tokens: int = 96
    prefill_rows: int = 16
    top_k: int = 40
    top_p: float = 0.9


@dataclass
class Conversation:
    """One that is being held in a row of the decoder."""

    plan_index: int
    plan: prompts.Plan
    messages: list[dict[str, str]] = field(default_factory=list)
    answer: list[int] = field(default_factory=list)
    used: int = 0  # tokens in the row's cache

    @property
    def turn(self) -> prompts.UserTurn:
        return self.plan.turns[len(self.messages) // 2]


@dataclass
class Counts:
    """What became of the answers."""

    sampled_tokens: int = 0
    kept_tokens: int = 0
    kept_answers: int = 0
    conversations: int = 0
    refused: Counter[str] = field(default_factory=Counter)


class Generator:
    """Keeps every row of the decoder busy with a conversation."""

    def __init__(
        self, model: Llama, tokenizer: Tokenizer, settings: Settings, seed: int, first_plan: int
    ) -> None:
        self._tokenizer, self._settings, self._seed = tokenizer, settings, seed
        self._decoder = RowDecoder(model, settings.rows, settings.context)
        self._device = model.embedding.device
        self._random = torch.Generator(device=self._device).manual_seed(seed * 1_000_003 + first_plan)
        self._stops = {tokenizer.token_to_id(TURN_END), tokenizer.token_to_id(END_OF_TEXT)}
        self._forbidden = prompts.load_held_out()
        self._next_plan = first_plan
        self._rows: list[Conversation | None] = [None] * settings.rows
        self._waiting: deque[tuple[int, list[int]]] = deque()
        self._tokens = torch.zeros(settings.rows, dtype=torch.long)
        self._temperatures = torch.ones(settings.rows)
        self._active = [False] * settings.rows
        self.filter = AnswerFilter()
        self.counts = Counts()
        self._finished: list[dict[str, Any]] = []

    def advance(self) -> list[dict[str, Any]]:
        """One forward pass; the conversations that ended in it."""
        for row, conversation in enumerate(self._rows):
            if conversation is None:
                self._start(row)
        if len(self._waiting) >= self._settings.prefill_rows or not any(self._active):
            self._feed()
        else:
            self._step()
        finished, self._finished = self._finished, []
        return finished

    def _start(self, row: int) -> None:
        plan = prompts.draw_plan(Random(f"{self._seed}/{self._next_plan}"), self._forbidden)
        conversation = Conversation(self._next_plan, plan)
        self._next_plan += 1
        self._rows[row] = conversation
        self._decoder.reset(row)
        self._enqueue(row, opening(plan.system, conversation.turn.text))

    def _enqueue(self, row: int, text: str) -> None:
        self._active[row] = False
        self._waiting.append((row, self._tokenizer.encode(text).ids))

    def _feed(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), self._settings.prefill_rows))]
        rows = [row for row, _ in batch]
        for row, tokens in batch:
            conversation = self._rows[row]
            assert conversation is not None
            conversation.used += len(tokens)
            self._temperatures[row] = conversation.turn.temperature
        logits = self._decoder.feed(rows, [tokens for _, tokens in batch])
        self._take(rows, logits, self._temperatures[rows])

    def _step(self) -> None:
        active = torch.tensor(self._active)
        logits = self._decoder.step(self._tokens.to(self._device), active.to(self._device))
        rows = [row for row, on in enumerate(self._active) if on]
        for row in rows:
            self._rows[row].used += 1  # type: ignore[union-attr]
        self._take(rows, logits[torch.tensor(rows, device=self._device)], self._temperatures[rows])

    def _take(self, rows: list[int], logits: torch.Tensor, temperatures: torch.Tensor) -> None:
        settings = self._settings
        drawn = sample(
            logits, temperatures.to(self._device), settings.top_k, settings.top_p, self._random
        ).tolist()
        self.counts.sampled_tokens += len(rows)
        for row, token in zip(rows, drawn, strict=True):
            conversation = self._rows[row]
            assert conversation is not None
            if token in self._stops:
                self._end_answer(row, conversation, ended=True)
                continue
            conversation.answer.append(token)
            if len(conversation.answer) % LOOK_EVERY == 0 and hopeless(
                self._tokenizer.decode(conversation.answer)
            ):
                self.counts.refused["given up"] += 1
                self._end_conversation(row, conversation)
                continue
            if (
                len(conversation.answer) >= settings.max_answer_tokens
                or conversation.used + 1 >= settings.context
            ):
                self._end_answer(row, conversation, ended=False)
            else:
                self._tokens[row] = token
                self._active[row] = True

    def _end_answer(self, row: int, conversation: Conversation, ended: bool) -> None:
        user, text = conversation.turn, self._tokenizer.decode(conversation.answer).strip()
        earlier = [message["content"] for message in conversation.messages if message["role"] == "assistant"]
        reason = self.filter.refuse(user.text, text, ended, user.answers, earlier)
        if reason is not None:
            self.counts.refused[reason] += 1
            self._end_conversation(row, conversation)
            return
        self.filter.remember(user.text, text)
        self.counts.kept_tokens += len(conversation.answer)
        self.counts.kept_answers += 1
        conversation.messages += [
            {"role": "user", "content": user.text},
            {"role": "assistant", "content": text},
        ]
        conversation.answer = []
        if len(conversation.messages) // 2 == len(conversation.plan.turns):
            self._end_conversation(row, conversation)
            return
        following = next_turn(conversation.turn.text)
        if conversation.used + len(self._tokenizer.encode(following).ids) + 24 > self._settings.context:
            self._end_conversation(row, conversation)
        else:
            self._enqueue(row, following)

    def _end_conversation(self, row: int, conversation: Conversation) -> None:
        self._rows[row], self._active[row] = None, False
        if conversation.messages:
            plan = conversation.plan
            record = {"plan": conversation.plan_index, "kind": plan.kind, "system": plan.system}
            self._finished.append({**record, "messages": conversation.messages})
            self.counts.conversations += 1


def resume_point(path: Path, answers: AnswerFilter | None = None) -> int:
    """The first plan not in the file yet; what was kept before is remembered by the filter, against
    duplicates.
    """
    if not path.exists():
        return 0
    jsonl.open_for_append(path).close()
    first = 0
    for record in jsonl.read_lines(path):
        first = max(first, record["plan"] + 1)
        turns = record["messages"]
        for user, answer in zip(turns[::2], turns[1::2], strict=True):
            if answers is not None:
                answers.remember(user["content"], answer["content"])
    return first


def generate(
    model: Llama,
    tokenizer: Tokenizer,
    out: Path,
    settings: Settings,
    seed: int,
    minutes: float,
    target_tokens: int,
) -> Counts:
    """Appends conversations to `out` until the time is over or target_tokens of answers were kept."""
    generator = Generator(model, tokenizer, settings, seed, resume_point(out))
    resume_point(out, generator.filter)
    start, counts, last_log = time.monotonic(), generator.counts, 0.0
    log = out.with_suffix(".log.jsonl")
    with (
        jsonl.open_for_append(out) as stream,
        jsonl.open_for_append(log) as log_stream,
        tqdm(total=target_tokens, unit="tok", desc="kept", mininterval=5) as bar,
    ):
        while counts.kept_tokens < target_tokens and (elapsed := time.monotonic() - start) < minutes * 60:
            for record in generator.advance():
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
            stream.flush()
            bar.update(counts.kept_tokens - bar.n)
            if elapsed - last_log >= 30:
                last_log = elapsed
                log_stream.write(json.dumps(summary(counts, elapsed)) + "\n")
                log_stream.flush()
        log_stream.write(json.dumps(summary(counts, time.monotonic() - start)) + "\n")
    return counts


def summary(counts: Counts, seconds: float) -> dict[str, Any]:
    return {
        "seconds": round(seconds, 1),
        "sampled_tokens": counts.sampled_tokens,
        "kept_tokens": counts.kept_tokens,
        "kept_answers": counts.kept_answers,
        "conversations": counts.conversations,
        "tokens_per_second": round(counts.sampled_tokens / max(seconds, 1e-9), 1),
        "refused": dict(counts.refused),
    }


def make_parser() -> argparse.ArgumentParser:
    defaults = Settings()
    parser = command.make_parser("Generate conversations with the teacher.")
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--out", type=Path, default=command.BUILD / "conversations.jsonl", help="file to append to"
    )
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after this time")
    parser.add_argument(
        "--tokens", type=int, default=2_000_000, help="stop after so many kept tokens of answers"
    )
    parser.add_argument("--rows", type=int, default=defaults.rows, help="conversations held at the same time")
    parser.add_argument(
        "--context", type=int, default=defaults.context, help="tokens of a conversation at most"
    )
    parser.add_argument(
        "--max-answer-tokens", type=int, default=defaults.max_answer_tokens, help="longer answers are cut off"
    )
    parser.add_argument("--top-k", type=int, default=defaults.top_k, help="candidates for each token")
    parser.add_argument(
        "--top-p", type=float, default=defaults.top_p, help="share of their probability that is drawn from"
    )
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(options, minutes=1.0, tokens=400, rows=8, context=128, max_answer_tokens=24)
    torch.manual_seed(options.seed)
    loaded = teacher.read_teacher(options.teacher)
    model = build(loaded.config, loaded.state).to(choose_device(options.device))
    settings = Settings(
        options.rows,
        options.context,
        options.max_answer_tokens,
        Settings.prefill_rows,
        options.top_k,
        options.top_p,
    )
    started = time.monotonic()
    tokenizer = loaded.tokenizer_parts.build()
    counts = generate(model, tokenizer, options.out, settings, options.seed, options.minutes, options.tokens)
    print(json.dumps(summary(counts, time.monotonic() - started), indent=1))


if __name__ == "__main__":
    finish(run, make_parser())
