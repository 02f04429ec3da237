"""Reads .pspm files, changes the numbers in them, writes them back (the format: pspm_format.py)."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.chat.pspm_format import (
    CODEBOOK_WORDS,
    CODES,
    CONFIG,
    F32,
    HEADER,
    MAGIC,
    ROLES,
    SECTION,
    SECTION_NAMES,
    TENSOR,
    VERSION,
    CodedMatrix,
    Entry,
    Layout,
    PspmConfig,
    PspmTensor,
    assemble,
    check_matrix,
    coded_payload,
    digest,
    pack_tensors,
)


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

    def put_matrix(self, tensor: PspmTensor, matrix: CodedMatrix) -> None:
        """Replaces a matrix by one of the same shape and width."""
        check_matrix(matrix, tensor.name)
        shape = (len(matrix.codes), matrix.cols, matrix.codebook.shape[1])
        if shape != (tensor.rows, tensor.cols, tensor.group_size):
            raise ValueError(
                f"{tensor.name}: expected [{tensor.rows}, {tensor.cols}] with {tensor.group_size} "
                f"weights a code, found [{shape[0]}, {shape[1]}] with {shape[2]}"
            )
        self._put(tensor, 0, coded_payload(matrix))

    def with_matrices(self, replaced: Mapping[int, CodedMatrix]) -> PspmFile:
        """A file like this one; the tensors of these directory lines are other matrices, of any width."""
        entries: list[Entry] = []
        for tensor in self.tensors:
            if tensor.index in replaced:
                check_matrix(replaced[tensor.index], tensor.name)
                entries.append((tensor.role, tensor.layer, replaced[tensor.index]))
            elif tensor.format == CODES:
                entries.append((tensor.role, tensor.layer, self.codes(tensor)))
            else:
                entries.append((tensor.role, tensor.layer, self.floats(tensor)))
        directory, weights = pack_tensors(entries)
        sections = {name: self.section(name) for name in self.sections}
        return PspmFile(assemble(sections | {"tensors": directory, "weights": weights}), self._origin)

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
            if name != "weights" and digest(content[offset : offset + size]) != checksum:
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
            if digest(self._content[tensor.offset : tensor.offset + n_bytes]) != checksum:
                raise ValueError(f"{self._origin}: the checksum of {tensor.name} is wrong: damaged")
            needed = Layout.of(tensor).bytes if kind == CODES else 4 * rows * cols if kind == F32 else 0
            if n_bytes < needed:
                raise ValueError(f"{self._origin}: {tensor.name} has {n_bytes} bytes, needs {needed}")
            tensors.append(tensor)
        return tensors

    def _table_checksum(self, table_end: int) -> int:
        table = bytearray(self._content[:table_end])
        table[20:24] = bytes(4)  # the checksum itself counts as 0
        return digest(table)

    def _seal(self) -> None:
        content, (directory, _) = self._content, self.sections["tensors"]
        for tensor in self.tensors:
            checksum = digest(content[tensor.offset : tensor.offset + tensor.bytes])
            struct.pack_into("<I", content, directory + tensor.index * TENSOR.size + 40, checksum)
        for index, (name, (offset, size)) in enumerate(self.sections.items()):
            if name != "weights":
                place = HEADER.size + index * SECTION.size + 4
                struct.pack_into(
                    "<IQQ", content, place, digest(content[offset : offset + size]), offset, size
                )
        table_end = HEADER.size + len(self.sections) * SECTION.size
        struct.pack_into("<I", content, 20, self._table_checksum(table_end))
