"""Lets the teacher or a student answer the held-out first turns; counts what is right, ended, repeated.

    python -m training.chat.answers --model build/chat/heal-16384-1152/healed.pt

A look before quantisation; what ships is judged by the engine.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer

from training.chat import command, jsonl, teacher
from training.chat.filters import holds_answer
from training.chat.llama import Llama
from training.chat.sampling import RowDecoder, sample
from training.chat.student import load_student
from training.chat.tokenizer import TURN_END, opening
from training.common.commands import finish
from training.common.places import shared_folder


@dataclass(frozen=True)
class Answer:
    """What was said to one prompt."""

    text: str
    ended: bool


def answer_all(
    model: Llama,
    tokenizer: Tokenizer,
    prompts: Sequence[str],
    system: str | None,
    temperature: float,
    max_tokens: int,
    seed: int,
) -> list[Answer]:
    """All answers in one batch; temperature 0 takes the likeliest piece."""
    stop = tokenizer.token_to_id(TURN_END)
    heads = [tokenizer.encode(opening(system, prompt)).ids for prompt in prompts]
    decoder = RowDecoder(model, len(prompts), max(map(len, heads)) + max_tokens)
    generator = torch.Generator(device=model.embedding.device).manual_seed(seed)
    temperatures = torch.full((len(prompts),), temperature, device=model.embedding.device)
    spoken: list[list[int]] = [[] for _ in prompts]
    open_rows = torch.ones(len(prompts), dtype=torch.bool)
    logits = decoder.feed(list(range(len(prompts))), heads)
    for _ in range(max_tokens):
        drawn = sample(logits, temperatures, top_k=40, top_p=0.95, generator=generator)
        for row, token in enumerate(drawn.tolist()):
            if open_rows[row] and token != stop:
                spoken[row].append(token)
            open_rows[row] &= token != stop
        if not open_rows.any():
            break
        logits = decoder.step(drawn, open_rows.to(drawn.device))
    return [
        Answer(tokenizer.decode(tokens).strip(), not bool(going))
        for tokens, going in zip(spoken, open_rows, strict=True)
    ]


def repeated_share(texts: Sequence[str]) -> float:
    """Share of the 4-grams of words that stood earlier in the same text."""
    repeated = total = 0
    for text in texts:
        words = text.lower().split()
        grams = [tuple(words[i : i + 4]) for i in range(len(words) - 3)]
        repeated, total = repeated + len(grams) - len(set(grams)), total + len(grams)
    return repeated / max(1, total)


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Answers to the held-out prompts.")
    parser.add_argument("--model", type=Path, help="student file; without it the teacher answers")
    parser.add_argument(
        "--kept",
        type=Path,
        default=command.COMMITTED / "kept-16384.json",
        help="kept pieces of a .pspm model",
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument("--prompts", default=str(shared_folder() / "data/chat/prompts.jsonl"), help="JSONL")
    parser.add_argument("--system", help="system prompt; students are trained to do without")
    parser.add_argument("--temperature", type=float, default=0.0, help="0 takes the likeliest piece")
    parser.add_argument("--max-tokens", type=int, default=64, help="length of an answer at most")
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(options, max_tokens=12)
    loaded = teacher.read_teacher(options.teacher)
    student = load_student(options.model, loaded, options.kept)
    model, tokenizer = student.model.to(command.choose_device(options.device)), student.tokenizer
    records = jsonl.read_lines(Path(options.prompts))
    prompts = [record["prompt"] for record in records]
    answers = answer_all(
        model, tokenizer, prompts, options.system, options.temperature, options.max_tokens, options.seed
    )
    checked = right = 0
    for record, answer in zip(records, answers, strict=True):
        print(f"{record['prompt']}\n    {answer.text!r}{'' if answer.ended else ' …'}")
        if record["any_of"]:
            checked += 1
            right += holds_answer(answer.text, [word.lower() for word in record["any_of"]])
    ended = sum(answer.ended for answer in answers)
    repeated = 100 * repeated_share([answer.text for answer in answers])
    print(f"right words {right}/{checked}, ended {ended}/{len(answers)}, repeated 4-grams {repeated:.1f} %")


if __name__ == "__main__":
    finish(run, make_parser())
