"""Pruning keeps what matters and makes up for what goes."""

from __future__ import annotations

import torch

from training.chat.prune_ffn import choose_neurons, compensate


def moment_of(z: torch.Tensor) -> torch.Tensor:
    return (z.T @ z).double() / len(z)


def test_silent_and_doubled_neurons_go_for_nothing() -> None:
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(500, 24, generator=generator)
    z[:, [3, 9]] = 0.0
    z[:, 20] = 2.0 * z[:, 7]
    down = torch.randn(10, 24, generator=generator)
    neurons = choose_neurons(down, moment_of(z), 21)
    assert not {3, 9} & set(neurons)
    assert len({7, 20} & set(neurons)) == 1
    assert compensate(down, moment_of(z), neurons).relative_error < 0.002


def test_compensation_beats_leaving_out() -> None:
    generator = torch.Generator().manual_seed(1)
    z = torch.randn(400, 32, generator=generator) @ torch.randn(32, 32, generator=generator)
    down = torch.randn(8, 32, generator=generator)
    neurons = choose_neurons(down, moment_of(z), 24)
    layer = compensate(down, moment_of(z), neurons)
    whole = z @ down.T
    fitted = (z[:, neurons] @ layer.down.T - whole).square().sum() / whole.square().sum()
    left_out = (z[:, neurons] @ down[:, neurons].T - whole).square().sum() / whole.square().sum()
    assert abs(float(fitted) - layer.relative_error) < 1e-4
    assert fitted < 0.5 * left_out
