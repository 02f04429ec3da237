"""How two tokenisations line up, and what the student is asked to predict."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from training.chat import corpus, vocabulary
from training.chat.distillation import (
    TARGET_PIECES,
    Targets,
    TeacherTargets,
    distillation_losses,
    divergences,
    first_pieces,
    make_batch,
    teacher_targets,
)
from training.chat.llama import build
from training.chat.student import cut_state, cut_tokenizer
from training.chat.teacher import Teacher
from training.chat.tokenizer import Message, piece_lengths

CONVERSATION = corpus.Conversation(
    1,
    "facts",
    "Be brief.",
    (Message("user", "What color is an elephant?"), Message("assistant", "It is gray, naïve friend.")),
)


@pytest.fixture(scope="module")
def kept(tiny_teacher: Teacher) -> list[int]:
    full = tiny_teacher.tokenizer_parts.build()
    counts = vocabulary.mixed_counts(full, {vocabulary.CHAT: ["Hello my friend"]})
    return vocabulary.choose(tiny_teacher.tokenizer_parts, counts, 400, set())


def test_aligned_positions_have_read_the_same_text(tiny_teacher: Teacher, kept: list[int]) -> None:
    full, cut = tiny_teacher.tokenizer_parts.build(), cut_tokenizer(tiny_teacher.tokenizer_parts, kept)
    document = corpus.Aligner(cut, full).conversation(CONVERSATION, 500)
    assert len(document.student) > len(document.student_positions) > 20
    for i, j in zip(document.student_positions, document.teacher_positions, strict=True):
        ours = cut.decode(list(document.student[: i + 1]), skip_special_tokens=False)
        theirs = full.decode(list(document.teacher[: j + 1]), skip_special_tokens=False)
        assert theirs == "<|im_start|>system\nBe brief.<|im_end|>\n" + ours
    assert piece_lengths(full)[full.token_to_id("Ġblue")] == len(" blue")
    short = corpus.Aligner(cut, full).conversation(CONVERSATION, 20)
    assert len(short.student) == 20
    assert max(short.student_positions) <= 19


def test_targets_sum_over_tokens_with_the_same_beginning(tiny_teacher: Teacher, kept: list[int]) -> None:
    full, cut = tiny_teacher.tokenizer_parts.build(), cut_tokenizer(tiny_teacher.tokenizer_parts, kept)
    first = first_pieces(tiny_teacher.tokenizer_parts, cut)
    teacher = build(tiny_teacher.config, tiny_teacher.state)
    batch = make_batch([corpus.Aligner(cut, full).conversation(CONVERSATION, 500)], torch.device("cpu"))
    targets = teacher_targets(teacher, first, len(kept), batch)
    assert targets.pieces.shape == targets.probabilities.shape == (len(batch.aligned), TARGET_PIECES)
    sums = targets.probabilities.float().sum(1)
    assert bool((sums < 1.001).all() and (sums > 0.5).all())
    with torch.no_grad():
        probabilities = teacher(batch.teacher)[0, batch.teacher_at[5]].softmax(-1)
    piece = int(first.bincount(minlength=len(kept)).argmax())
    kept_at = (targets.pieces[5] == piece).nonzero().flatten()
    assert torch.isclose(
        targets.probabilities[5, kept_at].float(), probabilities[first == piece].sum(), atol=1e-3
    )
    assert batch.predictions == batch.student.shape[1] - 1


def test_the_teacher_itself_has_no_divergence(tiny_teacher: Teacher) -> None:
    full = tiny_teacher.tokenizer_parts.build()
    kept = list(range(len(tiny_teacher.tokenizer_parts.pieces)))
    config, state = cut_state(tiny_teacher, kept)
    model = build(config, state)
    plain = corpus.Aligner(full, full).plain("The capital is Rome.", 500)
    other = corpus.Aligner(full, full).plain("It is blue. " * 4, 500)
    batch = make_batch([plain, other], torch.device("cpu"))
    assert len(batch.inner) == 0
    targets = teacher_targets(model, first_pieces(tiny_teacher.tokenizer_parts, full), len(kept), batch)
    losses = distillation_losses(model, targets, batch, bf16=False)
    assert abs(float(losses.divergence)) < 1e-3
    assert float(losses.likelihood) > 1.0


def test_divergence_of_kept_pieces_bounds_the_whole_one() -> None:
    generator = torch.Generator().manual_seed(1)
    wanted = torch.randn(5, 100, generator=generator).mul(2).softmax(-1)
    scores = torch.randn(5, 100, generator=generator).log_softmax(-1)
    whole = (wanted * (wanted.log() - scores)).sum(1)
    sizes = {}
    for kept in (10, 60, 100):
        best = wanted.topk(kept, dim=1)
        sizes[kept] = divergences(scores, Targets(best.indices.to(torch.int16), best.values))
        assert bool((sizes[kept] <= whole + 1e-5).all())
        assert bool((sizes[kept] > 0).all())
    assert torch.allclose(sizes[100], whole, atol=1e-4)
    assert bool((sizes[10] < sizes[60]).all())


def test_remembered_targets_are_those_of_a_fresh_teacher(tiny_teacher: Teacher, tmp_path: Path) -> None:
    full = tiny_teacher.tokenizer_parts.build()
    first = first_pieces(tiny_teacher.tokenizer_parts, full)
    teacher, size = build(tiny_teacher.config, tiny_teacher.state), len(tiny_teacher.tokenizer_parts.pieces)
    aligner = corpus.Aligner(full, full)
    texts = [aligner.plain(text, 500) for text in ("It is blue.", "The capital of Italy is Rome.", "Hello!")]
    batch = make_batch(texts, torch.device("cpu"))
    remembering = TeacherTargets(teacher, first, size)
    remembering(texts[1:2], make_batch(texts[1:2], torch.device("cpu")))
    remembering.save(tmp_path / "targets.pt")
    again = TeacherTargets(teacher, first, size)
    again.load(tmp_path / "targets.pt")
    direct, mixed = teacher_targets(teacher, first, size, batch), again(texts, batch)
    assert torch.allclose(direct.probabilities.float(), mixed.probabilities.float(), atol=2e-3)
    with pytest.raises(ValueError, match="pieces, not 77"):
        TeacherTargets(teacher, first, 77).load(tmp_path / "targets.pt")
