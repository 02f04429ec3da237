"""How well a model predicts a text."""

import math
from dataclasses import dataclass

import numpy as np

from pspllm.model import Model


@dataclass(frozen=True)
class Evaluation:
    """A model's score on a text."""

    tokens: int
    """Predicted."""
    bytes: int
    """That the predicted tokens spell."""
    nats: float
    """Sum of the negative logarithms of their probabilities."""

    @property
    def bits_per_byte(self) -> float:
        """Does not depend on the vocabulary: compare models by it."""
        return self.nats / math.log(2) / self.bytes

    @property
    def perplexity(self) -> float:
        """Of a token of this vocabulary."""
        return math.exp(self.nats / self.tokens)


def evaluate(model: Model, text: str, *, window: int = 512) -> Evaluation:
    """Predicts every token of the text from those before it, in windows that share nothing.

    window: tokens, at most the model's context. Each begins with the token that begins a text; where the
    vocabulary has none, a window's first token is not predicted. Raises ValueError where the text gives
    nothing to predict.
    """
    tokens = model.encode(text)
    # An empty text has a token even where other texts begin without one.
    begin = model.encode("")
    if tokens[: len(begin)] != begin:
        begin = []
    tokens = tokens[len(begin) :]
    length = min(window, model.shape.context) - len(begin)
    counted, nats, unpredicted = 0, 0.0, 0
    for start in range(0, len(tokens), length):
        piece = begin + tokens[start : start + length]
        if not begin:
            unpredicted += len(model.decode(piece[:1]).encode())
        if len(piece) < 2:
            continue
        targets = np.array(piece[1:])
        scores = model.logits(piece[:-1]).astype(np.float64)
        highest = scores.max(axis=1)
        normalizers = highest + np.log(np.exp(scores - highest[:, None]).sum(axis=1))
        nats += float((normalizers - scores[np.arange(len(targets)), targets]).sum())
        counted += len(targets)
    if counted == 0:
        raise ValueError("the text gives no token to predict; give a longer one")
    return Evaluation(counted, len(text.encode()) - unpredicted, nats)
