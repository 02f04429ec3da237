"""The kept pieces are closed under merging, reachable, and hold what was forced."""

from __future__ import annotations

from training.chat import vocabulary
from training.chat.student import cut_tokenizer
from training.chat.teacher import Teacher

TEXT = "What is the capital of Italy? It is Rome, my friend! Ünïcödé 123\n\n  tabs\tand 🙂"


def test_kept_pieces_are_reached_by_kept_merges(tiny_teacher: Teacher) -> None:
    parts = tiny_teacher.tokenizer_parts
    full = parts.build()
    counts = vocabulary.mixed_counts(full, {vocabulary.CHAT: [TEXT]})
    forced = vocabulary.forced_pieces(parts.pieces)
    assert any(parts.pieces[index] == "Ġblue" for index in forced)
    for size in (360, 480):
        kept = vocabulary.choose(parts, counts, size, forced if size == 480 else set())
        cut = cut_tokenizer(parts, kept)
        assert len(kept) == size == cut.get_vocab_size()
        assert not vocabulary.unreachable(cut, [parts.pieces[index] for index in kept])
        assert cut.decode(cut.encode(TEXT).ids) == TEXT
        if size == 480:
            assert forced <= set(kept)


def test_frequent_pieces_stay(tiny_teacher: Teacher) -> None:
    parts = tiny_teacher.tokenizer_parts
    full = parts.build()
    counts = vocabulary.mixed_counts(full, {vocabulary.CHAT: ["What is the capital?"] * 9})
    cut = cut_tokenizer(parts, vocabulary.choose(parts, counts, 300, set()))
    assert len(cut.encode("What is the capital?").ids) == len(full.encode("What is the capital?").ids)
    assert len(cut.encode("What color is grass?").ids) > len(full.encode("What color is grass?").ids)
