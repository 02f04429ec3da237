"""Reads .pspm files, writes them back with changed numbers (engine/model/pspm_format.hpp, code_layout.hpp).

Shapes and codes stay; codebooks, row scales, floats and the description may change. Checksums are XXH32.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

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


class PspmFile:
    """A .pspm file in memory. Every checksum is checked when it is opened, and made anew when it is saved."""

    def __init__(self, content: bytes, origin: str) -> None:
        self._content, self._origin = bytearray(content), origin
        self.sections = self._read_sections()
        for name in ("config", "tensors", "weights"):
            if name not in self.sections:
                raise ValueError(f"{origin}: no {name} section in it")
        self.config = PspmConfig(*CONFIG.unpack_from(self._content, self.sections["config"][0]))
        self.tensors = self._read_directory()

    @staticmethod
    def read(path: Path) -> PspmFile:
        return PspmFile(path.read_bytes(), str(path))

    def section(self, name: str) -> bytes:
        offset, size = self.sections[name]
        return bytes(self._content[offset : offset + size])

    def codes(self, tensor: PspmTensor) -> CodedMatrix:
        """Codebook, row scales and codes of a tensor in the format `codes`, the codes row-major."""
        layout = Layout.of(tensor)
        payload = np.frombuffer(bytes(self._content[tensor.offset : tensor.offset + tensor.bytes]), np.uint8)
        codebook = payload[: CODEBOOK_WORDS * tensor.group_size].view(np.int8)
        scales_end = layout.scales_offset + 4 * tensor.rows
        row_scales = payload[layout.scales_offset : scales_end].view(np.float32)
        tiles, position = [], layout.codes_offset
        for width in layout.tile_widths:
            tiles.append(payload[position : position + tensor.rows * width].reshape(tensor.rows, width))
            position += tensor.rows * width
        codes = np.concatenate(tiles, axis=1)[:, : layout.groups]
        return CodedMatrix(
            codebook.reshape(CODEBOOK_WORDS, tensor.group_size).copy(),
            row_scales.copy(),
            np.ascontiguousarray(codes),
            tensor.cols,
        )

    def floats(self, tensor: PspmTensor) -> NDArray[np.float32]:
        """A tensor in the format f32, [rows, cols]."""
        count = tensor.rows * tensor.cols
        values = np.frombuffer(self._content, np.float32, count, tensor.offset)
        return values.reshape(tensor.rows, tensor.cols).copy()

    def put_codebook(
        self, tensor: PspmTensor, codebook: NDArray[np.int8], row_scales: NDArray[np.float32]
    ) -> None:
        """Replaces codebook and row scales; the codes stay."""
        limit = max_codeword(tensor.group_size)
        largest = int(np.abs(codebook.astype(np.int32)).max())
        if codebook.shape != (CODEBOOK_WORDS, tensor.group_size) or largest > limit:
            raise ValueError(
                f"codebook of {tensor.name}: expected [256, {tensor.group_size}] of at most {limit}, "
                f"found {list(codebook.shape)} of up to {largest}"
            )
        if row_scales.shape != (tensor.rows,) or not np.isfinite(row_scales).all():
            raise ValueError(f"row scales of {tensor.name}: expected {tensor.rows} finite numbers")
        self._put(tensor, 0, codebook.astype(np.int8).tobytes())
        self._put(tensor, Layout.of(tensor).scales_offset, row_scales.astype("<f4").tobytes())

    def put_floats(self, tensor: PspmTensor, values: NDArray[np.float32]) -> None:
        if values.shape != (tensor.rows, tensor.cols) or not np.isfinite(values).all():
            raise ValueError(f"{tensor.name}: expected {tensor.rows} x {tensor.cols} finite numbers")
        self._put(tensor, 0, values.astype("<f4").tobytes())

    def about_room(self) -> int:
        """Bytes that a description may have, up to the section behind it; 0 where the file has none."""
        if "about" not in self.sections:
            return 0
        offset, _ = self.sections["about"]
        return min(start for start, _ in self.sections.values() if start > offset) - offset

    def put_about(self, text: str) -> None:
        """Replaces the description, which stays where it is."""
        data, room = text.encode(), self.about_room()
        if len(data) > room:
            raise ValueError(f"a description of {len(data)} bytes does not fit the {room} of {self._origin}")
        offset, _ = self.sections["about"]
        self._content[offset : offset + room] = data.ljust(room, b"\0")
        self.sections["about"] = (offset, len(data))

    def save(self, path: Path) -> None:
        """Makes all checksums anew and writes the file, whole or not at all."""
        self._seal()
        temporary = path.with_suffix(".partial")
        temporary.write_bytes(self._content)
        os.replace(temporary, path)

    def _put(self, tensor: PspmTensor, at: int, data: bytes) -> None:
        start = tensor.offset + at
        self._content[start : start + len(data)] = data

    def _read_sections(self) -> dict[str, tuple[int, int]]:
        content, origin = self._content, self._origin
        if len(content) < HEADER.size:
            raise ValueError(
                f"{origin}: {len(content)} bytes are too few for the {HEADER.size} of a .pspm header"
            )
        magic, version, file_bytes, count, checksum = HEADER.unpack_from(content)
        if (magic, version) != (MAGIC, VERSION):
            raise ValueError(
                f"{origin}: expected a .pspm file of version 1, found {magic!r} version {version}"
            )
        if file_bytes != len(content):
            raise ValueError(f"{origin}: its header promises {file_bytes} bytes, there are {len(content)}")
        table_end = HEADER.size + count * SECTION.size
        if table_end > len(content) or self._table_checksum(table_end) != checksum:
            raise ValueError(f"{origin}: the checksum of header and section table is wrong: damaged")
        sections = {}
        for index in range(count):
            kind, checksum, offset, size = SECTION.unpack_from(content, HEADER.size + index * SECTION.size)
            name = SECTION_NAMES.get(kind)
            if name is None or offset + size > len(content):
                raise ValueError(f"{origin}: section {index} (kind {kind}) does not lie within the file")
            if name != "weights" and _digest(content[offset : offset + size]) != checksum:
                raise ValueError(f"{origin}: the checksum of section {name} is wrong: damaged")
            sections[name] = (offset, size)
        return sections

    def _read_directory(self) -> list[PspmTensor]:
        offset, size = self.sections["tensors"]
        weights, weights_bytes = self.sections["weights"]
        tensors = []
        for index in range(size // TENSOR.size):
            role, layer, kind, rows, cols, group, at, n_bytes, checksum = TENSOR.unpack_from(
                self._content, offset + index * TENSOR.size
            )
            if role >= len(ROLES) or at + n_bytes > weights_bytes:
                raise ValueError(f"{self._origin}: tensor {index} does not lie within the weights")
            tensor = PspmTensor(ROLES[role], layer, kind, rows, cols, group, weights + at, n_bytes, index)
            if _digest(self._content[tensor.offset : tensor.offset + n_bytes]) != checksum:
                raise ValueError(f"{self._origin}: the checksum of {tensor.name} is wrong: damaged")
            needed = Layout.of(tensor).bytes if kind == CODES else 4 * rows * cols if kind == F32 else 0
            if n_bytes < needed:
                raise ValueError(f"{self._origin}: {tensor.name} has {n_bytes} bytes, needs {needed}")
            tensors.append(tensor)
        return tensors

    def _table_checksum(self, table_end: int) -> int:
        table = bytearray(self._content[:table_end])
        table[20:24] = bytes(4)  # the checksum itself counts as 0
        return _digest(table)

    def _seal(self) -> None:
        content, (directory, _) = self._content, self.sections["tensors"]
        for tensor in self.tensors:
            checksum = _digest(content[tensor.offset : tensor.offset + tensor.bytes])
            struct.pack_into("<I", content, directory + tensor.index * TENSOR.size + 40, checksum)
        for index, (name, (offset, size)) in enumerate(self.sections.items()):
            if name != "weights":
                place = HEADER.size + index * SECTION.size + 4
                struct.pack_into(
                    "<IQQ", content, place, _digest(content[offset : offset + size]), offset, size
                )
        table_end = HEADER.size + len(self.sections) * SECTION.size
        struct.pack_into("<I", content, 20, self._table_checksum(table_end))


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


def _digest(data: bytes | bytearray) -> int:
    return xxhash.xxh32(bytes(data)).intdigest()
