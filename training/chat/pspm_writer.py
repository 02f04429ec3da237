"""Writes .pspm files without tokenizer and chat template, for training."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import numpy as np
from torch import Tensor

from training.chat.coded_student import MATRIX_ROLES, interleaved
from training.chat.llama import LlamaConfig
from training.chat.pspm_format import (
    CONFIG,
    LLAMA,
    CodedMatrix,
    Entry,
    PspmConfig,
    assemble,
    pack_tensors,
)

SEQ_LEN = 2048
LAYER_ORDER = (
    *("attention_norm", "query", "key", "value", "attention_output"),
    *("ffn_norm", "gate", "up", "down"),
)


def write_pspm(
    path: Path, config: LlamaConfig, state: dict[str, Tensor], coded: dict[str, CodedMatrix]
) -> None:
    """A whole file: norms of `state` as floats, matrices and embedding as coded (names of llama.py)."""
    entries: list[Entry] = [("token_embedding", 0, coded["embedding"])]
    for layer in range(config.n_layers):
        for role in LAYER_ORDER:
            name = f"layers.{layer}.{MATRIX_ROLES.get(role, role)}"
            if role.endswith("norm"):
                entries.append((role, layer, state[name].float().numpy()[None]))
            elif role in ("query", "key"):
                entries.append((role, layer, interleaved(coded[name + ".weight"], config.head_dim)))
            else:
                entries.append((role, layer, coded[name + ".weight"]))
    entries.append(("final_norm", 0, state["final_norm"].float().numpy()[None]))
    shape = PspmConfig(
        architecture=LLAMA,
        dim=config.hidden_dim,
        hidden_dim=config.ffn_dim,
        n_layers=config.n_layers,
        n_heads=config.n_heads,
        n_kv_heads=config.n_kv_heads,
        vocab_size=config.vocab_size,
        seq_len=SEQ_LEN,
        tied_classifier=1,
        rope_base=config.rope_theta,
        norm_epsilon=config.norm_epsilon,
    )
    half = np.arange(0, config.head_dim, 2) / config.head_dim
    directory, weights = pack_tensors(entries)
    sections = {
        "config": CONFIG.pack(*astuple(shape)),
        "about": b"name: quick codes, without a tokenizer\n",
        "rope": (config.rope_theta**-half).astype("<f4").tobytes(),
        "tensors": directory,
        "weights": weights,
    }
    path.write_bytes(assemble(sections))
