"""Writes a student as a Hugging Face folder, which `pspllm quantize` and other programs read.

    python -m training.chat.export --model build/chat/heal-16384-1152/healed.pt --out build/chat/healed-hf

Query and key rows are in Hugging Face's half-split order, as in the student file.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

from training.chat import command, student, teacher
from training.chat.llama import LlamaConfig
from training.chat.tokenizer import END_OF_TEXT, SPECIAL_PIECES, TURN_END, TURN_START
from training.common.commands import finish

LAYER_NAMES = {
    "attention_norm": "input_layernorm",
    "query": "self_attn.q_proj",
    "key": "self_attn.k_proj",
    "value": "self_attn.v_proj",
    "output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
}
CONTEXT = 2048  # positions; the teacher was trained with 8,192, students see at most 512
# ChatML without a default system prompt: students are trained to do without.
CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def published_name(name: str) -> str:
    """Hugging Face's name of one of llama.py's tensors."""
    if name == "embedding":
        return "model.embed_tokens.weight"
    if name == "final_norm":
        return "model.norm.weight"
    _, layer, part, *_ = name.split(".")
    return f"model.layers.{layer}.{LAYER_NAMES[part]}.weight"


def model_config(config: LlamaConfig, tokenizer: Tokenizer) -> dict[str, Any]:
    """config.json"""
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": config.hidden_dim,
        "intermediate_size": config.ffn_dim,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "num_key_value_heads": config.n_kv_heads,
        "head_dim": config.head_dim,
        "vocab_size": config.vocab_size,
        "max_position_embeddings": CONTEXT,
        "rms_norm_eps": float(f"{config.norm_epsilon:.7g}"),  # a float32 in the GGUF
        "rope_theta": config.rope_theta,
        "rope_scaling": None,
        "tie_word_embeddings": True,
        "attention_bias": False,
        "mlp_bias": False,
        "torch_dtype": "bfloat16",
        "bos_token_id": tokenizer.token_to_id(TURN_START),
        "eos_token_id": tokenizer.token_to_id(TURN_END),
    }


def write_folder(
    folder: Path, config: LlamaConfig, state: dict[str, Tensor], tokenizer: Tokenizer, origin: str
) -> None:
    """config.json, model.safetensors (bfloat16), tokenizer.json, tokenizer_config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {published_name(name): value.to(torch.bfloat16).contiguous() for name, value in state.items()}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    shape = model_config(config, tokenizer) | {"_name_or_path": origin}
    words = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": TURN_START,
        "eos_token": TURN_END,
        "pad_token": TURN_END,
        "unk_token": END_OF_TEXT,
        "additional_special_tokens": [
            piece for piece in SPECIAL_PIECES if tokenizer.token_to_id(piece) is not None
        ],
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    for name, content in (("config.json", shape), ("tokenizer_config.json", words)):
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser("Write a student as a Hugging Face folder.")
    parser.add_argument(
        "--model", type=Path, default=command.BUILD / "heal-16384-1152" / "healed.pt", help="student file"
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument("--out", type=Path, default=command.BUILD / "healed-hf", help="folder to write")
    parser.add_argument(
        "--name",
        default="SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), 16,384 pieces, feed-forward 1152, healed",
        help="origin of the model, for config.json",
    )
    return parser


def run(options: argparse.Namespace) -> None:
    command.shrink(options)
    loaded = teacher.read_teacher(options.teacher)
    config, state, kept = student.read_student(options.model)
    tokenizer = student.cut_tokenizer(loaded.tokenizer_parts, kept)
    write_folder(options.out, config, state, tokenizer, options.name)
    print(f"wrote {options.out}: {sum(value.numel() for value in state.values()) / 1e6:.1f} M parameters")


if __name__ == "__main__":
    finish(run, make_parser())
