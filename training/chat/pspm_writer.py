"""Writes .pspm files without tokenizer and chat template, for training; the format said a second time."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray
from torch import Tensor

from training.chat.coded_student import MATRIX_ROLES
from training.chat.llama import LlamaConfig
from training.chat.pspm import CODES, F32, ROLES, TILE_GROUPS, TILE_STEP, CodedMatrix, align_up

SEQ_LEN = 2048
LAYER_ORDER = (
    *("attention_norm", "query", "key", "value", "attention_output"),
    *("ffn_norm", "gate", "up", "down"),
)


def _padded(data: bytes) -> bytes:
    return data + bytes(align_up(len(data), 64) - len(data))


def _digest(data: bytes) -> int:
    return xxhash.xxh32(data).intdigest()


def coded_payload(matrix: CodedMatrix) -> bytes:
    """Codebook, row scales, codes in tiles (code_layout.hpp)."""
    rows, groups = matrix.codes.shape
    stored = np.zeros((rows, align_up(groups, TILE_STEP)), np.uint8)
    stored[:, :groups] = matrix.codes
    tiles = [
        stored[:, start : start + TILE_GROUPS].tobytes() for start in range(0, stored.shape[1], TILE_GROUPS)
    ]
    scales = matrix.row_scales.astype("<f4").tobytes()
    return _padded(matrix.codebook.tobytes()) + _padded(scales) + _padded(b"".join(tiles))


def interleaved(matrix: CodedMatrix, head_dim: int) -> CodedMatrix:
    """Query or key rows from half-split order to pairs side by side."""
    order = np.arange(len(matrix.codes)).reshape(-1, 2, head_dim // 2).transpose(0, 2, 1).reshape(-1)
    return replace(matrix, row_scales=matrix.row_scales[order], codes=matrix.codes[order])


def write_pspm(
    path: Path, config: LlamaConfig, state: dict[str, Tensor], coded: dict[str, CodedMatrix]
) -> None:
    """A whole file: norms of `state` as floats, matrices and embedding as coded (names of llama.py)."""
    entries: list[tuple[str, int, CodedMatrix | NDArray[np.float32]]] = [
        ("token_embedding", 0, coded["embedding"])
    ]
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
    directory, payloads, offset = b"", [], 0
    for role, layer, value in entries:
        if isinstance(value, CodedMatrix):
            payload, kind, width = coded_payload(value), CODES, value.codebook.shape[1]
            rows, cols = len(value.codes), value.cols
        else:
            payload, kind, width = _padded(value.astype("<f4").tobytes()), F32, 0
            rows, cols = value.shape
        directory += struct.pack(
            "<6IQQI20x",
            ROLES.index(role),
            layer,
            kind,
            rows,
            cols,
            width,
            offset,
            len(payload),
            _digest(payload),
        )
        payloads.append(payload)
        offset += len(payload)
    shape = struct.pack(
        "<9I2f20x",
        1,
        config.hidden_dim,
        config.ffn_dim,
        config.n_layers,
        config.n_heads,
        config.n_kv_heads,
        config.vocab_size,
        SEQ_LEN,
        1,
        config.rope_theta,
        config.norm_epsilon,
    )
    half = np.arange(0, config.head_dim, 2) / config.head_dim
    rope = (config.rope_theta**-half).astype("<f4").tobytes()
    about = b"name: quick codes, without a tokenizer\n"
    path.write_bytes(_assemble({1: shape, 2: about, 5: rope, 6: directory, 7: b"".join(payloads)}))


def _assemble(sections: dict[int, bytes]) -> bytes:
    position = align_up(64 + 32 * len(sections), 64)
    table, body = b"", b""
    for kind, data in sections.items():
        checksum = 0 if kind == 7 else _digest(data)
        table += struct.pack("<IIQQ8x", kind, checksum, position + len(body), len(data))
        body += data if kind == 7 else _padded(data)
    head = bytes(position - 64 - len(table))

    def header(checksum: int) -> bytes:
        return struct.pack("<4sIQII40x", b"PSPM", 1, position + len(body), len(sections), checksum)

    return header(_digest(header(0) + table)) + table + head + body
