"""What a student with fewer pieces should predict, from the distributions of a teacher with all of them.

At a boundary that both tokenisations share, the student's next piece is the first piece of whatever token
comes next for
the teacher: its target is the teacher's distribution summed over all tokens that begin with the same kept
piece. Inside a
word that only the student splits, the next piece is known from the text alone, and its cross-entropy is
taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from training.chat.corpus import AlignedDocument
from training.chat.llama import Llama
from training.chat.teacher import TokenizerParts

TEACHER_ROWS_AT_A_TIME = 256  # 49,152 logits each


def first_pieces(parts: TokenizerParts, student: Tokenizer) -> Tensor:
    """The student's id of the first piece of each of the teacher's tokens, int64 [teacher's vocabulary]."""
    end_of_text = 0
    first = []
    for piece in parts.pieces:
        known = student.token_to_id(piece)
        if known is None:
            tokens = [] if piece in parts.specials else student.model.tokenize(piece)
            known = tokens[0].id if tokens else end_of_text
        first.append(known)
    return torch.tensor(first)


@dataclass(frozen=True)
class AlignedBatch:
    """Documents padded on the right. Flat positions index [documents * length]."""

    student: Tensor  # [documents, student length]
    teacher: Tensor  # [documents, teacher length]
    aligned: Tensor  # flat student positions with a teacher's distribution
    teacher_at: Tensor  # flat teacher positions, one for each of `aligned`
    inner: Tensor  # flat student positions that have a next token but no teacher's distribution

    @property
    def predictions(self) -> int:
        return len(self.aligned) + len(self.inner)


def make_batch(documents: Sequence[AlignedDocument], device: torch.device) -> AlignedBatch:
    """Pads and flattens; the last position of a document predicts nothing."""
    width = max(len(one.student) for one in documents)
    teacher_width = max(len(one.teacher) for one in documents)
    student = torch.zeros(len(documents), width, dtype=torch.long)
    teacher = torch.zeros(len(documents), teacher_width, dtype=torch.long)
    aligned, teacher_at, inner = [], [], []
    for row, one in enumerate(documents):
        student[row, : len(one.student)] = torch.tensor(one.student)
        teacher[row, : len(one.teacher)] = torch.tensor(one.teacher)
        paired = dict(zip(one.student_positions, one.teacher_positions, strict=True))
        for position in range(len(one.student) - 1):
            if position in paired:
                aligned.append(row * width + position)
                teacher_at.append(row * teacher_width + paired[position])
            else:
                inner.append(row * width + position)
    tensors = [torch.tensor(part, dtype=torch.long, device=device) for part in (aligned, teacher_at, inner)]
    return AlignedBatch(student.to(device), teacher.to(device), *tensors)


@torch.no_grad()
def teacher_targets(teacher: Llama, first: Tensor, student_size: int, batch: AlignedBatch) -> Tensor:
    """The teacher's distributions over the student's pieces, float32 [aligned positions, student_size]."""
    hidden = teacher.hidden(batch.teacher).flatten(0, 1)[batch.teacher_at]
    targets = torch.zeros(len(hidden), student_size, device=hidden.device)
    for start in range(0, len(hidden), TEACHER_ROWS_AT_A_TIME):
        rows = slice(start, start + TEACHER_ROWS_AT_A_TIME)
        probabilities = F.linear(hidden[rows], teacher.embedding).float().softmax(-1)
        targets[rows].index_add_(1, first, probabilities)
    return targets


@dataclass(frozen=True)
class Losses:
    """Sums over a batch: what is trained on, and what is reported."""

    total: Tensor  # KL at the aligned positions plus cross-entropy at the inner ones, nats
    divergence: Tensor  # the KL part
    likelihood: Tensor  # cross-entropy of the text itself at every position, nats


def distillation_losses(student: Llama, targets: Tensor, batch: AlignedBatch, bf16: bool) -> Losses:
    """KL(teacher || student) at shared boundaries, cross-entropy inside words."""
    device = batch.student.device
    with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
        hidden = student.hidden(batch.student).flatten(0, 1)
        wanted = torch.cat([batch.aligned, batch.inner])
        logits = F.linear(hidden[wanted], student.embedding)
    scores = logits.float().log_softmax(-1)
    following = batch.student.roll(-1, dims=1).flatten()[wanted]
    losses = -scores.gather(1, following[:, None])[:, 0]
    count = len(batch.aligned)
    entropy = torch.special.xlogy(targets, targets).sum()
    divergence = entropy - (targets * scores[:count]).sum()
    return Losses(divergence + losses[count:].sum(), divergence.detach(), losses.sum().detach())
