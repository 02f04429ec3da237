"""What a student is on disk: shape, weights, and which of the teacher's pieces it keeps."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from training.chat.coded_student import config_of, dequantised_state
from training.chat.llama import Llama, LlamaConfig, build
from training.chat.pspm import PspmFile
from training.chat.teacher import Teacher, TokenizerParts
from training.chat.tokenizer import SPECIAL_PIECES, make_tokenizer
from training.common.checkpoint import load_checkpoint, save_checkpoint


@dataclass(frozen=True)
class Student:
    """A smaller model in float32 with its own tokenizer."""

    model: Llama
    tokenizer: Tokenizer
    kept: list[int]  # the teacher's id of each of the student's ids


def read_kept(path: Path) -> list[int]:
    """The kept ids that `vocabulary` wrote."""
    kept = json.loads(path.read_text())["kept"]
    if kept != sorted(set(kept)):
        raise ValueError(f"{path}: expected kept ids in rising order, each once")
    return kept


def kept_pieces(loaded: Teacher, options: argparse.Namespace) -> list[int]:
    """The kept ids that command.add_kept_options' options name."""
    return list(range(loaded.config.vocab_size)) if options.all_pieces else read_kept(options.kept)


def cut_tokenizer(parts: TokenizerParts, kept: list[int]) -> Tokenizer:
    """The tokenizer that knows only the kept pieces and the merges among them."""
    pieces = [parts.pieces[index] for index in kept]
    known = set(pieces)
    merges = [(a, b) for a, b in parts.merges if a in known and b in known and a + b in known]
    return make_tokenizer(pieces, merges, [piece for piece in SPECIAL_PIECES if piece in known])


def cut_state(loaded: Teacher, kept: list[int]) -> tuple[LlamaConfig, dict[str, Tensor]]:
    """The teacher with the kept rows of its embedding."""
    state = dict(loaded.state)
    state["embedding"] = state["embedding"][torch.tensor(kept)]
    return loaded.config.resized(vocab_size=len(kept)), state


def save_student(
    path: Path, config: LlamaConfig, state: dict[str, Tensor], kept: list[int], notes: dict[str, Any]
) -> None:
    """Weights in bfloat16 in one file, written whole or not at all."""
    weights = {name: value.detach().to("cpu", torch.bfloat16) for name, value in state.items()}
    save_checkpoint(path, {"config": config.to_dict(), "weights": weights, "kept": kept, "notes": notes})


def read_student(path: Path) -> tuple[LlamaConfig, dict[str, Tensor], list[int]]:
    """What save_student wrote, in float32."""
    content = load_checkpoint(path)
    weights = {name: value.float() for name, value in content["weights"].items()}
    return LlamaConfig.from_dict(content["config"]), weights, content["kept"]


def load_student(path: Path | None, loaded: Teacher, kept_file: Path) -> Student:
    """A student file as a model; a `kept-*.json` file stands for the teacher with its vocabulary cut, None
    for the whole teacher.

    Of a .pspm file, whose tokenizer is not read here, `kept_file` names the kept pieces.
    """
    if path is None:
        whole = loaded.tokenizer_parts.build()
        return Student(build(loaded.config, loaded.state), whole, list(range(loaded.config.vocab_size)))
    if path.suffix == ".pspm":
        kept = read_kept(kept_file)
        file = PspmFile.read(path)
        config, state = config_of(file), dequantised_state(file)
        if config.vocab_size != len(kept):
            raise ValueError(f"{path} has {config.vocab_size} pieces, {kept_file} names {len(kept)}")
    elif path.suffix == ".json":
        kept = read_kept(path)
        config, state = cut_state(loaded, kept)
    else:
        config, state, kept = read_student(path)
    return Student(build(config, state), cut_tokenizer(loaded.tokenizer_parts, kept), kept)
