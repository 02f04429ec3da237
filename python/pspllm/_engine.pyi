"""The C++ module behind the package; use the package's own functions, which check and document what goes
in."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

system_and_program_bytes: int

class Failure(RuntimeError): ...  # noqa: N818

class Model:
    def __init__(
        self,
        path: str,
        tokenizer: str,
        context: int,
        batch: int,
        logit_rows: int,
        prompt_bytes: int,
        threads: int,
        kernels: str,
        largest_block: int,
    ) -> None: ...
    def shape(self) -> dict[str, Any]: ...
    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...
    def fill_logits(self, tokens: Sequence[int], array: NDArray[np.float32]) -> None: ...

class SamplerOptions:
    def __init__(self, temperature: float, top_p: float, seed: int, repeat_penalty: float) -> None: ...

class TextStream:
    prompt_tokens: int
    generated_tokens: int
    end: str
    def __init__(self, model: Model, prompt: Sequence[int], sampler: SamplerOptions, steps: int) -> None: ...
    def next(self) -> str | None: ...

class ChatTurns:
    used_tokens: int
    end: str
    def __init__(
        self, model: Model, sampler: SamplerOptions, turn_tokens: int, system: str | None
    ) -> None: ...
    def say(self, text: str, listener: Callable[[str], None]) -> str: ...
    def reset(self) -> None: ...

def evaluate(
    model: Model, reference: Model | None, text: str, window: int, all_tokens: bool
) -> dict[str, Any]: ...
def evaluate_conversation(
    model: Model,
    judge: Model | None,
    prompts: Sequence[tuple[str, Sequence[str]]],
    sampled: SamplerOptions,
    turn_tokens: int,
    system: str | None,
) -> dict[str, Any]: ...
def memory_report(
    path: str,
    tokenizer: str,
    device: str,
    partition_bytes: int,
    context: int,
    batch: int,
    prompt_bytes: int,
    format: str,
    code_width: int,
    embedding_width: int,
) -> dict[str, Any]: ...
def quantize_llama2c(path: str, out: str, group_size: int) -> dict[str, Any]: ...
def convert(path: str, out: str, tokenizer: str, format: str, group_size: int) -> dict[str, Any]: ...
