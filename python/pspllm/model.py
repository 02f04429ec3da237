"""A loaded model: tokens, logits, texts, chats."""

import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import NDArray

from pspllm import _engine
from pspllm.checks import Path, real, text_path, whole

# Positions that get logits in one pass of Model.logits().
_BATCH = 8
# Longest text that can be encoded; costs memory only where a text is that long.
_PROMPT_BYTES = 1 << 20
# What the console's program plans for.
_CONSOLE_PROMPT_BYTES = 4096


@dataclass(frozen=True)
class Shape:
    """What a model is and how it is loaded."""

    kind: str
    """Of its file: "llama2.c version 2 (q80)", say."""
    parameters: int
    vocab_size: int
    seq_len: int
    """Longest context that it was trained for."""
    dim: int
    hidden_dim: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    context: int
    """Positions of the key/value cache."""
    int8_cache: bool
    """Whether keys and values are int8."""
    block_bytes: int
    """The engine's one block of memory."""


class Text(Iterator[str]):
    """A text in the making: iterate for its pieces, which are whole characters, the prompt first.

    All pieces together are what `pspllm run` prints for the same prompt, options and steps, less the line end
    behind it. One model makes one text at a time: beginning another one on it ends this one with Failure.
    """

    def __init__(self, stream: _engine.TextStream) -> None:
        self._stream = stream

    def __next__(self) -> str:
        piece = self._stream.next()
        if piece is None:
            raise StopIteration
        return piece

    @property
    def prompt_tokens(self) -> int:
        """Of the prompt, with the one that begins a text."""
        return self._stream.prompt_tokens

    @property
    def generated_tokens(self) -> int:
        """So far."""
        return self._stream.generated_tokens

    @property
    def end(self) -> str:
        """How the text ended, in words; empty before."""
        return self._stream.end


class Chat:
    """A person and a model taking turns; it stays in the key/value cache."""

    def __init__(self, turns: _engine.ChatTurns) -> None:
        self._turns = turns

    def say(self, text: str, on_piece: Callable[[str], None] | None = None) -> str:
        """The model's answer; on_piece is called with each piece as it is made.

        Raises Failure where the text leaves no room in the context (the chat is then unchanged), or another
        text has begun on the same model.
        """
        return self._turns.say(text, on_piece or _ignore)

    def reset(self) -> None:
        """Forget everything said."""
        self._turns.reset()

    @property
    def used_tokens(self) -> int:
        """Of the context, so far."""
        return self._turns.used_tokens

    @property
    def end(self) -> str:
        """How the last answer ended, in words; empty before."""
        return self._turns.end


class Model:
    """A model in memory: anything that `pspllm run` opens, and what `pspllm convert` reads.

    path: a .pspm file or a llama2.c checkpoint; a GGUF file or a Hugging Face folder is converted to q80
    first (into a temporary file). tokenizer: vocabulary file; None: the one in the file or beside it.
    context: positions of the key/value cache; 0: the model's own. threads: 0: all cores where rows are big.
    kernels: a set of kernels, all of the same bits ("best", "reference", ...). block_limit: bytes that the
    engine's block may have; the model is then planned as on a console. None: any.

    Raises Failure: damaged files, no tokenizer, a block beyond the limit.
    """

    def __init__(
        self,
        path: Path,
        *,
        tokenizer: Path | None = None,
        context: int = 0,
        threads: int = 0,
        kernels: str = "best",
        block_limit: int | None = None,
    ) -> None:
        self._tokenizer = text_path(tokenizer)
        self._threads = whole("threads", threads, 0, 256)
        self._kernels = kernels
        self._block_limit = None if block_limit is None else whole("block_limit", block_limit, 1, 2**63)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._path = text_path(path)
        if needs_conversion(self._path):
            self._convert()
        # For the package's other modules.
        self.engine = self._load(whole("context", context, 0))
        self.path = text_path(path)
        self.shape = Shape(**self.engine.shape())

    def _convert(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pspllm-")
        converted = str(FilePath(self._folder.name) / "model.pspm")
        _engine.convert(self._path, converted, self._tokenizer, "q80", 0)
        self._path, self._tokenizer = converted, ""

    def _load(self, context: int) -> _engine.Model:
        is_console = self._block_limit is not None
        return _engine.Model(
            self._path,
            self._tokenizer,
            context,
            _BATCH,
            1 if is_console else _BATCH,
            _CONSOLE_PROMPT_BYTES if is_console else _PROMPT_BYTES,
            self._threads,
            self._kernels,
            self._block_limit or 0,
        )

    def encode(self, text: str) -> list[int]:
        """The text's tokens, behind the one that begins a text where the vocabulary has one."""
        return self.engine.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""
        return self.engine.decode(tokens)

    def logits(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Scores of the next token behind every token of a text: [len(tokens), vocab_size].

        tokens: the whole text from its beginning, at most the context. Ends texts and chats in progress.
        """
        array = np.empty((len(tokens), self.shape.vocab_size), dtype=np.float32)
        self.engine.fill_logits(tokens, array)
        return array

    def generate(
        self,
        prompt: str = "",
        *,
        temperature: float = 1.0,
        top_p: float = 0.9,
        seed: int | None = None,
        steps: int = 256,
        repeat_penalty: float = 1.0,
    ) -> Text:
        """A text that begins with the prompt, made as it is iterated over.

        temperature: 0: always the likeliest token. top_p: keep the likeliest tokens that together exceed
        this; 0 or 1: keep all. seed: of the random numbers, from 1; None: a fresh one. steps: positions in
        all, the prompt's tokens included, at most the context; 0: the whole context. repeat_penalty: 1: off.
        """
        sampler = sampler_options(temperature, top_p, seed, repeat_penalty)
        engine = self.engine_for(whole("steps", steps, 0))
        return Text(_engine.TextStream(engine, engine.encode(prompt), sampler, steps))

    def engine_for(self, steps: int) -> _engine.Model:
        """The C++ model for texts of so many positions. Weights of attention over an int8 cache are rounded
        by its length (docs/numerics.md), and the command line makes it as long as its steps: to give the same
        text, such a model is loaded again where they differ."""
        length = min(steps, self.shape.seq_len) or self.shape.context
        if self.shape.int8_cache and length != self.shape.context:
            self.engine = self._load(length)
            self.shape = Shape(**self.engine.shape())
        return self.engine

    def chat(
        self,
        *,
        temperature: float = 1.0,
        top_p: float = 0.9,
        seed: int | None = None,
        turn_tokens: int = 200,
        repeat_penalty: float = 1.0,
        system: str | None = None,
    ) -> Chat:
        """A chat by the model's template, or one story told together where it has none, as `pspllm chat`.

        turn_tokens: longest answer. system: the system prompt; None: the template's own. The others as in
        generate(). Raises Failure where there is a system prompt but no template.
        """
        sampler = sampler_options(temperature, top_p, seed, repeat_penalty)
        longest = whole("turn_tokens", turn_tokens, 1)
        return Chat(_engine.ChatTurns(self.engine, sampler, longest, system))


def sampler_options(
    temperature: float, top_p: float, seed: int | None, repeat_penalty: float
) -> _engine.SamplerOptions:
    """Checked; a seed of None becomes a random one."""
    chosen = secrets.randbits(63) | 1 if seed is None else whole("seed", seed, 1, 2**64 - 1)
    return _engine.SamplerOptions(
        real("temperature", temperature, 0.0, 1000.0),
        real("top_p", top_p, 0.0, 1.0),
        chosen,
        real("repeat_penalty", repeat_penalty, 0.01, 100.0),
    )


def needs_conversion(path: str) -> bool:
    """Whether the engine does not open it as it is but convert() reads it: a folder or a GGUF file."""
    place = FilePath(path)
    if place.is_dir():
        return True
    if not place.is_file():
        return False
    with place.open("rb") as file:
        return file.read(4) == b"GGUF"


def _ignore(_piece: str) -> None:
    pass
