"""Bits per byte of a model on documents: a measure that does not depend on the vocabulary."""

import math
from dataclasses import dataclass

import torch
from tqdm import tqdm

from training.common.bpe import BOS_ID, Vocabulary
from training.common.documents import epoch_batches, to_batch
from training.common.llama import IGNORED_TARGET, Llama, summed_loss


@dataclass(frozen=True)
class Quality:
    """What a model makes of a text."""

    documents: int
    text_bytes: int
    tokens: int
    nats: float

    @property
    def loss(self) -> float:
        """Nats a token."""
        return self.nats / self.tokens

    @property
    def bits_per_byte(self) -> float:
        return self.nats / math.log(2) / self.text_bytes


@dataclass(frozen=True)
class Window:
    """A stretch of at most context + 1 ids; the first `known` of them are context that is not scored."""

    ids: list[int]
    known: int


def windows(tokens: list[int], context: int) -> list[Window]:
    """Windows that score each token of a document once, given the begin mark and all that the context holds.

    A document that fits is one window. In a longer one each further window starts half a context later than
    the one before, so that every token scored there sees at least half a context.
    """
    ids = [BOS_ID, *tokens]
    result = [Window(ids[: context + 1], 1)]
    scored = len(result[0].ids)
    start = 0
    while scored < len(ids):
        start += (context + 1) // 2
        result.append(Window(ids[start : start + context + 1], scored - start))
        scored = min(len(ids), start + context + 1)
    return result


@torch.no_grad()
def measure(model: Llama, vocabulary: Vocabulary, documents: list[str], batch_tokens: int) -> Quality:
    """Scores the tokens of each document alone, after a begin mark; the end mark is not scored."""
    if len(vocabulary) != model.config.vocab_size:
        raise ValueError(f"the tokenizer has {len(vocabulary)} ids, the model {model.config.vocab_size}")
    encoded = [vocabulary.encode(document) for document in tqdm(documents, desc="encode", unit="text")]
    pieces = [window for tokens in encoded for window in windows(tokens, model.config.context)]
    batches = epoch_batches([len(window.ids) - 1 for window in pieces], batch_tokens, seed=0)
    nats = 0.0
    for indices in tqdm(batches, desc="score", unit="batch"):
        batch = to_batch([pieces[index].ids for index in indices], torch.device("cpu"))
        for row, index in enumerate(indices):
            batch.targets[row, : pieces[index].known - 1] = IGNORED_TARGET
        nats += float(summed_loss(model(batch.inputs), batch.targets))
    size = sum(len(document.encode("utf-8")) for document in documents)
    return Quality(len(documents), size, sum(map(len, encoded)), nats)
