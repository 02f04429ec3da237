"""Brings a .pspm file to another recipe: matrices whose rate differs are coded anew, all others stay.

    python -m training.chat.recode --base models/chat-90m/model.pspm --recipe models/recipes/chat-psp1000.json

So the rate of a few matrices can change without distilling from the start: `distil` goes on from what
this writes. The new codes come from the student before quantisation, as in quick_codes.py.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from training.chat import command, documents, student, teacher
from training.chat.coded_student import PAIRED_ROLES, interleaved, matrix_name
from training.chat.llama import build
from training.chat.pspm import PspmFile
from training.chat.pspm_format import CODES, PspmTensor
from training.chat.quick_codes import INPUTS, classifier_moment, code_matrix, gather_inputs
from training.common.commands import finish


def wanted_width(recipe: dict[str, object], tensor: PspmTensor) -> int:
    """Weights a code that a recipe of `pspllm quantize` names for a tensor; its present one where none."""
    if tensor.role == "token_embedding":
        width = recipe.get("embedding", tensor.group_size)
    else:
        matrices = dict(recipe.get("matrices", {}))  # type: ignore[call-overload]
        layers = dict(recipe.get("layers", {}))  # type: ignore[call-overload]
        matrices |= layers.get(str(tensor.layer), {})
        width = matrices.get(tensor.role, tensor.group_size)
    if not isinstance(width, int) or not 1 <= width <= 8:
        raise ValueError(f"recipe: {tensor.name} has {width!r}, expected 1 to 8 weights a code")
    return width


def differing(file: PspmFile, recipe: dict[str, object]) -> dict[int, int]:
    """Directory line -> width of the matrices that the recipe wants otherwise than they are."""
    widths = {one.index: wanted_width(recipe, one) for one in file.tensors if one.format == CODES}
    return {index: width for index, width in widths.items() if width != file.tensors[index].group_size}


def moment_name(tensor: PspmTensor) -> str:
    """The name under which gather_inputs has what a matrix reads."""
    name = matrix_name(tensor).split(".")[2]
    source = next(source for source, names in INPUTS.items() if name in names)
    return f"layers.{tensor.layer}.{source}"


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Bring a .pspm file to another recipe.")
    parser.add_argument(
        "--base", type=Path, default=command.BUILD / "distil" / "distilled.pspm", help="file to start from"
    )
    parser.add_argument(
        "--model",
        type=Path,
        default=command.BUILD / "healed-16384-1152.pt",
        help="what it was quantised from",
    )
    parser.add_argument(
        "--recipe", type=Path, default=Path("models/recipes/chat-psp1000.json"), help="rates that are wanted"
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument("--out", type=Path, default=command.BUILD / "recoded.pspm", help="file to write")
    parser.add_argument("--tokens", type=int, default=8000, help="calibration tokens")
    documents.add_options(parser)
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(options, tokens=600, story_share=0.0, encyclopedia_share=0.0, book_share=0.0)
    file = PspmFile.read(options.base)
    changes = differing(file, json.loads(options.recipe.read_text()))
    loaded = teacher.read_teacher(options.teacher)
    config, state, kept = student.read_student(options.model)
    rows = documents.training_rows(loaded.tokenizer_parts, kept, options, options.tokens)
    moments = gather_inputs(build(config, state), rows)
    replaced = {}
    for index, width in changes.items():
        tensor = file.tensors[index]
        if tensor.role == "token_embedding":
            name, moment = "embedding", classifier_moment(moments)
        else:
            name, moment = matrix_name(tensor), moments[moment_name(tensor)]
        matrix = code_matrix(state[name], moment, width, options.seed + index)
        replaced[index] = interleaved(matrix, config.head_dim) if tensor.role in PAIRED_ROLES else matrix
        print(f"{tensor.name}: {tensor.group_size} -> {width} weights a code")
    file.with_matrices(replaced).save(options.out)
    print(f"wrote {options.out}: {options.out.stat().st_size} bytes, {len(changes)} matrices changed")


if __name__ == "__main__":
    finish(run, make_parser())
