"""GGUF files with every tensor in F32: the same model, or one whose tensors have been changed on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from gguf import GGUFReader, GGUFValueType, GGUFWriter, dequantize

Change = Callable[[str, np.ndarray], np.ndarray]


def unchanged(_name: str, values: np.ndarray) -> np.ndarray:
    return values


def write_as_floats(source: Path, target: Path, change: Change = unchanged) -> None:
    """Copies metadata and tensors; `change` is given each tensor's name and values, float32 [rows, columns].
    An interrupted run leaves no half file.
    """
    reader, partial = GGUFReader(source), target.with_suffix(".partial")
    writer = GGUFWriter(partial, str(reader.fields["general.architecture"].contents()))
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        element = field.types[-1] if field.types[0] == GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), field.types[0], element)
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, change(tensor.name, values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(target)
