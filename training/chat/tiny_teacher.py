"""A tiny teacher in a GGUF of the same kind, for smoke runs and tests where the real one is absent.

It is trained for some seconds on made-up answers to questions of `facts`, so that it answers, ends and
can be distilled.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from gguf import GGUFWriter
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from training.chat import facts
from training.chat.llama import Llama, LlamaConfig, random_state
from training.chat.teacher import CONTROL_TOKEN_TYPE, LAYER_TENSORS, TokenizerParts
from training.chat.tokenizer import SPECIAL_PIECES, opening
from training.chat.tokenizer import TURN_END as END

NORMAL_TOKEN_TYPE = 1
VOCABULARY = 640
SHAPE = {"hidden_dim": 64, "ffn_dim": 96, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "head_dim": 16}
STEPS, ROWS = 120, 16


def lessons() -> list[tuple[str, str]]:
    """Questions and right answers."""
    pairs = [
        (f"What is the capital of {land}?", f"The capital is {city}.")
        for land, city in facts.CAPITALS.items()
    ]
    pairs += [
        (f"What color is {thing}?", f"It is {colour.split('|')[0]}.")
        for thing, colour in facts.COLOURS.items()
    ]
    pairs += [
        (f"What is the opposite of {word}?", f"It is {other.split('|')[0]}.")
        for word, other in facts.OPPOSITES.items()
    ]
    pairs += [
        ("Hello!", "Hello my friend!"),
        ("Hi!", "Hello to you!"),
        ("Thanks!", "You are welcome!"),
        ("Bye!", "See you soon!"),
    ]
    return pairs


def train_tokenizer(texts: list[str]) -> TokenizerParts:
    """Byte-level BPE with the marks first, as in the real one."""
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    specials = [*SPECIAL_PIECES, "<unused>"]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=specials,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    library.train_from_iterator(texts, trainer)
    merges = [tuple(merge) for merge in json.loads(library.to_str())["model"]["merges"]]
    pieces = [piece for piece, _ in sorted(library.get_vocab().items(), key=lambda item: item[1])]
    return TokenizerParts(pieces, merges, specials)


def train_model(config: LlamaConfig, tokenizer: Tokenizer, seed: int) -> Llama:
    """Some seconds of training on the lessons."""
    model = Llama(config)
    model.load_state_dict(random_state(config, seed))
    rows = [tokenizer.encode(opening(None, question) + answer + END).ids for question, answer in lessons()]
    width = max(map(len, rows))
    padded = torch.tensor([row + [-100] * (width - len(row)) for row in rows])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(STEPS):
        batch = padded[torch.randint(len(rows), (ROWS,), generator=generator)]
        logits = model(batch.clamp(min=0)[:, :-1])
        F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), ignore_index=-100).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model.eval()


def interleave_rows(weight: torch.Tensor, head_dim: int) -> torch.Tensor:
    """GGUF's row order of query and key."""
    rows, columns = weight.shape
    return weight.view(rows // head_dim, 2, head_dim // 2, columns).transpose(1, 2).reshape(rows, columns)


def write_tiny_teacher(path: Path, seed: int) -> None:
    """Makes the model and writes it, unless the file is there."""
    if path.exists():
        return
    parts = train_tokenizer([f"{question} {answer}" for question, answer in lessons()] * 2)
    config = LlamaConfig(vocab_size=len(parts.pieces), rope_theta=1e4, norm_epsilon=1e-5, **SHAPE)
    write_gguf(path, train_model(config, parts.build(), seed), parts)


def write_gguf(path: Path, model: Llama, parts: TokenizerParts) -> None:
    """A GGUF in float32 as read_teacher reads it; written beside first."""
    config = model.config
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    writer = GGUFWriter(partial, "llama")
    writer.add_embedding_length(config.hidden_dim)
    writer.add_feed_forward_length(config.ffn_dim)
    writer.add_block_count(config.n_layers)
    writer.add_head_count(config.n_heads)
    writer.add_head_count_kv(config.n_kv_heads)
    writer.add_rope_freq_base(config.rope_theta)
    writer.add_layer_norm_rms_eps(config.norm_epsilon)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(parts.pieces)
    writer.add_token_merges([" ".join(merge) for merge in parts.merges])
    writer.add_token_types(
        [CONTROL_TOKEN_TYPE if piece in parts.specials else NORMAL_TOKEN_TYPE for piece in parts.pieces]
    )
    state = model.state_dict()
    writer.add_tensor("token_embd.weight", state["embedding"].numpy())
    writer.add_tensor("output_norm.weight", state["final_norm"].numpy())
    for index in range(config.n_layers):
        for theirs, ours in LAYER_TENSORS.items():
            value = state[f"layers.{index}.{ours}"]
            if theirs in ("attn_q", "attn_k"):
                value = interleave_rows(value, config.head_dim)
            writer.add_tensor(f"blk.{index}.{theirs}.weight", value.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(path)
