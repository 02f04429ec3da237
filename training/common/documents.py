"""Whole documents (stories, conversations) as token rows, and batches of documents of like length."""

import random
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from training.common.bpe import BOS_ID, Vocabulary
from training.common.llama import IGNORED_TARGET

SEPARATOR = "<|endoftext|>"  # between the stories of a TinyStories file
LENGTH_STEP = 16  # rows are padded to a multiple of this, so that there are few shapes


def read_documents(path: Path) -> list[str]:
    """The documents of a text file, without the white space around each."""
    text = path.read_text(encoding="utf-8")
    documents = [document.strip() for document in text.split(SEPARATOR)]
    documents = [document for document in documents if document]
    if not documents:
        raise ValueError(f"{path}: no document in it; expected texts separated by {SEPARATOR}")
    return documents


def to_row(vocabulary: Vocabulary, document: str, context: int) -> list[int]:
    """Begin mark, tokens, begin mark (llama2.c's end of a text), cut to context + 1 ids."""
    return [BOS_ID, *vocabulary.encode(document), BOS_ID][: context + 1]


def epoch_batches(lengths: list[int], batch_tokens: int, seed: int) -> list[list[int]]:
    """Every document once, in batches of about batch_tokens padded tokens, each of documents of like lengths.

    The order is random, a function of the arguments alone.
    """
    generator = random.Random(seed)
    order = sorted(range(len(lengths)), key=lambda index: (lengths[index], generator.random()))
    batches: list[list[int]] = []
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * lengths[index] > batch_tokens:
            batches.append(batch)
            batch = []
        batch.append(index)
    batches.append(batch)
    generator.shuffle(batches)
    return batches


@dataclass(frozen=True)
class Batch:
    """Inputs and the targets one step ahead, each int64 [documents, padded length]."""

    inputs: Tensor
    targets: Tensor


def to_batch(rows: list[list[int]], device: torch.device) -> Batch:
    """Pads rows; an empty list gives one row without any target, so that each process has something to do."""
    if not rows:
        blank = torch.full((1, LENGTH_STEP), BOS_ID, dtype=torch.int64, device=device)
        return Batch(blank, torch.full_like(blank, IGNORED_TARGET))
    longest = max(len(row) for row in rows) - 1
    padded = (longest + LENGTH_STEP - 1) // LENGTH_STEP * LENGTH_STEP
    inputs = torch.full((len(rows), padded), BOS_ID, dtype=torch.int64)
    targets = torch.full((len(rows), padded), IGNORED_TARGET, dtype=torch.int64)
    for index, row in enumerate(rows):
        inputs[index, : len(row) - 1] = torch.tensor(row[:-1])
        targets[index, : len(row) - 1] = torch.tensor(row[1:])
    return Batch(inputs.to(device), targets.to(device))
