"""The row decoder against the plain forward pass, and the sampler's limits."""

from __future__ import annotations

import torch

from training.chat.llama import build
from training.chat.sampling import RowDecoder, sample
from training.chat.teacher import Teacher


def test_rows_of_any_length_give_the_plain_logits(tiny_teacher: Teacher) -> None:
    model = build(tiny_teacher.config, tiny_teacher.state)
    decoder = RowDecoder(model, rows=4, context=48)
    generator = torch.Generator().manual_seed(1)
    lengths = (3, 17, 9, 1)
    texts: list[list[int]] = [torch.randint(0, 600, (n,), generator=generator).tolist() for n in lengths]
    decoder.feed([0, 2], [texts[0], texts[2]])
    logits = decoder.feed([3, 1], [texts[3], texts[1]])
    compare(model, texts[3], logits[0])
    compare(model, texts[1], logits[1])
    for token in (5, 77, 300):
        active = torch.tensor([True, False, True, True])
        logits = decoder.step(torch.full((4,), token), active)
        for row in (0, 2, 3):
            texts[row].append(token)
            compare(model, texts[row], logits[row])
    logits = decoder.feed([1], [[9, 8, 7]])
    compare(model, texts[1] + [9, 8, 7], logits[0])
    decoder.reset(1)
    compare(model, [4, 5], decoder.feed([1], [[4, 5]])[0])


def compare(model: torch.nn.Module, tokens: list[int], logits: torch.Tensor) -> None:
    with torch.no_grad():
        wanted = model(torch.tensor([tokens]))[0, -1]
    difference = (wanted - logits.float()).norm() / wanted.norm()
    assert difference < 0.03, difference  # bfloat16 has 8 bits


def test_sampling_keeps_to_the_nucleus() -> None:
    logits = torch.tensor([[5.0, 4.0, -3.0, -4.0]]).repeat(500, 1)
    generator = torch.Generator().manual_seed(0)
    hot = sample(logits, torch.ones(500), top_k=4, top_p=0.9, generator=generator)
    assert set(hot.tolist()) == {0, 1}
    cold = sample(logits, torch.zeros(500), top_k=4, top_p=0.9, generator=generator)
    assert set(cold.tolist()) == {0}
