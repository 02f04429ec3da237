"""Narrows the feed-forward layers, and lets the neurons that stay make up for those that go.

    python -m training.chat.prune_ffn --kept build/chat/kept-16384.json --width 1152

Optimal brain surgeon on the columns of the down matrix W [hidden_dim, ffn_dim] (Hassibi and Stork 1993; for
whole columns as in ZipLM, arXiv 2302.04089): with H = E[z z^T] of its inputs, taking column j away costs
|W_j|^2 / (H^-1)_jj, and the best compensation of the others is W -= W_j (H^-1)_j / (H^-1)_jj. Gate and up
lose the same rows.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from training.chat import command, documents, student, teacher
from training.chat.llama import Llama, build
from training.chat.precision import autocast
from training.common.commands import finish

COLUMNS_AT_A_TIME = 32
DAMPING = 0.01  # of the mean diagonal of H, against directions that the calibration text never showed


@dataclass(frozen=True)
class PrunedLayer:
    """What is left of one layer: which neurons, the compensated down matrix, and its relative error on the
    calibration.
    """

    neurons: list[int]
    down: Tensor
    relative_error: float


@torch.no_grad()
def gather_moments(model: Llama, rows: Sequence[Sequence[int]]) -> list[Tensor]:
    """E[z z^T] of the inputs of every down matrix, float64 [ffn_dim, ffn_dim] each."""
    width = model.config.ffn_dim
    moments = [torch.zeros(width, width) for _ in model.layers]
    count = 0

    def watch(index: int):
        def hook(_module: torch.nn.Module, inputs: tuple[Tensor, ...]) -> None:
            z = inputs[0].detach().float().reshape(-1, width)
            moments[index].addmm_(z.t().cpu(), z.cpu())

        return hook

    handles = [layer.down.register_forward_pre_hook(watch(i)) for i, layer in enumerate(model.layers)]
    try:
        for row in tqdm(rows, desc="calibration", mininterval=2):
            tokens = torch.tensor([list(row)], device=model.embedding.device)
            with autocast(tokens.device):
                model.hidden(tokens)
            count += len(row)
    finally:
        for handle in handles:
            handle.remove()
    return [moment.double() / count for moment in moments]


def damped(moment: Tensor) -> Tensor:
    return moment + DAMPING * moment.diagonal().mean() * torch.eye(len(moment), dtype=moment.dtype)


def choose_neurons(down: Tensor, moment: Tensor, width: int) -> list[int]:
    """The neurons to keep, in rising order; down [hidden_dim, ffn_dim], moment [ffn_dim, ffn_dim]."""
    weight = down.double().clone()
    inverse = torch.linalg.inv(damped(moment))
    left = torch.arange(weight.shape[1])
    while len(left) > width:
        cost = weight.square().sum(0) / inverse.diagonal()
        gone = cost.argsort()[: min(COLUMNS_AT_A_TIME, len(left) - width)]
        stays = torch.ones(len(left), dtype=torch.bool)
        stays[gone] = False
        solved = torch.linalg.solve(inverse[gone][:, gone], inverse[gone][:, stays])
        weight = weight[:, stays] - weight[:, gone] @ solved
        inverse = inverse[stays][:, stays] - inverse[stays][:, gone] @ solved
        left = left[stays]
    return left.tolist()


def compensate(down: Tensor, moment: Tensor, neurons: list[int]) -> PrunedLayer:
    """Least squares: the down matrix over the kept neurons that best gives what the whole one gave."""
    target, hessian = down.double() @ damped(moment), damped(moment)
    fitted = torch.linalg.solve(hessian[neurons][:, neurons], target[:, neurons].t()).t()
    whole = down.double()
    difference = whole.clone()
    difference[:, neurons] -= fitted
    error = ((difference @ moment) * difference).sum() / ((whole @ moment) * whole).sum()
    return PrunedLayer(neurons, fitted.float(), float(error))


def prune(
    state: dict[str, Tensor], moments: list[Tensor], width: int, neurons: list[list[int]] | None
) -> tuple[dict[str, Tensor], list[PrunedLayer]]:
    """The narrowed state; `neurons` fixes which stay in each layer, otherwise they are chosen."""
    result, layers = dict(state), []
    for index, moment in enumerate(tqdm(moments, desc="layers", mininterval=2)):
        name = f"layers.{index}."
        down = state[name + "down.weight"]
        chosen = neurons[index] if neurons is not None else choose_neurons(down, moment, width)
        layer = compensate(down, moment, chosen)
        result[name + "down.weight"] = layer.down
        for part in ("gate.weight", "up.weight"):
            result[name + part] = state[name + part][chosen].clone()
        layers.append(layer)
    return result, layers


def read_neurons(path: Path, width: int, n_layers: int) -> list[list[int]]:
    neurons = json.loads(path.read_text())["neurons"]
    if len(neurons) != n_layers or any(len(one) != width for one in neurons):
        raise ValueError(f"{path}: expected {n_layers} layers of {width} neurons each")
    return neurons


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Narrow the feed-forward layers of the teacher with a cut vocabulary.")
    parser.add_argument(
        "--kept", type=Path, default=command.COMMITTED / "kept-16384.json", help="kept pieces"
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument("--width", type=int, default=1152, help="neurons to keep in each layer")
    parser.add_argument(
        "--neurons",
        type=Path,
        help="JSON of an earlier run: keep the neurons it names, solve only the compensation",
    )
    parser.add_argument("--tokens", type=int, default=60_000, help="calibration tokens")
    parser.add_argument(
        "--out", type=Path, default=command.BUILD / "pruned-16384-1152.pt", help="student file to write"
    )
    documents.add_options(parser)
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(
        options,
        kept=command.SMOKE / "kept-480.json",
        width=72,
        tokens=2000,
        story_share=0.0,
        encyclopedia_share=0.0,
        book_share=0.0,
    )
    loaded = teacher.read_teacher(options.teacher)
    kept = student.read_kept(options.kept)
    config, state = student.cut_state(loaded, kept)
    rows = documents.training_rows(loaded.tokenizer_parts, kept, options, options.tokens)
    model = build(config, state).to(command.choose_device(options.device))
    moments = gather_moments(model, rows)
    neurons = read_neurons(options.neurons, options.width, config.n_layers) if options.neurons else None
    pruned, layers = prune(state, moments, options.width, neurons)
    report = {"width": options.width, "relative_error": [round(layer.relative_error, 4) for layer in layers]}
    narrow = config.resized(ffn_dim=options.width)
    student.save_student(options.out, narrow, pruned, kept, report)
    options.out.with_suffix(".neurons.json").write_text(
        json.dumps(report | {"neurons": [layer.neurons for layer in layers]}) + "\n"
    )
    print(json.dumps(report))


if __name__ == "__main__":
    finish(run, make_parser())
