"""Compares this project's fp32 engine with llama.cpp on one model: perplexity of a text over the same
tokens and windows, and greedy continuations of prompts.

llama.cpp rounds activations to int8 where weights are quantised, and keys and values to 16 bits. So it gets
the same weights as floats and a cache of floats, where both compute in fp32; and the file as it is, for the
perplexity that its users see.

`make peers` does it all; by hand: python tools/peers.py (needs tools/peers-requirements.txt)
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from cyllama.llama.llama_cpp import (
    LlamaBatch,
    LlamaContext,
    LlamaContextParams,
    LlamaModel,
    LlamaModelParams,
)
from gguf import GGMLQuantizationType
from gguf_floats import write_as_floats

PROMPTS = [
    "Once upon a time",
    "The capital of France is",
    "The best way to learn a language is",
    "In the year 1969, men",
    "Water boils when",
    "My favourite animal is the cat because",
    "def fibonacci(n):",
    "The three primary colours are",
    "Dear Sir or Madam,",
    "To bake a cake you need",
]
COMPARED_TOKENS = 20  # of each greedy continuation
LARGEST_DIFFERENCE = 0.005  # of the perplexities


@dataclass(frozen=True)
class PeerReport:
    """What both programs say."""

    tokens: int
    scored_tokens: int
    perplexity: float
    peer_perplexity: float  # of the same weights as floats
    peer_quantised_perplexity: float  # of the file as it is
    equal_continuations: int
    prompts: int

    @property
    def differences(self) -> list[float]:
        """Ours against llama.cpp's floats, and against its quantised file."""
        return [self.perplexity / peer - 1 for peer in (self.peer_perplexity, self.peer_quantised_perplexity)]

    @property
    def holds(self) -> bool:
        near = all(abs(difference) <= LARGEST_DIFFERENCE for difference in self.differences)
        return near and self.equal_continuations == self.prompts


class SizedModel(LlamaModel):
    """With the size that this version's LlamaContext.get_logits_ith() looks for and LlamaModel lacks."""

    @property
    def n_vocab(self) -> int:
        return self.get_vocab().n_vocab


class Peer:
    """llama.cpp on the CPU with one context."""

    def __init__(self, path: Path, context: int, threads: int) -> None:
        parameters = LlamaContextParams()
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = context
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.type_k = parameters.type_v = GGMLQuantizationType.F32.value
        model_parameters = LlamaModelParams()
        model_parameters.n_gpu_layers = 0
        self.model = SizedModel(str(path), model_parameters, verbose=False)
        self.vocabulary = self.model.get_vocab()
        self.context = LlamaContext(self.model, parameters, verbose=False)

    def tokenize(self, text: str) -> list[int]:
        """Tokens with what the vocabulary puts in front of texts; special tokens in the text stay text."""
        return list(self.vocabulary.tokenize(text, True, False))

    def logits(self, tokens: Sequence[int], position: int, first_row: int) -> np.ndarray:
        """Runs tokens at `position` and gives the logits from `first_row` on, float32 [rows, vocabulary]."""
        batch = LlamaBatch(n_tokens=len(tokens), embd=0, n_seq_max=1)
        for i, token in enumerate(tokens):
            batch.add(token, position + i, [0], i >= first_row)
        if self.context.decode(batch) != 0:
            raise RuntimeError("llama.cpp could not run a batch")
        rows = range(first_row, len(tokens))
        return np.array([self.context.get_logits_ith(i) for i in rows], dtype=np.float32)

    def forget(self) -> None:
        self.context.kv_cache_clear()

    def perplexity(self, tokens: Sequence[int], window: int) -> tuple[float, int]:
        """Of whole windows' second halves, as llama.cpp's own tool counts; and how many tokens that are."""
        losses: list[np.ndarray] = []
        for start in range(0, len(tokens) - window + 1, window):
            self.forget()
            part, first = np.array(tokens[start : start + window]), window // 2
            rows = self.logits(part.tolist(), 0, first)[:-1].astype(np.float64)
            largest = rows.max(axis=1)
            normalizers = largest + np.log(np.exp(rows - largest[:, None]).sum(axis=1))
            losses.append(normalizers - rows[np.arange(len(rows)), part[first + 1 :]])
            print(f"llama.cpp: {start + window} of {len(tokens)} tokens", file=sys.stderr)
        every = np.concatenate(losses)
        return math.exp(every.mean()), len(every)

    def continuation(self, prompt: str, count: int) -> bytes:
        """The prompt and `count` greedy tokens behind it, fewer where the text ends before."""
        self.forget()
        tokens, position, text = self.tokenize(prompt), 0, prompt.encode()
        for _ in range(count):
            row = self.logits(tokens, position, len(tokens) - 1)[0]
            position += len(tokens)
            tokens = [int(row.argmax())]
            if tokens[0] == self.vocabulary.token_eos():
                break
            text += self.vocabulary.token_to_piece(tokens[0], 0, False).encode()
        return text


def our_scores(options: argparse.Namespace) -> dict:
    command = [options.program, "eval", options.pspm, "--text", options.text, "--json"]
    command += ["--context", options.context, "--tokens", options.tokens, "--threads", options.threads]
    finished = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE)
    return json.loads(finished.stdout)["model"]


def our_continuation(options: argparse.Namespace, prompt: str, tokens: int) -> bytes:
    command = [options.program, "run", options.pspm, "-i", prompt, "-n", tokens, "-t", 0]
    finished = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE)
    return finished.stdout


def compare(options: argparse.Namespace) -> PeerReport:
    text = options.text.read_text(encoding="utf-8")
    quantised = Peer(options.gguf, options.context, options.threads)
    tokens = quantised.tokenize(text)[: options.tokens]
    quantised_perplexity, scored = quantised.perplexity(tokens, options.context)
    del quantised
    floats = options.gguf.with_suffix(".f32.gguf")
    if not floats.exists():
        write_as_floats(options.gguf, floats)
    peer = Peer(floats, options.context, options.threads)
    equal = sum(continues_alike(options, peer, prompt) for prompt in PROMPTS)
    peer_perplexity, _ = peer.perplexity(tokens, options.context)
    ours = our_scores(options)
    if ours["scored_tokens"] != scored:
        raise ValueError(f"llama.cpp scored {scored} tokens, pspllm {ours['scored_tokens']}")
    return PeerReport(
        len(tokens), scored, ours["perplexity"], peer_perplexity, quantised_perplexity, equal, len(PROMPTS)
    )


def continues_alike(options: argparse.Namespace, peer: Peer, prompt: str) -> bool:
    theirs = peer.continuation(prompt, COMPARED_TOKENS)
    mine = our_continuation(options, prompt, len(peer.tokenize(prompt)) + COMPARED_TOKENS + 4)
    same = mine.startswith(theirs)
    print(f"{'equal' if same else 'DIFFERENT'}: {theirs!r}", file=sys.stderr)
    if not same:
        print(f"pspllm:    {mine!r}", file=sys.stderr)
    return same


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    smollm2 = Path("build/smollm2")
    parser.add_argument(
        "--gguf",
        type=Path,
        default=smollm2 / "SmolLM2-135M-Instruct.Q4_1.gguf",
        help="model for llama.cpp (default: %(default)s)",
    )
    parser.add_argument(
        "--pspm",
        type=Path,
        default=smollm2 / "smollm2-f32.pspm",
        help="the same model for pspllm (default: %(default)s)",
    )
    parser.add_argument(
        "--text",
        type=Path,
        default=Path("../shared/data/text/wikitext2_raw_test.txt"),
        help="text to predict (default: %(default)s)",
    )
    parser.add_argument("--program", type=Path, default=Path("build/pspllm"), help="default: %(default)s")
    parser.add_argument("--context", type=int, default=512, help="tokens of a window (default: %(default)s)")
    parser.add_argument(
        "--tokens", type=int, default=20480, help="tokens of the text's beginning (default: %(default)s)"
    )
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    return parser


def main() -> int:
    options = make_parser().parse_args()
    report = compare(options)
    by_floats, by_file = (100 * difference for difference in report.differences)
    print(f"perplexity of {report.scored_tokens} tokens: pspllm {report.perplexity:.4f}")
    print(f"llama.cpp, the same weights as floats: {report.peer_perplexity:.4f} ({by_floats:+.3f} %)")
    print(f"llama.cpp, the file as it is: {report.peer_quantised_perplexity:.4f} ({by_file:+.3f} %)")
    print(
        f"greedy texts equal for {COMPARED_TOKENS} tokens: {report.equal_continuations} of {report.prompts}"
    )
    if options.json:
        options.json.write_text(json.dumps(asdict(report), indent=1) + "\n")
    return 0 if report.holds else 1


if __name__ == "__main__":
    sys.exit(main())
