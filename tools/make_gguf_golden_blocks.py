"""Writes host/formats/testdata/golden_blocks.gguf: random blocks of every number format that the importer
knows, each beside the floats that the Python package `gguf` makes of them.

python tools/make_gguf_golden_blocks.py host/formats/testdata/golden_blocks.gguf   (needs gguf 0.19.0)
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFWriter, dequantize

VALUES = 512  # of each format: two of the largest blocks

# Each format, and where the half-precision scales lie in its blocks: bytes of their offsets.
SCALE_OFFSETS: dict[str, list[int]] = {
    "F32": [],
    "F16": [],
    "BF16": [],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q8_0": [0],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "TQ1_0": [52],
    "TQ2_0": [64],
}


def random_floats(name: str, generator: np.random.Generator) -> np.ndarray:
    """The bytes of random F32, BF16 or F16 numbers, some of them zero or denormal halves."""
    floats = generator.standard_normal(VALUES).astype(np.float32) * np.float32(0.1)
    floats[:4] = [0.0, -0.0, 6e-8, -3e-5]
    if name == "F32":
        return floats.view(np.uint8)
    if name == "BF16":
        return (floats.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    return floats.astype(np.float16).view(np.uint8)


def random_blocks(name: str, generator: np.random.Generator) -> np.ndarray:
    """Random bytes [1, bytes]; scales are finite halves of either sign, the second block's denormal."""
    if not SCALE_OFFSETS[name]:
        return random_floats(name, generator).reshape(1, -1)
    values, size = GGML_QUANT_SIZES[GGMLQuantizationType[name]]
    blocks = generator.integers(0, 256, (VALUES // values, size), dtype=np.uint8)
    for index, block in enumerate(blocks):
        for offset in SCALE_OFFSETS[name]:
            scale = 3e-6 if index == 1 else generator.standard_normal() * 0.01
            block[offset : offset + 2] = np.array([scale], dtype=np.float16).view(np.uint8)
    return blocks.reshape(1, -1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path, help="file to write")
    options = parser.parse_args()
    generator = np.random.default_rng(7)
    writer = GGUFWriter(options.out, "none")
    for name in SCALE_OFFSETS:
        blocks = random_blocks(name, generator)
        format_type = GGMLQuantizationType[name]
        raw = blocks.view(np.float32) if name == "F32" else blocks
        raw = blocks.view(np.float16) if name == "F16" else raw
        writer.add_tensor(name, raw, raw_dtype=format_type)
        writer.add_tensor(f"{name}.floats", dequantize(raw, format_type).astype(np.float32).reshape(1, -1))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
