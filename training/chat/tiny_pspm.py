"""Writes small .pspm files for tests, with a plain nearest-word quantiser: the format said a second time.

What ships is written by `pspllm quantize`.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray
from torch import Tensor

from training.chat.coded_student import MATRIX_ROLES
from training.chat.llama import LlamaConfig
from training.chat.pspm import CODES, F32, ROLES, TILE_GROUPS, TILE_STEP, align_up, max_codeword

SEQ_LEN = 256


def _padded(data: bytes) -> bytes:
    return data + bytes(align_up(len(data), 64) - len(data))


def _digest(data: bytes) -> int:
    return xxhash.xxh32(data).intdigest()


def coded_payload(weight: NDArray[np.float32], width: int, seed: int) -> bytes:
    """A matrix whose words are 256 of its own groups, chosen at random, and nearest codes."""
    rows, cols = weight.shape
    limit = max_codeword(width)
    scales = np.abs(weight).max(1) / limit
    groups = -(-cols // width)
    padded = np.zeros((rows, groups * width), np.float32)
    padded[:, :cols] = weight / scales[:, None]
    vectors = padded.reshape(-1, width)
    words = np.rint(vectors[np.random.default_rng(seed).choice(len(vectors), 256)]).astype(np.int8)
    floats = words.astype(np.float32)
    distances = (floats**2).sum(1)[None] - 2 * vectors @ floats.T
    codes = distances.argmin(1).astype(np.uint8).reshape(rows, groups)
    stored = np.zeros((rows, align_up(groups, TILE_STEP)), np.uint8)
    stored[:, :groups] = codes
    tiles = [
        stored[:, start : start + TILE_GROUPS].tobytes() for start in range(0, stored.shape[1], TILE_GROUPS)
    ]
    return _padded(words.tobytes()) + _padded(scales.astype("<f4").tobytes()) + _padded(b"".join(tiles))


def interleaved(weight: NDArray[np.float32], head_dim: int) -> NDArray[np.float32]:
    """Query or key rows from half-split order to pairs side by side."""
    halves = weight.reshape(-1, 2, head_dim // 2, weight.shape[1])
    return halves.transpose(0, 2, 1, 3).reshape(weight.shape)


def write_tiny_pspm(path: Path, config: LlamaConfig, state: dict[str, Tensor], width: int = 2) -> None:
    """A whole file: norms as floats, every matrix and the embedding in byte codes of `width` weights."""
    entries: list[tuple[str, int, NDArray[np.float32]]] = [("token_embedding", 0, state["embedding"].numpy())]
    for layer in range(config.n_layers):
        for role in (
            "attention_norm",
            "query",
            "key",
            "value",
            "attention_output",
            "ffn_norm",
            "gate",
            "up",
            "down",
        ):
            name = f"layers.{layer}.{MATRIX_ROLES.get(role, role)}"
            value = state[name if role.endswith("norm") else name + ".weight"].float().numpy()
            if role in ("query", "key"):
                value = interleaved(value, config.head_dim)
            entries.append((role, layer, value.reshape(-1, value.shape[-1])))
    entries.append(("final_norm", 0, state["final_norm"].float().numpy()[None]))
    directory, weights = b"", b""
    for index, (role, layer, value) in enumerate(entries):
        coded = not role.endswith("norm")
        payload = coded_payload(value, width, index) if coded else _padded(value.astype("<f4").tobytes())
        directory += struct.pack(
            "<6IQQI20x",
            ROLES.index(role),
            layer,
            CODES if coded else F32,
            *value.shape,
            width if coded else 0,
            len(weights),
            len(payload),
            _digest(payload),
        )
        weights += payload
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
    path.write_bytes(_assemble({1: shape, 6: directory, 7: weights}))


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
