"""Codebooks of 256 words: nearest words, k-means."""

from __future__ import annotations

import torch
from torch import Tensor

from training.chat.pspm_format import CODEBOOK_WORDS

KMEANS_ROUNDS = 10


def nearest(vectors: Tensor, words: Tensor) -> Tensor:
    """Index of the nearest word of each vector."""
    return torch.addmm(words.square().sum(1)[None], vectors, words.t(), alpha=-2).argmin(1)


def kmeans(vectors: Tensor, generator: torch.Generator) -> Tensor:
    """256 words for the vectors [n, width]; a word without vectors takes one at random."""
    pick = torch.randint(len(vectors), (CODEBOOK_WORDS,), generator=generator)
    words = vectors[pick].clone()
    for _ in range(KMEANS_ROUNDS):
        codes = nearest(vectors, words)
        counts = torch.bincount(codes, minlength=CODEBOOK_WORDS)
        sums = torch.zeros_like(words).index_add_(0, codes, vectors)
        fresh = vectors[torch.randint(len(vectors), (CODEBOOK_WORDS,), generator=generator)]
        words = torch.where((counts > 0)[:, None], sums / counts.clamp(min=1)[:, None], fresh)
    return words
