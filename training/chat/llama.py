"""A compact Llama in PyTorch: grouped-query attention, rotary positions, SwiGLU, tied embedding.

Names of the state dict are those of the module tree (`layers.3.query.weight`). Query and key rows are stored
in the half-split order (dimension i of a head rotates together with i + head_dim / 2), as in Hugging Face's
Llama.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.common.llama import causal_attention

MATRIX_NAMES = ("query", "key", "value", "output", "gate", "up", "down")


@dataclass(frozen=True)
class LlamaConfig:
    """Shape of a model; every count is in elements."""

    vocab_size: int
    hidden_dim: int
    ffn_dim: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    rope_theta: float
    norm_epsilon: float

    def to_dict(self) -> dict[str, int | float]:
        return asdict(self)

    @staticmethod
    def from_dict(values: dict[str, int | float]) -> LlamaConfig:
        return LlamaConfig(**values)  # type: ignore[arg-type]

    def resized(self, *, vocab_size: int | None = None, ffn_dim: int | None = None) -> LlamaConfig:
        return replace(self, vocab_size=vocab_size or self.vocab_size, ffn_dim=ffn_dim or self.ffn_dim)


def rope_angles(config: LlamaConfig, positions: Tensor) -> Tensor:
    """Rotation angles [..., head_dim] of the given positions, the half-split layout (RoFormer, arXiv
    2104.09864).
    """
    steps = torch.arange(0, config.head_dim, 2, dtype=torch.float32, device=positions.device)
    inverse = config.rope_theta ** (-steps / config.head_dim)
    half = positions.float()[..., None] * inverse
    return torch.cat([half, half], dim=-1)


def rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Applies rotary positions to x [..., head_dim]."""
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cosine + turned * sine


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        query_dim, kv_dim = config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
        self.attention_norm = nn.Parameter(torch.ones(config.hidden_dim))
        self.ffn_norm = nn.Parameter(torch.ones(config.hidden_dim))
        self.query = nn.Linear(config.hidden_dim, query_dim, bias=False)
        self.key = nn.Linear(config.hidden_dim, kv_dim, bias=False)
        self.value = nn.Linear(config.hidden_dim, kv_dim, bias=False)
        self.output = nn.Linear(query_dim, config.hidden_dim, bias=False)
        self.gate = nn.Linear(config.hidden_dim, config.ffn_dim, bias=False)
        self.up = nn.Linear(config.hidden_dim, config.ffn_dim, bias=False)
        self.down = nn.Linear(config.ffn_dim, config.hidden_dim, bias=False)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        """x [batch, length, hidden_dim] -> the same shape; causal within the length."""
        return self.feed_forward(self.attend(x, cosine, sine))

    def attend(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        config = self.config
        batch, length, _ = x.shape
        normed = self.normalise(x, self.attention_norm)
        query = self.query(normed).view(batch, length, config.n_heads, config.head_dim).transpose(1, 2)
        key = self.key(normed).view(batch, length, config.n_kv_heads, config.head_dim).transpose(1, 2)
        value = self.value(normed).view(batch, length, config.n_kv_heads, config.head_dim).transpose(1, 2)
        query, key = rotate(query, cosine, sine), rotate(key, cosine, sine)
        group = config.n_heads // config.n_kv_heads
        key, value = key.repeat_interleave(group, 1), value.repeat_interleave(group, 1)
        mixed = causal_attention(query, key, value)
        return x + self.output(mixed.transpose(1, 2).reshape(batch, length, -1))

    def feed_forward(self, x: Tensor) -> Tensor:
        normed = self.normalise(x, self.ffn_norm)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))

    def normalise(self, x: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), weight.to(x.dtype), self.config.norm_epsilon)


class Llama(nn.Module):
    """The whole model; the classifier is the embedding."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Parameter(torch.zeros(config.vocab_size, config.hidden_dim))
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.n_layers))
        self.final_norm = nn.Parameter(torch.ones(config.hidden_dim))

    def embed(self, tokens: Tensor) -> Tensor:
        return F.embedding(tokens, self.embedding)

    def hidden(self, tokens: Tensor) -> Tensor:
        """tokens [batch, length] -> final hidden states [batch, length, hidden_dim], normalised."""
        x = self.embed(tokens)
        angles = rope_angles(self.config, torch.arange(tokens.shape[1], device=tokens.device))
        cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for layer in self.layers:
            x = layer(x, cosine, sine)
        return F.rms_norm(x, (x.shape[-1],), self.final_norm.to(x.dtype), self.config.norm_epsilon)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens [batch, length] -> logits [batch, length, vocab_size]."""
        return F.linear(self.hidden(tokens), self.embedding)


def build(config: LlamaConfig, state: dict[str, Tensor], dtype: torch.dtype = torch.float32) -> Llama:
    """A model in evaluation mode that owns copies of the given tensors."""
    with torch.device("meta"):
        model = Llama(config)
    model.load_state_dict({name: value.to(dtype).clone() for name, value in state.items()}, assign=True)
    return model.eval()


def random_state(config: LlamaConfig, seed: int) -> dict[str, Tensor]:
    """A small random model's tensors, for tests and smoke runs."""
    generator = torch.Generator().manual_seed(seed)
    state = {}
    for name, parameter in Llama(config).state_dict().items():
        if parameter.dim() == 1:
            state[name] = torch.ones_like(parameter)
        else:
            state[name] = torch.randn(parameter.shape, generator=generator) * 0.6 * parameter.shape[1] ** -0.5
    return state
