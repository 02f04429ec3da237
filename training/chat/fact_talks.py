"""Conversations about plain facts, answered by sentences of our own: without any sampling.

    python -m training.chat.fact_talks --count 2500

The teacher still says, at every position, what it would say there; only the text that both read is ours. The
questions are those of prompts.py; a question without a sentence in ANSWERS is drawn again.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from training.chat import command, corpus, prompts
from training.common.commands import finish

FIRST_PLAN = 10_000_000  # plan numbers of sampled conversations stay far below

# A question, and how to answer it: {1}, {2} are its groups, {a} is the right answer. The first match counts.
ANSWERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r".*the capital(?: city)? of (.+)", ("The capital of {1} is {a}.", "{a} is the capital of {1}.")),
    (r"In which (country|city) (is|are) (.+)", ("{3} {2} in {a}.",)),
    (r"What language do people speak in (.+)", ("People in {1} speak {a}.", "They speak {a}.")),
    (r"Which language is spoken in (.+)", ("{a} is spoken in {1}.",)),
    (r"(?:On which|What) continent is (.+?)(?: in)?", ("{1} is in {a}.",)),
    (
        r"W\w+ (month|day|season) (?:comes|is) (after|before) (.+)",
        ("{a} comes {2} {3}.", "The {1} {2} {3} is {a}."),
    ),
    (r"What is the (\w+) month", ("The {1} month is {a}.", "{a} is the {1} month of the year.")),
    (r"What is (\w+) ?(?:\+|plus) ?(\w+)", ("{1} + {2} = {a}.", "{1} plus {2} is {a}.")),
    (r"How much is (\w+) plus (\w+)", ("{1} plus {2} is {a}.",)),
    (r"What is (\w+) minus (\w+)", ("{1} minus {2} is {a}.", "{1} - {2} = {a}.")),
    (r"What (?:number )?comes after (?:the number )?(\w+)", ("The number after {1} is {a}.",)),
    (r"I have \w+ apples and get \w+ more", ("You have {a} apples.", "Now you have {a} apples.")),
    (r"What is two times (\w+)", ("Two times {1} is {a}.",)),
    (r"What (?:sound )?does a (\w+) (?:make|say)", ("A {1} goes {a}.", "The sound of a {1} is a {a}.")),
    (r"What do (.+?) (?:like to )?eat", ("{1} eat {a}.", "{1} like to eat {a}.")),
    (r"What is a baby (\w+) called", ("A baby {1} is called a {a}.",)),
    (r"How many (\w+) does an? (\w+) have", ("A {2} has {a} {1}.",)),
    (r"How many (\w+) does the (.+) have", ("The {2} has {a} {1}.",)),
    (r"How many (\w+) do people have", ("People have {a} {1}.",)),
    (r"How many (.+?) are (in|on) (.+)", ("There are {a} {1} {2} {3}.", "{3} has {a} {1}.")),
    (r"How many (.+?) are there", ("There are {a} {1}.",)),
    (
        r"What is the opposite of (?:the word )?(\w+)",
        ("The opposite of {1} is {a}.", "{a} is the opposite of {1}."),
    ),
    (r"What (?:color is|is the color of) (.+)", ("{1} is {a}.", "The color of {1} is {a}.")),
    (r"How do you say (.+) in (\w+)", ("In {2}, you say {a}.", "{1} in {2} is {a}.")),
    (r"What is the (\w+) word for (.+)", ("The {1} word for {2} is {a}.",)),
    (r"Who (wrote|painted|invented|discovered) (.+)", ("{a} {1} {2}.", "It was {a}.")),
    (r"Who was (.+)", ("{a} was {1}.",)),
    (r"What is (\w+) made (?:of|from)", ("{1} is made from {a}.",)),
    (r"Which planet (.+)", ("{a} {1}.", "The planet is {a}.")),
    (r"(?:What|Which) is the (.+)", ("The {1} is the {a}.",)),
    (r"Which ocean is the largest", ("The Pacific Ocean is the largest.",)),
    (r"Is (.+?) (?:hot|big|a star|a fruit|a fish) or .+", ("{1} is {a}.",)),
)
FULL_NAMES = {
    "mercury": "Mercury", "mars": "Mars", "earth": "Earth", "saturn": "Saturn", "jupiter": "Jupiter",
    "pacific": "Pacific Ocean", "nile": "Nile", "everest": "Mount Everest", "whale": "blue whale",
    "shakespeare": "William Shakespeare", "leonardo": "Leonardo da Vinci", "washington": "George Washington",
    "armstrong": "Neil Armstrong", "edison": "Thomas Edison", "newton": "Isaac Newton",
    "new york": "New York",
    "star": "a star", "fruit": "a fruit", "mammal": "a mammal", "pup": "puppy", "nut": "nuts", "egg": "eggs",
    "insect": "insects", "seed": "seeds", "carrot": "carrots", "grape": "grapes", "tree": "wood",
    "adi": "adiós", "reykjav": "Reykjavik", "bras": "Brasilia", "mexico city": "Mexico City",
    "buenos aires": "Buenos Aires",
}  # fmt: skip
PROPER = (
    *prompts.facts.MONTHS,
    *prompts.facts.WEEKDAYS,
    *prompts.facts.CAPITALS.values(),
    *prompts.facts.CAPITALS,
)
PROPER_NAMES = {name.lower().removeprefix("the "): name for name in PROPER} | {
    name.lower(): name
    for table in (prompts.facts.LANGUAGES, prompts.facts.CONTINENTS)
    for values in table.values()
    for name in values.split("|")
}


def answer(turn: prompts.UserTurn) -> list[str]:
    """The sentences that answer a factual question; empty where none is known."""
    question = turn.text.rstrip("?.")
    if not turn.answers:
        return []
    plain = turn.answers[0]
    word = FULL_NAMES.get(plain) or PROPER_NAMES.get(plain, plain)
    for pattern, sentences in ANSWERS:
        found = re.fullmatch(pattern, question.split(". ")[0])
        if found:
            texts = [sentence.format(found.group(0), *found.groups(), a=word) for sentence in sentences]
            texts = [re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", text) for text in texts]
            return [text[0].upper() + text[1:] for text in texts]
    return []


def talks(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Records as `conversations` writes them, one to four questions each."""
    forbidden = prompts.load_held_out()
    for index in range(count):
        rng = Random(f"facts/{seed}/{index}")
        messages: list[dict[str, str]] = []
        wanted = rng.choices([1, 2, 3], weights=[4, 3, 2])[0]
        while len(messages) < 2 * wanted:
            turn = prompts.draw_fact(rng)
            texts = answer(turn)
            if texts and prompts.forbidden_key(turn.text) not in forbidden:
                messages += [
                    {"role": "user", "content": turn.text},
                    {"role": "assistant", "content": rng.choice(texts)},
                ]
        yield {
            "plan": FIRST_PLAN + index,
            "kind": "fact_talks",
            "system": rng.choice(prompts.FACT_SYSTEM_PROMPTS),
            "messages": messages,
        }


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser(
        "Write conversations about plain facts, with sentences of our own as answers."
    )
    parser.add_argument("--count", type=int, default=2500, help="conversations")
    parser.add_argument("--out", type=Path, default=command.BUILD / "fact_talks.jsonl", help="file to write")
    return parser


def run(options: argparse.Namespace) -> None:
    command.shrink(options, count=150)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w", encoding="utf-8") as stream:
        for record in talks(options.count, options.seed):
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(f"wrote {len(corpus.read_conversations(options.out))} conversations to {options.out}")


if __name__ == "__main__":
    finish(run, make_parser())
