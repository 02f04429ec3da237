"""What a student with fewer pieces should predict, from the distributions of a teacher with all of them.

At a boundary that both tokenisations share, the student's next piece is the first piece of whatever token
comes next for
the teacher: its target is the teacher's distribution summed over all tokens that begin with the same kept
piece. Inside a
word that only the student splits, the next piece is known from the text alone, and its cross-entropy is
taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from training.chat.corpus import AlignedDocument
from training.chat.llama import Llama
from training.chat.precision import autocast
from training.chat.teacher import TokenizerParts
from training.common.checkpoint import load_checkpoint, save_checkpoint

TEACHER_ROWS_AT_A_TIME = 256  # 49,152 logits each
TARGET_PIECES = 64  # likeliest pieces of a target that are kept one by one: 256 bytes a position
SMALLEST_REST = 1e-6  # of the student's probability beyond them, against the logarithm of a rounding error


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


@dataclass(frozen=True)
class Targets:
    """Distributions over the student's pieces: the likeliest pieces of each; the rest is known by its sum."""

    pieces: Tensor  # int16 (vocabularies below 32,768 pieces) or int32 [aligned positions, kept pieces]
    probabilities: Tensor  # float16 [aligned positions, kept pieces]

    def __len__(self) -> int:
        return len(self.pieces)


@torch.no_grad()
def teacher_targets(
    teacher: Llama, first: Tensor, student_size: int, batch: AlignedBatch, kept: int = TARGET_PIECES
) -> Targets:
    """The teacher's distributions over the student's pieces at the aligned positions."""
    hidden = teacher.hidden(batch.teacher).flatten(0, 1)[batch.teacher_at]
    index_type = torch.int16 if student_size <= 1 << 15 else torch.int32
    pieces, values = [], []
    for part in hidden.split(TEACHER_ROWS_AT_A_TIME):
        probabilities = F.linear(part, teacher.embedding).float().softmax(-1)
        dense = torch.zeros(len(part), student_size, device=hidden.device)
        dense.index_add_(1, first, probabilities)
        best = dense.topk(min(kept, student_size), dim=1)
        pieces.append(best.indices.to(index_type))
        values.append(best.values.half())
    return Targets(torch.cat(pieces), torch.cat(values))


class TeacherTargets:
    """The teacher's targets of documents; those asked for before are remembered, also in a file."""

    def __init__(self, teacher: Llama, first: Tensor, student_size: int) -> None:
        self._teacher, self._first, self._student_size = teacher, first, student_size
        self._known: dict[str, tuple[Tensor, Tensor]] = {}

    def __call__(self, documents: Sequence[AlignedDocument], batch: AlignedBatch) -> Targets:
        """Targets of a batch that make_batch made of these documents."""
        device = batch.student.device
        missing = [one for one in documents if _digest(one) not in self._known]
        if missing:
            part = make_batch(missing, device)
            computed = teacher_targets(self._teacher, self._first, self._student_size, part)
            counts = [_aligned_count(one) for one in missing]
            rows = zip(
                computed.pieces.cpu().split(counts), computed.probabilities.cpu().split(counts), strict=True
            )
            for one, (pieces, values) in zip(missing, rows, strict=True):
                self._known[_digest(one)] = (pieces.clone(), values.clone())
        found = [self._known[_digest(one)] for one in documents]
        return Targets(
            torch.cat([pieces for pieces, _ in found]).to(device),
            torch.cat([values for _, values in found]).to(device),
        )

    def save(self, path: Path) -> None:
        save_checkpoint(path, {"student_size": self._student_size, "known": self._known})

    def load(self, path: Path) -> None:
        """Takes up a kept file where there is one; of another vocabulary it is refused."""
        if not path.exists():
            return
        state = load_checkpoint(path)
        if state["student_size"] != self._student_size:
            raise ValueError(
                f"{path} has targets over {state['student_size']} pieces, not {self._student_size}"
            )
        self._known |= state["known"]


def _aligned_count(document: AlignedDocument) -> int:
    return sum(position < len(document.student) - 1 for position in document.student_positions)


def _digest(document: AlignedDocument) -> str:
    return hashlib.sha1(repr((document.student, document.teacher)).encode()).hexdigest()


@dataclass(frozen=True)
class Losses:
    """Sums over a batch: what is trained on, and what is reported."""

    total: Tensor  # KL at the aligned positions plus cross-entropy at the inner ones, nats
    divergence: Tensor  # the KL part
    likelihood: Tensor  # cross-entropy of the text itself at every position, nats


def divergences(scores: Tensor, targets: Targets) -> Tensor:
    """KL(teacher || student) of each position, [positions]; all pieces beyond the kept ones count as one.

    scores: the student's log-probabilities [positions, student_size].
    """
    wanted = targets.probabilities.float()
    found = scores.gather(1, targets.pieces.long())
    rest = (1 - wanted.sum(1)).clamp(min=0)
    found_rest = (1 - found.exp().sum(1)).clamp(min=SMALLEST_REST)
    kept = torch.special.xlogy(wanted, wanted) - wanted * found
    return kept.sum(1) + torch.special.xlogy(rest, rest) - rest * found_rest.log()


def distillation_losses(student: Llama, targets: Targets, batch: AlignedBatch, bf16: bool) -> Losses:
    """KL(teacher || student) at shared boundaries, cross-entropy inside words."""
    device = batch.student.device
    with autocast(device, bf16):
        hidden = student.hidden(batch.student).flatten(0, 1)
        wanted = torch.cat([batch.aligned, batch.inner])
        logits = F.linear(hidden[wanted], student.embedding)
    scores = logits.float().log_softmax(-1)
    following = batch.student.roll(-1, dims=1).flatten()[wanted]
    losses = -scores.gather(1, following[:, None])[:, 0]
    count = len(batch.aligned)
    divergence = divergences(scores[:count], targets).sum()
    return Losses(divergence + losses[count:].sum(), divergence.detach(), losses.sum().detach())
