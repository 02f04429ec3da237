"""One process or several under torchrun, on a CPU (gloo) or on CUDA (nccl), with the same code."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class Processes:
    """This process among those that train together."""

    rank: int
    count: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this process writes files and messages."""
        return self.rank == 0

    def share(self, items: list[int]) -> list[int]:
        """This process's part of a batch: every count-th item."""
        return items[self.rank :: self.count]

    def sum_gradients(self, model: nn.Module) -> None:
        """Replaces each gradient by its sum over the processes, in one exchange."""
        if self.count == 1:
            return
        gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        for gradient, summed in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(summed.view_as(gradient))

    def total(self, value: Tensor) -> float:
        """Sum of a scalar over the processes."""
        value = value.detach().double()
        if self.count > 1:
            dist.all_reduce(value)
        return float(value)

    def from_first(self, value: float) -> float:
        """The first process's value, in all."""
        if self.count == 1:
            return value
        tensor = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.broadcast(tensor, 0)
        return float(tensor)


@contextmanager
def join_processes(device: str) -> Iterator[Processes]:
    """Joins the group that torchrun describes, or stands alone. Device: auto, cpu or cuda."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    kind = device if device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda":
        chosen = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(chosen)
    else:
        chosen = torch.device("cpu")
    if count > 1:
        dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    try:
        yield Processes(rank, count, chosen)
        if count > 1:
            dist.barrier()  # the first still evaluates and saves: nobody closes the connections before
    finally:
        if count > 1:
            dist.destroy_process_group()
