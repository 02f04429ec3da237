"""Byte-pair encoding by llama2.c's rules: what its `encode` does with a tokenizer.bin, and how to train one.

Ids: 0 <unk>, 1 begin of text, 2 end of text, 3..258 the bytes 0..255, then the pieces; a piece's score says
how early its merge was learnt. Encoding puts a space in front of the text, takes each character as a piece
(or as its UTF-8 bytes where it is none), then joins again and again the adjacent pair whose union is the
piece of the highest score, the leftmost first.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from tokenizers import Tokenizer, models, trainers

UNKNOWN_ID = 0
BOS_ID = 1
EOS_ID = 2
FIRST_BYTE_ID = 3
FIRST_PIECE_ID = FIRST_BYTE_ID + 256
RESERVED = [b"<unk>", b"\n<s>\n", b"\n</s>\n"] + [
    f"<0x{byte:02X}>".encode() for byte in range(256)
]  # the texts of ids 0..258 in a tokenizer.bin

# What a trained piece may hold: letters or marks, with at most one space before; one digit; or spaces. Line
# ends and other control characters stay byte tokens.
WORD = re.compile(r" ?[^\W\d_]+| ?[^\w\s]+|_+|\d| +(?= )| |[^\S ]")
LED_BY_SPACES = re.compile(r" *[^ ]+| +")


@dataclass(frozen=True)
class Vocabulary:
    """A tokenizer.bin in memory: the bytes and the score of each id."""

    pieces: list[bytes]
    scores: list[float]
    _cache: dict[str, list[int]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def ids(self) -> dict[bytes, int]:
        """The id of each text; the reserved texts are in it, as in llama2.c."""
        return {piece: index for index, piece in reversed(list(enumerate(self.pieces)))}

    @cached_property
    def spaces_lead(self) -> bool:
        """Whether spaces only begin pieces: then no merge crosses the end of a word; words may be cached."""
        return all(b" " not in piece.lstrip(b" ") for piece in self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, without a begin mark."""
        if not text:
            return []
        if not self.spaces_lead:
            return merge(self, characters(self, " " + text))
        tokens: list[int] = []
        for word in LED_BY_SPACES.findall(" " + text):
            known = self._cache.get(word)
            if known is None:
                known = self._cache[word] = merge(self, characters(self, word))
            tokens += known
        return tokens

    def decode(self, tokens: Iterable[int]) -> str:
        """Text of ids as llama2.c prints them: a space right after a begin mark is dropped."""
        text, previous = b"", BOS_ID
        for token in tokens:
            if token in (BOS_ID, EOS_ID):
                piece = b""
            elif FIRST_BYTE_ID <= token < FIRST_PIECE_ID:
                piece = bytes([token - FIRST_BYTE_ID])
            else:
                piece = self.pieces[token]
            text += piece[1:] if previous == BOS_ID and piece.startswith(b" ") else piece
            previous = token
        return text.decode("utf-8", errors="replace")


def split_words(text: str) -> list[str]:
    """The words of WORD; together they are the text again."""
    return WORD.findall(text)


def characters(vocabulary: Vocabulary, text: str) -> list[int]:
    """One id a character, or one a UTF-8 byte where the character is no piece."""
    tokens: list[int] = []
    for character in text:
        encoded = character.encode("utf-8")
        piece = vocabulary.ids.get(encoded)
        tokens += [piece] if piece is not None else [FIRST_BYTE_ID + byte for byte in encoded]
    return tokens


def merge(vocabulary: Vocabulary, tokens: list[int]) -> list[int]:
    """Joins the best adjacent pair until none is a piece."""
    tokens = list(tokens)
    while True:
        best_score, best_id, best_index = float("-inf"), -1, -1
        for index in range(len(tokens) - 1):
            union = vocabulary.ids.get(
                vocabulary.pieces[tokens[index]] + vocabulary.pieces[tokens[index + 1]]
            )
            if union is not None and vocabulary.scores[union] > best_score:
                best_score, best_id, best_index = vocabulary.scores[union], union, index
        if best_index < 0:
            return tokens
        tokens[best_index : best_index + 2] = [best_id]


def train(texts: Iterable[str], size: int, rarest: int) -> tuple[Vocabulary, Tokenizer]:
    """Learns `size` ids from texts; characters seen fewer than `rarest` times stay byte tokens.

    Returns the vocabulary and the library's own encoder of words, which tests compare it with.
    """
    words = Counter(word for text in texts for word in split_words(" " + text))
    seen: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            seen[character] += count
    alphabet = sorted(c for c, count in seen.items() if count >= rarest and (c == " " or not c.isspace()))
    if size < FIRST_PIECE_ID + len(alphabet):
        raise ValueError(
            f"vocabulary size {size}: {FIRST_PIECE_ID + len(alphabet)} ids are needed before any merge"
        )
    library = Tokenizer(models.BPE())
    trainer = trainers.BpeTrainer(
        vocab_size=size - FIRST_PIECE_ID,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        show_progress=False,
    )
    library.train_from_iterator(
        (word for word, count in sorted(words.items()) for _ in range(count)), trainer
    )
    order = sorted(library.get_vocab().items(), key=lambda item: item[1])
    learnt = [piece for piece, _ in order if len(piece) > 1]  # in the order of their merges
    pieces = [piece.encode("utf-8") for piece in learnt + alphabet]
    scores = [0.0] * FIRST_PIECE_ID + [-float(rank) for rank in range(len(pieces))]
    return Vocabulary(RESERVED + pieces, scores), library
