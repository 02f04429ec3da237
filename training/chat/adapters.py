"""Low-rank trainable differences on frozen weights (LoRA, arXiv 2106.09685): little memory, and small enough
to keep.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrize

from training.chat.llama import MATRIX_NAMES, Llama


class LowRankLinear(nn.Module):
    """weight x + out_factor (in_factor x); weight [out, in] is frozen."""

    def __init__(self, weight: Tensor, rank: int, generator: torch.Generator) -> None:
        super().__init__()
        rows, columns = weight.shape
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.in_factor = nn.Parameter(torch.randn(rank, columns, generator=generator) * columns**-0.5)
        self.out_factor = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight) + F.linear(F.linear(x, self.in_factor), self.out_factor)

    def merged(self) -> Tensor:
        return self.weight.float() + self.out_factor @ self.in_factor


class LowRankDifference(nn.Module):
    """Parametrization of a table [rows, columns]: table + out_factor in_factor."""

    def __init__(self, rows: int, columns: int, rank: int, generator: torch.Generator) -> None:
        super().__init__()
        self.in_factor = nn.Parameter(torch.randn(rank, columns, generator=generator) * columns**-0.5)
        self.out_factor = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, table: Tensor) -> Tensor:
        return table + self.out_factor @ self.in_factor


def add_adapters(model: Llama, rank: int, embedding_rank: int, seed: int, frozen: torch.dtype) -> None:
    """Freezes the matrices (in the type `frozen`) and the embedding; their low-rank differences and the norms
    train.
    """
    generator = torch.Generator().manual_seed(seed)
    for layer in model.layers:
        for name in MATRIX_NAMES:
            weight = getattr(layer, name).weight.detach().to(frozen)
            setattr(layer, name, LowRankLinear(weight, rank, generator))
    model.embedding.requires_grad_(False)
    rows, columns = model.embedding.shape
    parametrize.register_parametrization(
        model, "embedding", LowRankDifference(rows, columns, embedding_rank, generator)
    )


def merged_state(model: Llama) -> dict[str, Tensor]:
    """The state dict of a plain model with the differences added in, float32; also of a model without
    adapters.
    """
    if not parametrize.is_parametrized(model, "embedding"):
        return {name: value.detach().float().cpu() for name, value in model.state_dict().items()}
    state = {
        "embedding": model.embedding.detach().float().cpu(),
        "final_norm": model.final_norm.detach().cpu(),
    }
    for index, layer in enumerate(model.layers):
        for name in ("attention_norm", "ffn_norm"):
            state[f"layers.{index}.{name}"] = getattr(layer, name).detach().float().cpu()
        for name in MATRIX_NAMES:
            state[f"layers.{index}.{name}.weight"] = getattr(layer, name).merged().detach().cpu()
    return state


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    """What trains, by name."""
    return {name: value for name, value in model.named_parameters() if value.requires_grad}
