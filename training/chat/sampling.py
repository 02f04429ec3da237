"""Batched sampling with a static KV cache of fixed rows: a row that is done takes the next conversation at
once.

A row keeps the cache of its conversation, so that a later turn costs only its own tokens. Rows are padded
on the right;
what padding leaves in the cache lies behind the row's length, is masked, and is overwritten by the next
tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from training.chat.llama import Llama, LlamaConfig, rope_angles, rotate
from training.chat.precision import fast_type


class Projection:
    """A bias-free linear map in the fastest type; on CPU its weight is kept in oneDNN's own blocked order
    (1.3-2 times faster).
    """

    def __init__(self, weight: Tensor, rows: int) -> None:
        self._plain = weight.to(fast_type(weight.device)).contiguous()
        self._packed: Tensor | None = None
        if weight.device.type == "cpu" and torch.backends.mkldnn.is_available():
            self._packed = torch.ops.mkldnn._reorder_linear_weight(self._plain, rows)

    def __call__(self, x: Tensor) -> Tensor:
        if self._packed is None:
            return F.linear(x, self._plain)
        return torch.ops.mkldnn._linear_pointwise(x, self._packed, None, "none", [], "")


class _FusedLayer:
    """Weights of one layer with query/key/value and gate/up joined."""

    def __init__(self, layer: torch.nn.Module, rows: int) -> None:
        number = fast_type(layer.attention_norm.device)
        self.attention_norm = layer.attention_norm.detach().to(number)
        self.ffn_norm = layer.ffn_norm.detach().to(number)
        joined = torch.cat([layer.query.weight, layer.key.weight, layer.value.weight]).detach()
        self.query_key_value = Projection(joined, rows)
        self.output = Projection(layer.output.weight.detach(), rows)
        self.gate_up = Projection(torch.cat([layer.gate.weight, layer.up.weight]).detach(), rows)
        self.down = Projection(layer.down.weight.detach(), rows)


class RowDecoder:
    """Runs `rows` independent sequences of at most `context` tokens."""

    def __init__(self, model: Llama, rows: int, context: int) -> None:
        config: LlamaConfig = model.config
        device = model.embedding.device
        number = fast_type(device)
        self._number = number
        self.config, self.rows, self.context, self.device = config, rows, context, device
        self.lengths = torch.zeros(rows, dtype=torch.long, device=device)  # tokens in the cache, [rows]
        self._layers = [_FusedLayer(layer, rows) for layer in model.layers]
        self._embedding = model.embedding.detach().to(number)
        self._classifier = Projection(self._embedding, rows)
        self._final_norm = model.final_norm.detach().to(number)
        shape = (rows, config.n_kv_heads, context, config.head_dim)
        self._keys = [torch.zeros(shape, dtype=self._number, device=device) for _ in model.layers]
        self._values = [torch.zeros(shape, dtype=self._number, device=device) for _ in model.layers]
        angles = rope_angles(config, torch.arange(context, device=device))
        self._cosine, self._sine = angles.cos().to(number), angles.sin().to(number)

    def reset(self, row: int) -> None:
        self.lengths[row] = 0

    def room(self, row: int) -> int:
        return self.context - int(self.lengths[row])

    @torch.no_grad()
    def feed(self, rows: Sequence[int], tokens: Sequence[Sequence[int]]) -> Tensor:
        """Appends each row's tokens; logits [len(rows), vocab_size] after the last token of each."""
        counts = torch.tensor([len(one) for one in tokens], device=self.device)
        width = int(counts.max())
        if int((self.lengths[list(rows)] + counts).max()) > self.context:
            raise ValueError(f"a row would exceed the context of {self.context} tokens")
        batch = torch.zeros((len(rows), width), dtype=torch.long)
        for index, one in enumerate(tokens):
            batch[index, : len(one)] = torch.tensor(one)
        row_index = torch.tensor(rows, device=self.device)
        start = self.lengths[row_index]
        hidden = self._run(row_index, batch.to(self.device), start)
        self.lengths[row_index] = start + counts
        last = hidden[torch.arange(len(rows), device=self.device), counts - 1]
        return self._classify(last)

    @torch.no_grad()
    def step(self, tokens: Tensor, active: Tensor) -> Tensor:
        """Appends one token to every active row (bool [rows]); logits [rows, vocab_size], rows not active
        are garbage.
        """
        start = self.lengths.clamp(max=self.context - 1)
        hidden = self._run(None, tokens[:, None], start)
        self.lengths = torch.where(active, self.lengths + 1, self.lengths)
        return self._classify(hidden[:, 0])

    def _classify(self, hidden: Tensor) -> Tensor:
        normed = F.rms_norm(hidden, (hidden.shape[-1],), self._final_norm, self.config.norm_epsilon)
        return self._classifier(normed)

    def _run(self, row_index: Tensor | None, tokens: Tensor, start: Tensor) -> Tensor:
        """tokens [n, width] at positions start[n] onward; row_index None stands for all rows. -> [n, width,
        hidden_dim]
        """
        config, (count, width) = self.config, tokens.shape
        positions = (start[:, None] + torch.arange(width, device=self.device)).clamp(
            max=self.context - 1
        )  # [n, width]
        cosine, sine = self._cosine[positions][:, None], self._sine[positions][:, None]
        reach = int(positions.max()) + 1
        rows = torch.arange(self.rows, device=self.device) if row_index is None else row_index
        visible = torch.arange(reach, device=self.device) <= positions[..., None]  # [n, width, reach]
        group = config.n_heads // config.n_kv_heads
        mask = visible.repeat_interleave(group, 1) if width == 1 else visible.repeat(1, group, 1)
        mask = torch.zeros(mask.shape, dtype=self._number, device=self.device).masked_fill_(~mask, -1e4)[
            :, None
        ]
        query_dim, kv_dim = config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
        x = F.embedding(tokens, self._embedding)
        for layer, keys, values in zip(self._layers, self._keys, self._values, strict=True):
            normed = F.rms_norm(x, (config.hidden_dim,), layer.attention_norm, config.norm_epsilon)
            query, key, value = layer.query_key_value(normed).split([query_dim, kv_dim, kv_dim], dim=-1)
            query = rotate(
                query.view(count, width, config.n_heads, config.head_dim).transpose(1, 2), cosine, sine
            )
            key = rotate(
                key.view(count, width, config.n_kv_heads, config.head_dim).transpose(1, 2), cosine, sine
            )
            keys[rows[:, None], :, positions] = key.transpose(1, 2)
            values[rows[:, None], :, positions] = value.reshape(
                count, width, config.n_kv_heads, config.head_dim
            )
            seen_keys = keys[:, :, :reach] if row_index is None else keys[rows, :, :reach]
            seen_values = values[:, :, :reach] if row_index is None else values[rows, :, :reach]
            grouped = query.reshape(count, config.n_kv_heads, group * width, config.head_dim)
            mixed = self._attend(grouped, seen_keys, seen_values, mask)
            mixed = mixed.reshape(count, config.n_heads, width, config.head_dim).transpose(1, 2)
            x = x + layer.output(mixed.reshape(count, width, query_dim))
            normed = F.rms_norm(x, (config.hidden_dim,), layer.ffn_norm, config.norm_epsilon)
            gate, up = layer.gate_up(normed).chunk(2, dim=-1)
            x = x + layer.down(F.silu(gate) * up)
        return x

    def _attend(self, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
        """query [n, n_kv_heads, group * width, head_dim]; keys, values [n, n_kv_heads, reach, head_dim]."""
        return F.scaled_dot_product_attention(query, keys, values, attn_mask=mask)


def sample(
    logits: Tensor, temperatures: Tensor, top_k: int, top_p: float, generator: torch.Generator
) -> Tensor:
    """logits [n, vocab_size], temperatures [n] (0 takes the best) -> token ids [n]; nucleus within the top_k
    best.
    """
    best, indices = logits.topk(top_k, dim=-1)
    best = best.float()
    scaled = (best - best[:, :1]) / temperatures.clamp(min=1e-3)[:, None]
    probabilities = scaled.softmax(-1)
    before = probabilities.cumsum(-1) - probabilities
    probabilities = probabilities.masked_fill(before >= top_p, 0.0)
    chosen = torch.multinomial(probabilities, 1, generator=generator)
    return indices.gather(1, chosen)[:, 0]
