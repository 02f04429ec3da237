"""llama2.c's files: tokenizer.bin, v0 (fp32, legacy) and v2 (q80) checkpoints, written and read."""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch
from torch import Tensor

from training.common.bpe import Vocabulary
from training.common.llama import Llama, LlamaConfig

MAGIC = 0x616B3432  # "ak42", the first word of v1 and v2
Q80_VERSION = 2
Q80_HEADER_BYTES = 256
Q80_LARGEST = 127
SHAPE = struct.Struct("<7i")  # dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len


def write_file(path: Path, content: bytes) -> None:
    """Writes under a temporary name, then renames."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".partial")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def tokenizer_bytes(vocabulary: Vocabulary) -> bytes:
    """tokenizer.bin: u32 longest piece; then for each id f32 score, i32 length, bytes."""
    parts = [struct.pack("<I", max(len(piece) for piece in vocabulary.pieces))]
    for piece, score in zip(vocabulary.pieces, vocabulary.scores, strict=True):
        parts.append(struct.pack("<fi", score, len(piece)) + piece)
    return b"".join(parts)


def read_tokenizer(path: Path) -> Vocabulary:
    """Reads a tokenizer.bin."""
    data = path.read_bytes()
    pieces: list[bytes] = []
    scores: list[float] = []
    offset = 4
    while offset < len(data):
        if offset + 8 > len(data):
            raise ValueError(f"{path}: ends inside the record of id {len(pieces)}")
        score, length = struct.unpack_from("<fi", data, offset)
        if length < 0 or offset + 8 + length > len(data):
            raise ValueError(f"{path}: id {len(pieces)} has length {length}, beyond the end of the file")
        pieces.append(data[offset + 8 : offset + 8 + length])
        scores.append(score)
        offset += 8 + length
    return Vocabulary(pieces, scores)


def shape_bytes(config: LlamaConfig, signed_vocabulary: bool) -> bytes:
    """The seven shape words; v0 marks an untied classifier by a negative vocabulary size."""
    vocabulary = -config.vocab_size if signed_vocabulary and not config.tied else config.vocab_size
    return SHAPE.pack(
        config.dim,
        config.hidden_dim,
        config.n_layers,
        config.n_heads,
        config.n_kv_heads,
        vocabulary,
        config.context,
    )


def norm_weights(model: Llama) -> Iterator[Tensor]:
    """The norms in v2's order: attention by layer, feed-forward by layer, final."""
    yield from (layer.attention_norm.weight for layer in model.layers)
    yield from (layer.ffn_norm.weight for layer in model.layers)
    yield model.norm.weight


def layer_matrices(model: Llama) -> Iterator[Tensor]:
    """The layers' matrices in v2's order: one kind after the other, each by layer."""
    for part, names in (("attention", ("wq", "wk", "wv", "wo")), ("feed_forward", ("w1", "w2", "w3"))):
        for name in names:
            yield from (getattr(getattr(layer, part), name).weight for layer in model.layers)


def quantized_weights(model: Llama) -> Iterator[Tensor]:
    """All matrices in v2's order; a tied classifier is not repeated."""
    yield model.embedding.weight
    yield from layer_matrices(model)
    if not model.config.tied:
        yield model.classifier.weight


def float_weights(model: Llama) -> Iterator[Tensor]:
    """All tensors in v0's order; a tied classifier is not repeated."""
    matrices = list(layer_matrices(model))
    attention, feed_forward = matrices[: 4 * model.config.n_layers], matrices[4 * model.config.n_layers :]
    yield model.embedding.weight
    yield from (layer.attention_norm.weight for layer in model.layers)
    yield from attention
    yield from (layer.ffn_norm.weight for layer in model.layers)
    yield from feed_forward
    yield model.norm.weight
    yield model.rope_cosine
    yield model.rope_sine
    if not model.config.tied:
        yield model.classifier.weight


def fp32_bytes(tensor: Tensor) -> bytes:
    return tensor.detach().cpu().float().contiguous().numpy().astype("<f4").tobytes()


def quantize_q80(weight: Tensor, group_size: int) -> tuple[np.ndarray, np.ndarray]:
    """int8 codes [groups, group_size] and fp32 scales [groups].

    Scale = max|w| / 127, quotient rounded half to even; all in fp32, as in llama2.c's export.py. A group of
    zeros gets scale 0 and codes 0.
    """
    groups = weight.detach().cpu().float().contiguous().numpy().reshape(-1, group_size)
    scales = np.abs(groups).max(axis=1) / np.float32(Q80_LARGEST)
    divisors = np.where(scales == 0, np.float32(1), scales)
    return np.rint(groups / divisors[:, None]).astype(np.int8), scales


def check_group_size(model: Llama, group_size: int) -> None:
    for row in (model.config.dim, model.config.hidden_dim):
        if group_size < 1 or row % group_size != 0:
            raise ValueError(f"group size {group_size} does not divide a row of {row} weights")


def v0_bytes(model: Llama) -> bytes:
    """A legacy fp32 checkpoint."""
    return shape_bytes(model.config, signed_vocabulary=True) + b"".join(map(fp32_bytes, float_weights(model)))


def v2_bytes(model: Llama, group_size: int) -> bytes:
    """A q80 checkpoint."""
    check_group_size(model, group_size)
    header = struct.pack("<Ii", MAGIC, Q80_VERSION) + shape_bytes(model.config, signed_vocabulary=False)
    header += struct.pack("<Bi", int(model.config.tied), group_size)
    parts = [header.ljust(Q80_HEADER_BYTES, b"\0"), *map(fp32_bytes, norm_weights(model))]
    for weight in quantized_weights(model):
        codes, scales = quantize_q80(weight, group_size)
        parts += [codes.tobytes(), scales.astype("<f4").tobytes()]
    return b"".join(parts)


def take_fp32(file: BinaryIO, path: Path, tensor: Tensor) -> None:
    """Fills a tensor from the next fp32 values of a file."""
    data = file.read(4 * tensor.numel())
    if len(data) != 4 * tensor.numel():
        raise ValueError(f"{path}: ends inside a tensor of shape {tuple(tensor.shape)}")
    values = np.frombuffer(data, dtype="<f4").copy()
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(values).view(tensor.shape))


def take_q80(file: BinaryIO, path: Path, tensor: Tensor, group_size: int) -> None:
    """Fills a tensor with the dequantised next codes and scales of a file."""
    groups = tensor.numel() // group_size
    data = file.read(tensor.numel() + 4 * groups)
    if len(data) != tensor.numel() + 4 * groups:
        raise ValueError(f"{path}: ends inside a tensor of shape {tuple(tensor.shape)}")
    codes = np.frombuffer(data, dtype=np.int8, count=tensor.numel()).reshape(groups, group_size)
    scales = np.frombuffer(data, dtype="<f4", offset=tensor.numel())
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(codes.astype(np.float32) * scales[:, None]).view(tensor.shape))


def read_shape(data: bytes, path: Path, tied: bool | None) -> LlamaConfig:
    """A config of seven shape words; tied None: by the sign of the vocabulary size."""
    if len(data) != SHAPE.size:
        raise ValueError(f"{path}: ends inside the header")
    *shape, vocabulary, context = SHAPE.unpack(data)
    try:
        return LlamaConfig(*shape, abs(vocabulary), context, tied=vocabulary > 0 if tied is None else tied)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def read_model(path: Path) -> Llama:
    """A model of a v0 or v2 checkpoint; q80 weights are dequantised."""
    with open(path, "rb") as file:
        start = file.read(8)
        if len(start) == 8 and struct.unpack("<Ii", start) == (MAGIC, Q80_VERSION):
            return read_v2(file, path)
        file.seek(0)
        if start[:4] == struct.pack("<I", MAGIC):
            raise ValueError(f"{path}: a llama2.c file of another version than 0 and 2")
        model = Llama(read_shape(file.read(SHAPE.size), path, tied=None))
        for tensor in float_weights(model):
            take_fp32(file, path, tensor)
        expect_end(file, path)
    return model.eval()


def read_v2(file: BinaryIO, path: Path) -> Llama:
    """The rest of a v2 file, after its first two words."""
    shape = file.read(SHAPE.size)
    flags = file.read(5)
    if len(flags) != 5:
        raise ValueError(f"{path}: ends inside the header")
    tied, group_size = struct.unpack("<Bi", flags)
    model = Llama(read_shape(shape, path, tied=bool(tied)))
    try:
        check_group_size(model, group_size)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    file.seek(Q80_HEADER_BYTES)
    for tensor in norm_weights(model):
        take_fp32(file, path, tensor)
    for tensor in quantized_weights(model):
        take_q80(file, path, tensor, group_size)
    expect_end(file, path)
    return model.eval()


def expect_end(file: BinaryIO, path: Path) -> None:
    if file.read(1):
        raise ValueError(f"{path}: bytes follow the last tensor")
