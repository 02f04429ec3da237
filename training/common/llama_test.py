"""The model against plain formulas, and causality."""

import math

import pytest
import torch

from training.common.llama import (
    ByteDropout,
    Llama,
    LlamaConfig,
    causal_attention,
    parameter_count,
    rope_tables,
    rotate,
)

CONFIG = LlamaConfig(dim=32, hidden_dim=64, n_layers=2, n_heads=4, n_kv_heads=2, vocab_size=300, context=24)


def test_attention_is_softmax_attention() -> None:
    torch.manual_seed(1)
    query, key, value = torch.randn(3, 2, 4, 9, 8)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    torch.testing.assert_close(causal_attention(query, key, value), expected)


def test_rotation_turns_pairs_by_position() -> None:
    cosine, sine = rope_tables(16, 8)
    rotated = rotate(torch.ones(1, 1, 16, 8), cosine, sine)[0, 0]
    for position, pair in ((0, 0), (3, 1), (15, 3)):
        angle = position * 10000.0 ** (-2 * pair / 8)
        assert rotated[position, 2 * pair] == pytest.approx(math.cos(angle) - math.sin(angle), abs=1e-6)
        assert rotated[position, 2 * pair + 1] == pytest.approx(math.sin(angle) + math.cos(angle), abs=1e-6)


def test_no_logit_depends_on_later_tokens() -> None:
    torch.manual_seed(1)
    model = Llama(CONFIG).eval()
    tokens = torch.randint(0, 300, (1, 20))
    changed = tokens.clone()
    changed[0, 12:] = 7
    before, after = model(tokens), model(changed)
    torch.testing.assert_close(before[:, :12], after[:, :12])
    assert not torch.allclose(before[:, 12:], after[:, 12:])


def test_parameters_count_a_tied_classifier_once() -> None:
    layer = 32 * 32 * 2 + 32 * 16 * 2 + 3 * 32 * 64 + 2 * 32
    assert parameter_count(Llama(CONFIG)) == 2 * layer + 300 * 32 + 32


def test_dropout_keeps_the_mean_and_drops_its_share() -> None:
    torch.manual_seed(1)
    dropout = ByteDropout(0.25)
    x = torch.ones(1000, 101)
    y = dropout(x)
    assert float((y == 0).float().mean()) == pytest.approx(0.25, abs=0.01)
    assert float(y.mean()) == pytest.approx(1.0, abs=0.01)
    assert torch.equal(dropout.eval()(x), x)


def test_impossible_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="n_kv_heads"):
        LlamaConfig(32, 64, 2, 4, 3, 300, 24)
    with pytest.raises(ValueError, match="hidden_dim is 0"):
        LlamaConfig(32, 0, 2, 4, 4, 300, 24)
