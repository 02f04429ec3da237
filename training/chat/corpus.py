"""Texts to train on: generated conversations and plain documents, and how two tokenizers line up on them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from tokenizers import Tokenizer

from training.chat import jsonl
from training.chat.tokenizer import END_OF_TEXT, TURN_END, Message, piece_lengths, render

HELD_OUT_EVERY = 20  # of 20 plans one is never trained on
# For conversations that come without these: the shared ones, sampled with a prompt like this.
TRAINED_PLAN = 1
DEFAULT_SYSTEM = "You are a friendly companion. You answer in one or two short, simple sentences."


@dataclass(frozen=True)
class Conversation:
    """A generated conversation; the system prompt was only shown to the teacher."""

    plan: int
    kind: str
    system: str
    messages: tuple[Message, ...]


def read_conversations(path: Path) -> list[Conversation]:
    """Reads what `conversations` wrote, plain or gzipped."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            records = [json.loads(line) for line in stream]
    else:
        records = jsonl.read_lines(path)
    result = []
    for record in records:
        messages = tuple(Message(one["role"], one["content"]) for one in record["messages"])
        result.append(
            Conversation(
                record.get("plan", TRAINED_PLAN),
                record.get("kind", "unknown"),
                record.get("system", DEFAULT_SYSTEM),
                messages,
            )
        )
    if not result:
        raise ValueError(f"{path}: no conversation in it")
    return result


def split(conversations: Sequence[Conversation]) -> tuple[list[Conversation], list[Conversation]]:
    """Those to train on, and those held out. A held-out conversation never shares its first two turns with a
    trained one.
    """
    held_out = [one for one in conversations if one.plan % HELD_OUT_EVERY == 0]
    openings = {one.messages[:2] for one in held_out}
    trained = [
        one for one in conversations if one.plan % HELD_OUT_EVERY != 0 and one.messages[:2] not in openings
    ]
    return trained, held_out


def render_plain(conversation: Conversation) -> str:
    """The conversation as the student sees it, without the system prompt."""
    return render(conversation.messages)


def encode_answers(tokenizer: Tokenizer, conversation: Conversation) -> tuple[list[int], list[bool]]:
    """Tokens of the conversation, and which of them the assistant says (its end mark included)."""
    tokens: list[int] = []
    mine: list[bool] = []
    for message in conversation.messages:
        text = render([message])
        head = text.index("\n") + 1
        for part, said in (
            (text[:head], False),
            (message.content + TURN_END, message.role == "assistant"),
            ("\n", False),
        ):
            ids = tokenizer.encode(part).ids
            tokens += ids
            mine += [said] * len(ids)
    return tokens, mine


@dataclass(frozen=True)
class AlignedDocument:
    """One text in the tokens of student and teacher.

    student_positions[k] and teacher_positions[k] are positions after whose token both have
    read the same text.
    """

    student: tuple[int, ...]
    teacher: tuple[int, ...]
    student_positions: tuple[int, ...]
    teacher_positions: tuple[int, ...]


class Aligner:
    """Tokenises text twice and finds the boundaries that both tokenisations share."""

    def __init__(self, student: Tokenizer, teacher: Tokenizer) -> None:
        self._student, self._teacher = student, teacher
        self._student_lengths, self._teacher_lengths = piece_lengths(student), piece_lengths(teacher)

    def conversation(self, conversation: Conversation, max_tokens: int) -> AlignedDocument:
        """The teacher reads the system prompt first: its distributions are those of short answers."""
        hidden = render([Message("system", conversation.system)])
        return self._align(render_plain(conversation), hidden, max_tokens)

    def plain(self, text: str, max_tokens: int) -> AlignedDocument:
        return self._align(END_OF_TEXT + text, "", max_tokens)

    def _align(self, text: str, hidden: str, max_tokens: int) -> AlignedDocument:
        student = self._student.encode(text).ids[:max_tokens]
        prefix = self._teacher.encode(hidden).ids
        teacher = self._teacher.encode(text).ids
        ends = {end: i for i, end in enumerate(accumulate(self._student_lengths[token] for token in student))}
        pairs, used = [], 0
        for j, end in enumerate(accumulate(self._teacher_lengths[token] for token in teacher)):
            if end in ends:
                pairs.append((ends[end], len(prefix) + j))
                used = j + 1
        return AlignedDocument(
            tuple(student),
            tuple(prefix + teacher[:used]),
            tuple(i for i, _ in pairs),
            tuple(j for _, j in pairs),
        )
