"""Windows score each token once, and the measure agrees with a plain sum."""

import math

import pytest
import torch

from training.common.bpe import BOS_ID, RESERVED, Vocabulary
from training.common.evaluation import measure, windows
from training.common.llama import Llama, LlamaConfig

BYTES = Vocabulary([*RESERVED, b" "], [0.0] * (len(RESERVED) + 1))


@pytest.mark.parametrize("length", [1, 7, 8, 9, 12, 13, 40, 41])
def test_each_token_is_scored_once_with_enough_context(length: int) -> None:
    tokens = list(range(100, 100 + length))
    scored = []
    for number, window in enumerate(windows(tokens, 8)):
        assert len(window.ids) <= 9
        assert number == 0 or window.known >= 4
        scored += window.ids[window.known :]
    assert scored == tokens


@torch.no_grad()
def test_measure_is_the_sum_over_tokens() -> None:
    torch.manual_seed(2)
    model = Llama(LlamaConfig(16, 32, 1, 2, 2, len(BYTES), 32)).eval()
    texts = ["hello", "a much longer text, of 31 bytes"[:30]]
    nats, count = 0.0, 0
    for text in texts:
        ids = [BOS_ID, *BYTES.encode(text)]
        logs = model(torch.tensor([ids[:-1]])).log_softmax(-1)[0]
        nats -= sum(float(logs[position, token]) for position, token in enumerate(ids[1:]))
        count += len(ids) - 1
    quality = measure(model, BYTES, texts, batch_tokens=64)
    assert quality.tokens == count
    assert quality.text_bytes == 35
    assert quality.bits_per_byte == pytest.approx(nats / math.log(2) / 35, rel=1e-5)


def test_another_vocabulary_is_refused() -> None:
    model = Llama(LlamaConfig(16, 32, 1, 2, 2, 300, 32))
    with pytest.raises(ValueError, match="260 ids, the model 300"):
        measure(model, BYTES, ["x"], 64)
