"""What a .pspm file is made of: structs, roles, byte-code matrices.

The same in C++: pspm_format.hpp, code_layout.hpp in engine/model.
Checksums are XXH32. pspm.py reads and changes whole files, pspm_writer.py makes them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

MAGIC, VERSION = b"PSPM", 1
HEADER = struct.Struct("<4sIQII40x")  # magic, version, file bytes, section count, checksum
SECTION = struct.Struct("<IIQQ8x")  # kind, checksum, offset, bytes
CONFIG = struct.Struct("<9I2f20x")
TENSOR = struct.Struct("<6IQQI20x")
SECTION_NAMES = {1: "config", 2: "about", 3: "tokenizer", 4: "chat", 5: "rope", 6: "tensors", 7: "weights"}
ROLES = (
    "token_embedding",
    "attention_norm",
    "query",
    "key",
    "value",
    "attention_output",
    "ffn_norm",
    "gate",
    "down",
    "up",
    "final_norm",
    "classifier",
)
F32, Q80, CODES = 0, 1, 2  # TensorFormat
LLAMA = 1  # PspmConfig.architecture

CODEBOOK_WORDS = 256
TILE_GROUPS, TILE_STEP, ALIGNMENT = 16, 4, 64
MAX_ACTIVATION = 127


def max_codeword(code_width: int) -> int:
    """Largest magnitude of a codebook entry: a sum of code_width products with activations must fit int16."""
    return min(127, 32767 // (MAX_ACTIVATION * code_width))


def align_up(value: int, step: int) -> int:
    return -(-value // step) * step


@dataclass(frozen=True)
class PspmConfig:
    """Shape of the model; names as in the file."""

    architecture: int
    dim: int
    hidden_dim: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    vocab_size: int
    seq_len: int
    tied_classifier: int
    rope_base: float
    norm_epsilon: float


@dataclass(frozen=True)
class PspmTensor:
    """One line of the directory; offset counts from the start of the file."""

    role: str
    layer: int
    format: int
    rows: int
    cols: int
    group_size: int
    offset: int
    bytes: int
    index: int  # line of the directory

    @property
    def name(self) -> str:
        return f"{self.role} of layer {self.layer}"


@dataclass(frozen=True)
class CodedMatrix:
    """weight[row, group * width + k] = codebook[codes[row, group], k] * row_scales[row]."""

    codebook: NDArray[np.int8]  # [256, code width]
    row_scales: NDArray[np.float32]  # [rows]
    codes: NDArray[np.uint8]  # [rows, groups]; the last group may reach past the columns
    cols: int

    def weights(self) -> NDArray[np.float32]:
        """The matrix as floats [rows, cols]."""
        words = self.codebook.astype(np.float32)[self.codes]
        return words.reshape(len(self.codes), -1)[:, : self.cols] * self.row_scales[:, None]


@dataclass(frozen=True)
class Layout:
    """Where the parts of a byte-code matrix lie (code_layout.hpp)."""

    groups: int
    tile_widths: tuple[int, ...]
    scales_offset: int
    codes_offset: int
    bytes: int

    @staticmethod
    def of(tensor: PspmTensor) -> Layout:
        width = tensor.group_size
        if not 1 <= width <= 8:
            raise ValueError(f"{tensor.name}: code width {width}, expected 1 to 8")
        groups = -(-tensor.cols // width)
        stored = align_up(groups, TILE_STEP)
        tile_widths = tuple(min(TILE_GROUPS, stored - start) for start in range(0, stored, TILE_GROUPS))
        scales_offset = align_up(CODEBOOK_WORDS * width, ALIGNMENT)
        codes_offset = scales_offset + align_up(4 * tensor.rows, ALIGNMENT)
        end = codes_offset + align_up(tensor.rows * stored, ALIGNMENT)
        return Layout(groups, tile_widths, scales_offset, codes_offset, end)


def check_matrix(matrix: CodedMatrix, name: str) -> None:
    """Refuses what the engine would: words that are too large, scales that are no numbers."""
    width = matrix.codebook.shape[1]
    limit, largest = max_codeword(width), int(np.abs(matrix.codebook.astype(np.int32)).max())
    if len(matrix.codebook) != CODEBOOK_WORDS or largest > limit:
        raise ValueError(
            f"codebook of {name}: expected [{CODEBOOK_WORDS}, {width}] of at most {limit}, "
            f"found {list(matrix.codebook.shape)} of up to {largest}"
        )
    if matrix.row_scales.shape != (len(matrix.codes),) or not np.isfinite(matrix.row_scales).all():
        raise ValueError(f"row scales of {name}: expected {len(matrix.codes)} finite numbers")


def coded_payload(matrix: CodedMatrix) -> bytes:
    """Codebook, row scales, codes in tiles, as a tensor of the format `codes` has them."""
    rows, groups = matrix.codes.shape
    stored = np.zeros((rows, align_up(groups, TILE_STEP)), np.uint8)
    stored[:, :groups] = matrix.codes
    tiles = [
        stored[:, start : start + TILE_GROUPS].tobytes() for start in range(0, stored.shape[1], TILE_GROUPS)
    ]
    scales = matrix.row_scales.astype("<f4").tobytes()
    return padded(matrix.codebook.tobytes()) + padded(scales) + padded(b"".join(tiles))


Entry = tuple[str, int, CodedMatrix | NDArray[np.float32]]  # role, layer, codes or floats [rows, cols]


def pack_tensors(entries: Iterable[Entry]) -> tuple[bytes, bytes]:
    """The sections `tensors` and `weights` of a file with these tensors, in this order."""
    directory, payloads, offset = b"", [], 0
    for role, layer, value in entries:
        if isinstance(value, CodedMatrix):
            payload, kind, width = coded_payload(value), CODES, value.codebook.shape[1]
            rows, cols = len(value.codes), value.cols
        else:
            payload, kind, width = padded(value.astype("<f4").tobytes()), F32, 0
            rows, cols = value.shape
        place = (ROLES.index(role), layer, kind, rows, cols, width, offset, len(payload), digest(payload))
        directory += TENSOR.pack(*place)
        payloads.append(payload)
        offset += len(payload)
    return directory, b"".join(payloads)


def padded(data: bytes) -> bytes:
    """Zeros behind the data up to the next multiple of ALIGNMENT."""
    return data + bytes(align_up(len(data), ALIGNMENT) - len(data))


def digest(data: bytes | bytearray) -> int:
    return xxhash.xxh32(bytes(data)).intdigest()


def assemble(sections: Mapping[str, bytes]) -> bytes:
    """A whole file of the sections in the order given; the weights' checksums stand in their directory."""
    kinds = {name: kind for kind, name in SECTION_NAMES.items()}
    position = align_up(HEADER.size + SECTION.size * len(sections), ALIGNMENT)
    table, body = b"", b""
    for name, data in sections.items():
        checksum = 0 if name == "weights" else digest(data)
        table += SECTION.pack(kinds[name], checksum, position + len(body), len(data))
        body += data if name == "weights" else padded(data)
    gap = bytes(position - HEADER.size - len(table))

    def header(checksum: int) -> bytes:
        return HEADER.pack(MAGIC, VERSION, position + len(body), len(sections), checksum)

    return header(digest(header(0) + table)) + table + gap + body
