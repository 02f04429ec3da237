"""Which of the teacher's answers are worth learning from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

BANNED = (
    "smollm",
    "hugging face",
    "language model",
    "as an ai",
    "ai assistant",
    "artificial intelligence",
    "openai",
    "http",
    "```",
    "chatbot",
    "assistant:",
    "user:",
    "text-based",
    "digital assistant",
    "can't assist",
    "cannot assist",
    "computer program",
    "virtual assistant",
    "training data",
    "<|",
    "[insert",
    "[your",
    "here's a revised",
    "the user",
    "amenitive",
)
MAX_LINES = 8
COMMON_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "be",
        "to",
        "of",
        "and",
        "in",
        "that",
        "it",
        "you",
        "i",
        "for",
        "on",
        "with",
        "as",
        "my",
        "your",
        "we",
        "they",
        "he",
        "she",
        "this",
        "have",
        "has",
        "can",
        "do",
        "at",
        "by",
        "from",
        "or",
        "but",
        "not",
        "so",
        "if",
        "what",
        "who",
        "how",
        "all",
        "some",
        "there",
        "their",
        "his",
        "her",
        "its",
        "our",
        "will",
        "would",
        "one",
        "like",
        "about",
    ]
)
PLAIN_EXTRAS = frozenset("“”‘’–—…°éèêáíóúñüöäçã½×÷")  # noqa: RUF001


def _normalised(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def holds_answer(text: str, answers: Sequence[str]) -> bool:
    """Whether one of the answers (lower case; letters as the start of a word, digits whole) stands in the
    text.
    """
    lowered = text.lower()
    for answer in answers:
        tail = r"(?!\d)" if answer[-1].isdigit() else ""
        if re.search(rf"(?<![a-z0-9]){re.escape(answer)}{tail}", lowered):
            return True
    return not answers


def repeats(text: str) -> bool:
    """Whether the text turns in circles: 4-grams, sentences, pairs or words that come back."""
    words = _normalised(text).split()
    grams = [tuple(words[i : i + 4]) for i in range(len(words) - 3)]
    if len(set(grams)) < 0.93 * len(grams):
        return True
    if any(words[i : i + 2] == words[i + 2 : i + 4] for i in range(len(words) - 3)):
        return True
    sentences = [one for one in (_normalised(part) for part in re.split(r"[.!?\n]", text)) if len(one) > 8]
    if len(set(sentences)) < len(sentences):
        return True
    return any(words[i] == words[i + 1] and len(words[i]) > 3 for i in range(len(words) - 1))


def says_the_same(first: str, second: str) -> bool:
    """Whether two texts share nearly all their words (Jaccard index of 0.7 or more)."""
    one, other = set(_normalised(first).split()), set(_normalised(second).split())
    return len(one & other) >= 0.7 * len(one | other)


def adds_nothing(user: str, answer: str) -> bool:
    """Whether the answer holds no word of weight that the user did not say."""
    new = set(_normalised(answer).split()) - set(_normalised(user).split()) - COMMON_WORDS
    return not new


def is_english(text: str) -> bool:
    """Plain letters, and in longer texts a fair share of the commonest English words."""
    if any(not (character.isascii() or character in PLAIN_EXTRAS) for character in text):
        return False
    words = _normalised(text).split()
    return len(words) < 10 or sum(word in COMMON_WORDS for word in words) >= 0.2 * len(words)


def hopeless(beginning: str) -> bool:
    """Whether an answer will be refused however it ends: it turns in circles, is banned, foreign, or a long
    list.
    """
    lowered = beginning.lower()
    banned = any(word in lowered for word in BANNED)
    return (
        banned
        or repeats(beginning)
        or not is_english(beginning)
        or lowered.count("\n") > MAX_LINES
        or "\n2. " in lowered
    )


class AnswerFilter:
    """Judges answers one after the other; remembers what was kept, to refuse duplicates."""

    def __init__(self, max_words: int = 75, max_same_answer: int = 8, max_same_pair: int = 2) -> None:
        self._max_words, self._max_same_answer, self._max_same_pair = (
            max_words,
            max_same_answer,
            max_same_pair,
        )
        self._answers: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()

    def remember(self, user: str, answer: str) -> None:
        self._answers[_normalised(answer)] += 1
        self._pairs[_normalised(user), _normalised(answer)] += 1

    def refuse(
        self, user: str, answer: str, ended: bool, answers: Sequence[str], earlier: Sequence[str]
    ) -> str | None:
        """The reason to throw the answer away, or None. `earlier` holds the assistant's previous answers."""
        plain = _normalised(answer)
        if not ended:
            return "not ended"
        if not plain:
            return "empty"
        if len(plain.split()) > self._max_words or answer.count("\n") > MAX_LINES:
            return "too long"
        if any(word in answer.lower() for word in BANNED):
            return "banned words"
        if not is_english(answer):
            return "not English"
        if repeats(answer):
            return "repeats"
        if plain == _normalised(user) or plain in (_normalised(one) for one in earlier):
            return "echo"
        if not answers and (adds_nothing(user, answer) or any(says_the_same(answer, one) for one in earlier)):
            return "echo"
        if not holds_answer(answer, answers):
            return "wrong answer"
        if (
            self._answers[plain] >= self._max_same_answer
            or self._pairs[_normalised(user), plain] >= self._max_same_pair
        ):
            return "duplicate"
        return None
