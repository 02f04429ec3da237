"""The encoder against llama2.c's rule on whole texts, and against the library that learnt the merges."""

import random

import pytest

from training.common import bpe

TEXTS = [
    "Once upon a time there was a dog. The dog was big, and the cat was small.",
    'The cat said, "Hello, dog!"\nThe dog said, "Hello, cat! Let us play."',
    "They ran and ran. Then they were tired, so they sat in the sun all day.",
] * 30


@pytest.fixture(scope="module")
def trained() -> tuple[bpe.Vocabulary, object]:
    return bpe.train(TEXTS, 340, rarest=5)


def test_reserved_ids_and_size(trained: tuple[bpe.Vocabulary, object]) -> None:
    vocabulary = trained[0]
    assert len(vocabulary) == 340
    assert vocabulary.pieces[:3] == [b"<unk>", b"\n<s>\n", b"\n</s>\n"]
    assert vocabulary.pieces[3] == b"<0x00>"
    assert vocabulary.pieces[3 + 0xAB] == b"<0xAB>"
    assert b" " in vocabulary.pieces[bpe.FIRST_PIECE_ID :]
    assert len(set(vocabulary.pieces)) == 340
    assert len(set(vocabulary.scores[bpe.FIRST_PIECE_ID :])) == 340 - bpe.FIRST_PIECE_ID


def test_word_by_word_is_the_rule_on_the_whole_text(trained: tuple[bpe.Vocabulary, object]) -> None:
    vocabulary = trained[0]
    generator = random.Random(1)
    letters = "aabcdeeghhlnoorstTuy  .,!\"\n'é“<>0x4A"
    for length in range(1, 120):
        text = "".join(generator.choices(letters, k=length))
        whole = bpe.merge(vocabulary, bpe.characters(vocabulary, " " + text))
        assert vocabulary.encode(text) == whole, text


def test_a_piece_with_an_inner_space_is_merged_over_the_whole_text() -> None:
    pieces = [*bpe.RESERVED, b" ", b"a", b"b", b"a ", b"a b"]
    vocabulary = bpe.Vocabulary(pieces, [0.0] * 259 + [-9.0, -8.0, -7.0, -1.0, -2.0])
    assert [vocabulary.pieces[token] for token in vocabulary.encode("a b")] == [b" ", b"a b"]


def test_merges_are_those_that_the_library_learnt(trained: tuple[bpe.Vocabulary, object]) -> None:
    vocabulary, library = trained
    words = {word for text in TEXTS for word in bpe.split_words(" " + text)} - {"\n"}
    for word in words:
        ours = [
            vocabulary.pieces[token].decode()
            for token in bpe.merge(vocabulary, bpe.characters(vocabulary, word))
        ]
        assert ours == library.encode(word).tokens  # type: ignore[attr-defined]


def test_text_comes_back(trained: tuple[bpe.Vocabulary, object]) -> None:
    vocabulary = trained[0]
    for text in ["A dog.", "  two spaces", "line\nline\n\n", "tab\t“é” 😀", "<0x0A>", "_x_ 12"]:
        assert vocabulary.decode(vocabulary.encode(text)) == text
    assert vocabulary.encode("") == []


def test_line_ends_are_byte_tokens(trained: tuple[bpe.Vocabulary, object]) -> None:
    assert bpe.FIRST_BYTE_ID + ord("\n") in trained[0].encode("dog\ndog")


def test_too_small_a_vocabulary_is_refused() -> None:
    with pytest.raises(ValueError, match="needed before any merge"):
        bpe.train(TEXTS, 262, rarest=1)
