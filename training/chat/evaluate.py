"""Perplexity and bits per byte of a model on text, in PyTorch (before quantisation; the engine measures what
ships).
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from tqdm import tqdm

from training.chat import command, corpus, teacher
from training.chat.llama import Llama
from training.chat.precision import autocast
from training.chat.student import load_student
from training.chat.tokenizer import piece_lengths
from training.common.commands import finish
from training.common.places import text_file

WINDOW = 512  # tokens; nothing is carried from one window to the next


@dataclass(frozen=True)
class Score:
    """Quality on one text."""

    tokens: int
    perplexity: float
    bits_per_byte: float


@torch.no_grad()
def token_losses(model: Llama, tokens: Sequence[int]) -> torch.Tensor:
    """Negative log-likelihood in nats of each of tokens[1:] given those before, float32 [len(tokens) - 1]."""
    row = torch.tensor([list(tokens)], device=model.embedding.device)
    with autocast(row.device):
        logits = model(row)[0, :-1]
    return F.cross_entropy(logits.float(), row[0, 1:], reduction="none").cpu()


def score_stream(model: Llama, tokenizer: Tokenizer, text: str, max_tokens: int) -> Score:
    """Windows of 512 tokens over the beginning of a text; the loss a token is scaled to all tokens and
    bytes.
    """
    tokens = tokenizer.encode(text[: 8 * max_tokens]).ids[:max_tokens]
    windows = [tokens[start : start + WINDOW] for start in range(0, len(tokens) - WINDOW + 1, WINDOW)] or [
        tokens
    ]
    losses = torch.cat([token_losses(model, window) for window in tqdm(windows, desc="windows", leave=False)])
    loss, lengths = losses.double().mean().item(), piece_lengths(tokenizer)
    n_bytes = sum(lengths[token] for window in windows for token in window)
    n_tokens = sum(len(window) for window in windows)
    return Score(n_tokens, math.exp(loss), loss / math.log(2) * n_tokens / n_bytes)


def score_answers(
    model: Llama, tokenizer: Tokenizer, conversations: Sequence[corpus.Conversation], max_tokens: int
) -> Score:
    """The assistant's words and its end marks alone, each conversation by itself, the system prompt left
    out.
    """
    lengths, total, n_tokens, n_bytes = piece_lengths(tokenizer), 0.0, 0, 0
    for conversation in conversations:
        tokens, answer = corpus.encode_answers(tokenizer, conversation)
        losses = token_losses(model, tokens)
        for loss, token, mine in zip(losses.tolist(), tokens[1:], answer[1:], strict=True):
            if mine:
                total, n_tokens, n_bytes = total + loss, n_tokens + 1, n_bytes + lengths[token]
        if n_tokens >= max_tokens:
            break
    return Score(n_tokens, math.exp(total / n_tokens), total / math.log(2) / n_bytes)


@torch.no_grad()
def chunked_perplexity(model: Llama, tokenizer: Tokenizer, text: str, chunks: int) -> float:
    """As llama.cpp's perplexity tool counts: of each chunk of 512 tokens, the last 255 predicted in its
    second half.
    """
    tokens = tokenizer.encode(text[: 8 * chunks * WINDOW]).ids
    if len(tokens) < chunks * WINDOW:
        raise ValueError(f"the text has {len(tokens)} tokens, {chunks} chunks of {WINDOW} were asked for")
    losses = [
        token_losses(model, tokens[i * WINDOW : (i + 1) * WINDOW])[WINDOW // 2 :] for i in range(chunks)
    ]
    return math.exp(torch.cat(losses).double().mean().item())


def score_all(
    model: Llama, tokenizer: Tokenizer, conversations: Sequence[corpus.Conversation], max_tokens: int
) -> dict[str, Score]:
    """Scores on the texts that are there: wikitext2 test, TinyStories valid, held-out conversations."""
    scores = {}
    for name, path in (("wikitext2", "wikitext2_raw_test.txt"), ("tinystories", "tinystories_valid.txt")):
        if text_file(path).exists():
            scores[name] = score_stream(
                model, tokenizer, text_file(path).read_text(encoding="utf-8"), max_tokens
            )
    if conversations:
        text = "".join(corpus.render_plain(one) for one in conversations)
        scores["chat"] = score_stream(model, tokenizer, text, max_tokens)
        scores["answers"] = score_answers(model, tokenizer, conversations, max_tokens // 2)
    return scores


def make_parser() -> argparse.ArgumentParser:
    parser = command.make_parser(
        "Bits per byte of the teacher or of a student on text it was not trained on."
    )
    parser.add_argument(
        "--model", type=Path, help="student folder or checkpoint file; without it the teacher is scored"
    )
    parser.add_argument(
        "--kept",
        type=Path,
        default=command.COMMITTED / "kept-16384.json",
        help="kept pieces of a .pspm model",
    )
    parser.add_argument(
        "--teacher", type=Path, default=command.BUILD / teacher.GGUF_NAME, help="GGUF of the teacher"
    )
    parser.add_argument(
        "--conversations",
        type=Path,
        default=command.BUILD / "conversations.jsonl",
        help="JSONL; only its held-out part is used",
    )
    parser.add_argument("--tokens", type=int, default=20_480, help="tokens of each text")
    parser.add_argument("--json", type=Path, help="file to write the scores to")
    return parser


def run(options: argparse.Namespace) -> None:
    torch.set_num_threads(options.threads)
    command.shrink(options, tokens=600)
    loaded = teacher.read_teacher(options.teacher)
    student = load_student(options.model, loaded, options.kept)
    model, tokenizer = student.model.to(command.choose_device(options.device)), student.tokenizer
    _, held_out = (
        corpus.split(corpus.read_conversations(options.conversations))
        if options.conversations.exists()
        else ([], [])
    )
    scores = {
        name: vars(score) for name, score in score_all(model, tokenizer, held_out, options.tokens).items()
    }
    print(json.dumps(scores, indent=1))
    if options.json:
        options.json.write_text(json.dumps(scores, indent=1) + "\n")


if __name__ == "__main__":
    finish(run, make_parser())
