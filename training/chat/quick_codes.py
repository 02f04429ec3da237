"""Byte codes in PyTorch, in a minute: what `pspllm quantize` does better and slower, for tests and in haste.

Every matrix is coded by itself on the inputs that the full-precision model gives it (GPTVQ, van Baalen et al.
2024, arXiv 2402.15319): codebooks by k-means, codes group by group, each group's error handed on to the
columns behind it by the Cholesky factor of the inverse of H = E[x x^T]; then row scales by least squares. No
layer knows what the quantised layers before it did to its inputs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from training.chat import command, documents, student, teacher
from training.chat.codebooks import kmeans, nearest
from training.chat.llama import Llama, LlamaConfig, build
from training.chat.pspm_format import CodedMatrix, max_codeword
from training.chat.pspm_writer import write_pspm
from training.common.commands import finish

BLOCK_COLUMNS = 96  # columns whose errors are handed on to the others at a time
KMEANS_SAMPLES = 8192  # vectors of a matrix that its codebook starts from
DAMPING = 0.03  # of the mean diagonal of H
INPUT_SHARE = 1.0  # of the embedding's rows as inputs, beside the classifier's H of mean 1
# Which matrices read the same inputs; the first one is watched.
INPUTS = {
    "query": ("query", "key", "value"),
    "output": ("output",),
    "gate": ("gate", "up"),
    "down": ("down",),
}


@torch.no_grad()
def gather_inputs(model: Llama, rows: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    """E[x x^T] of the inputs of layers.N.query, output, gate, down, and of the classifier ("embedding")."""
    moments: dict[str, Tensor] = {}
    count = 0

    def add(name: str, x: Tensor) -> None:
        flat = x.reshape(-1, x.shape[-1]).float()
        if name not in moments:
            moments[name] = torch.zeros(flat.shape[1], flat.shape[1])
        moments[name].addmm_(flat.t(), flat)

    handles = [
        getattr(layer, name).register_forward_pre_hook(
            lambda _module, inputs, name=f"layers.{index}.{name}": add(name, inputs[0])
        )
        for index, layer in enumerate(model.layers)
        for name in INPUTS
    ]
    try:
        for row in tqdm(rows, desc="inputs", mininterval=5):
            add("embedding", model.hidden(torch.tensor([list(row)])))
            count += len(row)
    finally:
        for handle in handles:
            handle.remove()
    return {name: moment.double() / count for name, moment in moments.items()}


def inverse_factor(moment: Tensor) -> Tensor:
    """Upper triangular U with U^T U = (H + damping)^-1, float32."""
    damped = moment + DAMPING * moment.diagonal().mean() * torch.eye(len(moment), dtype=moment.dtype)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(damped))
    return torch.linalg.cholesky(inverse, upper=True).float()


@torch.no_grad()
def code_matrix(weight: Tensor, moment: Tensor, width: int, seed: int) -> CodedMatrix:
    """weight float32 [rows, cols]; width divides neither cols nor the block of necessity."""
    generator = torch.Generator().manual_seed(seed)
    rows, cols = weight.shape
    padded = -(-cols // width) * width
    scales = weight.square().mean(1).sqrt().clamp(min=1e-8)
    left = torch.zeros(rows, padded)
    left[:, :cols] = weight / scales[:, None]
    factor = torch.eye(padded)
    factor[:cols, :cols] = inverse_factor(moment)
    vectors = left.view(-1, width)
    words = kmeans(vectors[torch.randint(len(vectors), (KMEANS_SAMPLES,), generator=generator)], generator)
    limit = max_codeword(width)
    unit = limit / float(words.abs().max())
    book = (words * unit).round().clamp(-limit, limit)
    words = book / unit
    codes = torch.zeros(rows, padded // width, dtype=torch.long)
    step = max(width, BLOCK_COLUMNS // width * width)
    for start in range(0, padded, step):
        end = min(start + step, padded)
        errors = torch.zeros(rows, end - start)
        for at in range(start, end, width):
            group = slice(at, at + width)
            turn = torch.linalg.inv(factor[group, group])
            chosen = nearest(left[:, group] @ turn, words @ turn)
            codes[:, at // width] = chosen
            error = (left[:, group] - words[chosen]) @ turn
            errors[:, at - start : at - start + width] = error
            left[:, at + width : end] -= error @ factor[group, at + width : end]
        left[:, end:] -= errors @ factor[start:end, end:]
    coded = book[codes].view(rows, -1)[:, :cols]
    through = coded @ moment.float()
    best = (through * weight).sum(1) / (through * coded).sum(1).clamp(min=1e-12)
    return CodedMatrix(
        book.numpy().astype(np.int8),
        torch.where(best > 0, best, scales / unit).numpy(),
        codes.numpy().astype(np.uint8),
        cols,
    )


def classifier_moment(moments: dict[str, Tensor]) -> Tensor:
    """What the embedding is coded for: H of the classifier's inputs with mean 1, and its rows as inputs."""
    classifier = moments["embedding"]
    return classifier / classifier.diagonal().mean() + INPUT_SHARE * torch.eye(len(classifier))


def quantise(
    path: Path,
    config: LlamaConfig,
    state: dict[str, Tensor],
    rows: Sequence[Sequence[int]],
    widths: dict[str, int],
    seed: int,
) -> None:
    """Writes a .pspm file without tokenizer. rows: tokens to calibrate on; widths by matrix, and "other"."""
    moments = gather_inputs(build(config, state), rows)
    mixed = classifier_moment(moments)
    coded = {"embedding": code_matrix(state["embedding"], mixed, widths["embedding"], seed)}
    for layer in tqdm(range(config.n_layers), desc="layers", mininterval=5):
        for source, names in INPUTS.items():
            for number, name in enumerate(names):
                full = f"layers.{layer}.{name}.weight"
                width = widths.get(name, widths["other"])
                moment = moments[f"layers.{layer}.{source}"]
                coded[full] = code_matrix(state[full], moment, width, seed + 8 * layer + number)
    write_pspm(path, config, state, coded)


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Code a student's matrices quickly; the file has no tokenizer.")
    parser.add_argument(
        "--model", type=Path, default=command.BUILD / "healed-16384-1152.pt", help="student file"
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--out", type=Path, default=command.BUILD / "quick.pspm", help="file to write, for distil --base"
    )
    parser.add_argument("--tokens", type=int, default=4000, help="calibration tokens")
    parser.add_argument("--embedding-width", type=int, default=3, help="weights a byte in the embedding")
    parser.add_argument("--value-width", type=int, default=4, help="weights a byte in value matrices")
    parser.add_argument("--width", type=int, default=6, help="weights a byte in all others")
    documents.add_options(parser)
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(options, tokens=600, width=2, story_share=0.0, encyclopedia_share=0.0, book_share=0.0)
    loaded = teacher.read_teacher(options.teacher)
    config, state, kept = student.read_student(options.model)
    rows = documents.training_rows(loaded.tokenizer_parts, kept, options, options.tokens)
    widths = {"embedding": options.embedding_width, "value": options.value_width, "other": options.width}
    quantise(options.out, config, state, rows, widths, options.seed)
    print(f"wrote {options.out}: {options.out.stat().st_size} bytes")


if __name__ == "__main__":
    finish(run, make_parser())
