"""The Llama transformer in the variant that llama2.c runs."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

NORM_EPSILON = 1e-5  # llama2.c: rmsnorm
ROPE_BASE = 10000.0  # llama2.c: rotation of the pair (2i, 2i+1) by position * base^(-2i / head_dim)
IGNORED_TARGET = -100  # a target that no loss is taken of (padding)


@dataclass(frozen=True)
class LlamaConfig:
    """Shape of a model, with llama2.c's meaning of each field."""

    dim: int
    hidden_dim: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    vocab_size: int
    context: int  # llama2.c: seq_len
    tied: bool = True  # the classifier is the embedding

    def __post_init__(self) -> None:
        for name in ("dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "context"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: expected at least 1")
        if self.dim % self.n_heads != 0 or self.head_dim % 2 != 0:
            raise ValueError(f"dim {self.dim} is not n_heads {self.n_heads} times an even head size")
        if self.n_heads % self.n_kv_heads != 0:
            raise ValueError(f"n_heads {self.n_heads} is not a multiple of n_kv_heads {self.n_kv_heads}")

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads


def rope_tables(context: int, head_dim: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of every position and pair, fp32 [context, head_dim / 2]."""
    frequencies = ROPE_BASE ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
    angles = torch.outer(torch.arange(context, dtype=torch.float64), frequencies)
    return angles.cos().float(), angles.sin().float()


def rotate(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotates interleaved pairs of x [batch, heads, time, head_dim]; tables are [time, head_dim / 2]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1).flatten(-2)


class ByteDropout(nn.Module):
    """Dropout by random bytes: a value survives if its byte is at least round(256 probability).

    Torch's own dropout draws eight times the random bits, which cost a fifth of a training step on a CPU.
    """

    def __init__(self, probability: float) -> None:
        super().__init__()
        if not 0.0 <= probability < 1.0:
            raise ValueError(f"dropout is {probability}: expected at least 0 and below 1")
        self.dropped = min(255, round(256 * probability))  # of 256 byte values

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.dropped == 0:
            return x
        words = torch.empty((x.numel() + 7) // 8, dtype=torch.int64, device=x.device).random_(-(2**63), None)
        kept = words.view(torch.uint8)[: x.numel()].view(x.shape) >= self.dropped
        return x * kept * (256 / (256 - self.dropped))


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Softmax attention of [batch, heads, time, head_dim] in the type of `value`.

    Written out on a CPU, where the backward pass of torch's fused attention takes a third of a training step.
    """
    query, key = query.to(value.dtype), key.to(value.dtype)
    if value.is_cuda:
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    time = query.shape[-2]
    seen = torch.ones(time, time, dtype=torch.bool, device=query.device).tril()
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
    with torch.autocast("cpu", enabled=False):  # else the probabilities would be widened to fp32
        weights = torch.where(seen, scores, -1e4).softmax(-1)
    return weights @ value


class Attention(nn.Module):
    """Causal self-attention; keys and values may have fewer heads than queries."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        kv_dim = config.n_kv_heads * config.head_dim
        self.wq = nn.Linear(config.dim, config.dim, bias=False)
        self.wk = nn.Linear(config.dim, kv_dim, bias=False)
        self.wv = nn.Linear(config.dim, kv_dim, bias=False)
        self.wo = nn.Linear(config.dim, config.dim, bias=False)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        batch, time, dim = x.shape
        heads = (batch, time, -1, self.config.head_dim)
        query = rotate(self.wq(x).view(heads).transpose(1, 2), cosine, sine)
        key = rotate(self.wk(x).view(heads).transpose(1, 2), cosine, sine)
        value = self.wv(x).view(heads).transpose(1, 2)
        shared = self.config.n_heads // self.config.n_kv_heads
        if shared > 1:
            key = key.repeat_interleave(shared, dim=1)
            value = value.repeat_interleave(shared, dim=1)
        mixed = causal_attention(query, key, value)
        return self.wo(mixed.transpose(1, 2).reshape(batch, time, dim))


class FeedForward(nn.Module):
    """SwiGLU: w2(silu(w1 x) * w3 x)."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.w1 = nn.Linear(config.dim, config.hidden_dim, bias=False)
        self.w2 = nn.Linear(config.hidden_dim, config.dim, bias=False)
        self.w3 = nn.Linear(config.dim, config.hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    """One layer: attention and feed-forward, each on a normalised copy and added to the residual stream."""

    def __init__(self, config: LlamaConfig, dropout: float) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.dim, eps=NORM_EPSILON)
        self.attention = Attention(config)
        self.ffn_norm = nn.RMSNorm(config.dim, eps=NORM_EPSILON)
        self.feed_forward = FeedForward(config)
        self.dropout = ByteDropout(dropout)

    def forward(self, x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
        x = x + self.dropout(self.attention(self.attention_norm(x), cosine, sine))
        return x + self.dropout(self.feed_forward(self.ffn_norm(x)))


class Llama(nn.Module):
    """The whole model. Dropout acts on the embedding and on what a sublayer adds to the residual stream."""

    def __init__(self, config: LlamaConfig, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.dim)
        self.dropout = ByteDropout(dropout)
        self.layers = nn.ModuleList(Block(config, dropout) for _ in range(config.n_layers))
        self.norm = nn.RMSNorm(config.dim, eps=NORM_EPSILON)
        self.classifier = nn.Linear(config.dim, config.vocab_size, bias=False)
        if config.tied:
            self.classifier.weight = self.embedding.weight
        cosine, sine = rope_tables(config.context, config.head_dim)
        self.register_buffer("rope_cosine", cosine, persistent=False)
        self.register_buffer("rope_sine", sine, persistent=False)
        self.reset_weights()

    def reset_weights(self) -> None:
        """Normal weights of deviation 0.02, sublayer outputs less by sqrt(2 n_layers) (GPT-2's rule)."""
        for name, weight in self.named_parameters():
            if weight.dim() < 2:
                nn.init.ones_(weight)
            elif name.endswith(("wo.weight", "w2.weight")):
                nn.init.normal_(weight, std=0.02 / math.sqrt(2 * self.config.n_layers))
            else:
                nn.init.normal_(weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits [batch, time, vocab_size] of tokens [batch, time], time at most the context."""
        time = tokens.shape[1]
        cosine, sine = self.rope_cosine[:time], self.rope_sine[:time]
        x = self.dropout(self.embedding(tokens))
        for layer in self.layers:
            x = layer(x, cosine, sine)
        return self.classifier(self.norm(x))


def summed_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Sum of the cross-entropies in nats over the targets that are not IGNORED_TARGET."""
    return F.cross_entropy(
        logits.flatten(0, 1).float(), targets.flatten(), ignore_index=IGNORED_TARGET, reduction="sum"
    )


def parameter_count(model: nn.Module) -> int:
    """Number of distinct trained values (a tied classifier counts once)."""
    return sum(weight.numel() for weight in model.parameters())
