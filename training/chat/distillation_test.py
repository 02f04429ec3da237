"""How two tokenisations line up, and what the student is asked to predict."""

from __future__ import annotations

import pytest
import torch

from training.chat import corpus, vocabulary
from training.chat.distillation import distillation_losses, first_pieces, make_batch, teacher_targets
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
    assert torch.allclose(targets.sum(1), torch.ones(len(targets)), atol=1e-4)
    with torch.no_grad():
        probabilities = teacher(batch.teacher)[0, batch.teacher_at[5]].softmax(-1)
    piece = int(first.bincount(minlength=len(kept)).argmax())
    assert torch.isclose(targets[5, piece], probabilities[first == piece].sum(), atol=1e-5)
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
