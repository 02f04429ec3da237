"""Byte-level BPE with SmolLM2's pre-tokenizer, and the ChatML template around conversations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

END_OF_TEXT, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
SPECIAL_PIECES = (END_OF_TEXT, TURN_START, TURN_END)

DEFAULT_SYSTEM_PROMPT = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


@dataclass(frozen=True)
class Message:
    """One turn: role is system, user or assistant."""

    role: str
    content: str


def make_tokenizer(
    pieces: Sequence[str], merges: Iterable[tuple[str, str]], specials: Sequence[str]
) -> Tokenizer:
    """Pieces in order of id, in GPT-2's printable byte alphabet; digits are split one by one (pre-tokenizer
    `smollm`).
    """
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    if len(vocabulary) != len(pieces):
        raise ValueError(
            f"the vocabulary names a piece twice: {len(pieces)} pieces, {len(vocabulary)} of them distinct"
        )
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=list(merges)))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in specials])
    return tokenizer


def piece_lengths(tokenizer: Tokenizer) -> list[int]:
    """Bytes of text that each id stands for (a byte-level piece has one character a byte)."""
    return [len(tokenizer.id_to_token(index)) for index in range(tokenizer.get_vocab_size())]


def opening(system_prompt: str | None, user_text: str) -> str:
    """A conversation up to the point where the assistant answers the first user turn."""
    head = "" if system_prompt is None else f"{TURN_START}system\n{system_prompt}{TURN_END}\n"
    return f"{head}{TURN_START}user\n{user_text}{TURN_END}\n{TURN_START}assistant\n"


def next_turn(user_text: str) -> str:
    """What follows an assistant's last word: its end, the next user turn, the start of the next answer."""
    return f"{TURN_END}\n{TURN_START}user\n{user_text}{TURN_END}\n{TURN_START}assistant\n"


def render(messages: Sequence[Message]) -> str:
    """Whole conversation in ChatML, every turn ended."""
    return "".join(f"{TURN_START}{message.role}\n{message.content}{TURN_END}\n" for message in messages)
