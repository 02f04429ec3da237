"""SmolLM2 as llama.cpp's quantisers below 2.1 bits a weight leave it, written back as floats, so that any
program can be asked what is left of it.

Those formats work on 256 weights of a row at a time, and SmolLM2's rows of 576 are no multiple: llama.cpp
itself falls back to about 4 bits for them. Here as many rows as it takes are laid behind each other, with
the importances of their columns: every weight of the matrices gets the rate that the format's name promises.
Embedding: Q8_0. Importances (mean squares of each column's input, as llama.cpp's imatrix) come from running
the model on a text.

    python tools/peer_low_bit.py --type IQ2_XXS --out build/smollm2/iq2_xxs.gguf
"""

from __future__ import annotations

import argparse
import ctypes
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize, quantize
from torch import Tensor

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT))

from gguf_floats import write_as_floats  # noqa: E402

from training.chat.llama import build  # noqa: E402
from training.chat.teacher import LAYER_TENSORS, read_teacher  # noqa: E402

SUPER_BLOCK = 256
WINDOW = 512


class Quantizer:
    """ggml's quantisers, from its shared library."""

    def __init__(self, library: Path) -> None:
        ggml = ctypes.CDLL(str(library))
        floats, size = ctypes.POINTER(ctypes.c_float), ctypes.c_int64
        ggml.ggml_quantize_chunk.argtypes = [
            ctypes.c_int,
            floats,
            ctypes.c_void_p,
            size,
            size,
            size,
            floats,
        ]
        ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
        self._chunk = ggml.ggml_quantize_chunk

    def there_and_back(
        self, kind: GGMLQuantizationType, values: np.ndarray, importances: np.ndarray
    ) -> np.ndarray:
        """values [rows, columns], importances [columns], columns a multiple of 256."""
        block_weights, block_bytes = GGML_QUANT_SIZES[kind]
        rows, columns = values.shape
        values = np.ascontiguousarray(values, dtype=np.float32)
        importances = np.ascontiguousarray(importances, dtype=np.float32)
        coded = np.zeros((rows, columns // block_weights * block_bytes), dtype=np.uint8)
        floats = ctypes.POINTER(ctypes.c_float)
        written = self._chunk(
            int(kind),
            values.ctypes.data_as(floats),
            coded.ctypes.data,
            0,
            rows,
            columns,
            importances.ctypes.data_as(floats),
        )
        if written != coded.nbytes:
            raise ValueError(f"ggml wrote {written} bytes of {kind.name}, expected {coded.nbytes}")
        return dequantize(coded, kind).reshape(rows, columns)


def requantised(
    quantizer: Quantizer, kind: GGMLQuantizationType, values: np.ndarray, importances: np.ndarray
) -> np.ndarray:
    """values [rows, columns] with rows laid behind each other until super-blocks fit."""
    rows, columns = values.shape
    joined = SUPER_BLOCK // math.gcd(SUPER_BLOCK, columns)
    if rows % joined != 0:
        raise ValueError(f"{rows} rows of {columns} do not fall into super-blocks of {SUPER_BLOCK}")
    wide = values.reshape(rows // joined, columns * joined)
    return quantizer.there_and_back(kind, wide, np.tile(importances, joined)).reshape(rows, columns)


@torch.no_grad()
def gather_importances(gguf: Path, text: Path, windows: int) -> dict[str, np.ndarray]:
    """Mean squares of the inputs of every matrix, by GGUF's tensor name."""
    teacher = read_teacher(gguf)
    model = build(teacher.config, teacher.state)
    tokens = teacher.tokenizer_parts.build().encode(text.read_text(encoding="utf-8")).ids
    sums: dict[str, Tensor] = {}

    def watch(name: str) -> Callable[[torch.nn.Module, tuple[Tensor, ...]], None]:
        def hook(_module: torch.nn.Module, inputs: tuple[Tensor, ...]) -> None:
            squares = inputs[0].square().mean(dim=(0, 1)).double()
            sums[name] = sums.get(name, torch.zeros_like(squares)) + squares

        return hook

    matrices = {short: long for short, long in LAYER_TENSORS.items() if long.endswith(".weight")}
    for index, layer in enumerate(model.layers):
        for short, long in matrices.items():
            module = getattr(layer, long.removesuffix(".weight"))
            module.register_forward_pre_hook(watch(f"blk.{index}.{short}.weight"))
    for window in range(min(windows, len(tokens) // WINDOW)):
        model.hidden(torch.tensor([tokens[window * WINDOW : (window + 1) * WINDOW]]))
        print(f"importances: {window + 1} of {windows} windows", file=sys.stderr)
    return {name: (total / windows).numpy() for name, total in sums.items()}


def change_of(
    quantizer: Quantizer, kind: GGMLQuantizationType, importances: dict[str, np.ndarray]
) -> Callable[[str, np.ndarray], np.ndarray]:
    def change(name: str, values: np.ndarray) -> np.ndarray:
        if name in importances:
            print(f"{kind.name}: {name}", file=sys.stderr)
            return requantised(quantizer, kind, values, importances[name])
        if name == "token_embd.weight":
            eight_bits = GGMLQuantizationType.Q8_0
            return dequantize(quantize(values, eight_bits), eight_bits)
        return values

    return change


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--type", required=True, choices=["IQ2_XXS", "IQ1_M", "IQ1_S"], help="ggml's format")
    parser.add_argument("--out", required=True, type=Path, help="GGUF file to write, in F32")
    parser.add_argument(
        "--gguf",
        type=Path,
        default=Path("build/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),
        help="model (default: %(default)s)",
    )
    parser.add_argument("--library", required=True, type=Path, help="ggml's libggml-base.so")
    parser.add_argument(
        "--text",
        type=Path,
        default=Path("../shared/data/text/wikitext2_raw_valid.txt"),
        help="text that importances come from (default: %(default)s)",
    )
    parser.add_argument("--windows", type=int, default=32, help="of 512 tokens (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="for importances (default: %(default)s)")
    return parser


def main() -> None:
    options = make_parser().parse_args()
    torch.set_num_threads(options.threads)
    importances = gather_importances(options.gguf, options.text, options.windows)
    kind = GGMLQuantizationType[options.type]
    write_as_floats(options.gguf, options.out, change_of(Quantizer(options.library), kind, importances))


if __name__ == "__main__":
    main()
