"""What a model would need on a console with so much memory, whether it runs there, and how fast."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pspllm import _engine
from pspllm.checks import Path, text_path
from pspllm.memory import Budget, Numbers, budget
from pspllm.model import Model, needs_conversion
from pspllm.speed import estimated_tokens_per_second


@dataclass(frozen=True)
class Plan:
    """A model at one choice of numbers, laid over the limit."""

    label: str
    budget: Budget
    numbers: Numbers | None
    """None: the file as it is."""

    @property
    def tokens_per_second(self) -> float:
        """Of a console: an estimate."""
        return estimated_tokens_per_second(self.budget)


@dataclass(frozen=True)
class Run:
    """A text that was made inside the limit, on this computer."""

    label: str
    text: str
    tokens: int
    seconds: float
    block_bytes: int
    allowed_bytes: int

    @property
    def tokens_per_second(self) -> float:
        """Of this computer, the prompt's pass included."""
        return self.tokens / self.seconds


def numbers_for(bits: float) -> Numbers:
    """The number format that comes closest to so many bits a weight of the layers' matrices: 32: floats; 8:
    q80; 4 to 1: byte codes of 8 / bits weights a byte, with an embedding of at least 4 bits. Raises
    ValueError."""
    if bits == 32:
        return Numbers("f32")
    if bits == 8:
        return Numbers("q80")
    if 1 <= bits <= 4:
        width = round(8 / bits)
        return Numbers("codes", width, 2)
    raise ValueError(f"--bits {bits:g} is not possible, expected 32, 8, or 4 to 1")


def label_of(numbers: Numbers) -> str:
    """For tables and pictures."""
    if numbers.format == "codes":
        return "1 bit" if numbers.code_width == 8 else f"{8 / numbers.code_width:.3g} bits"
    return {"f32": "32 bits (f32)", "q80": "8 bits (q80)"}[numbers.format]


def make_plans(
    model: Path, memory: int, context: int, bits: Sequence[float], tokenizer: Path | None = None
) -> list[Plan]:
    """The file as it is, where the engine opens it so, then each of the bits. Raises Failure, ValueError."""
    choices: list[tuple[str, Numbers | None]] = []
    if not needs_conversion(text_path(model)):
        choices.append(("as it is", None))
    choices += [(label_of(numbers), numbers) for numbers in map(numbers_for, bits)]
    return [
        Plan(
            label,
            budget(model, context=context, tokenizer=tokenizer, partition_bytes=memory, numbers=numbers),
            numbers,
        )
        for label, numbers in choices
    ]


def runnable_plan(plans: Sequence[Plan]) -> Plan | None:
    """The first that fits and needs no quantiser: the file as it is, or what a converted file would be."""
    for plan in plans:
        is_converted = plan.numbers is not None and plan.numbers.format == "q80"
        if plan.budget.fits and (plan.numbers is None or is_converted):
            return plan
    return None


def run_inside(
    model: Path,
    plan: Plan,
    memory: int,
    prompt: str,
    *,
    tokenizer: Path | None = None,
    temperature: float = 0.0,
    seed: int = 1,
    on_piece: Callable[[str], None] = lambda _piece: None,
) -> Run:
    """Makes a text as long as the plan's context in one block of what the limit leaves to the engine. Raises
    Failure where the engine would take more."""
    allowed = memory - _engine.system_and_program_bytes
    loaded = Model(model, tokenizer=tokenizer, context=plan.budget.context, block_limit=allowed)
    start = time.perf_counter()
    text = loaded.generate(prompt, temperature=temperature, seed=seed, steps=plan.budget.context)
    pieces = []
    for piece in text:
        on_piece(piece)
        pieces.append(piece)
    seconds = time.perf_counter() - start
    tokens = text.generated_tokens
    return Run(plan.label, "".join(pieces), tokens, seconds, loaded.shape.block_bytes, allowed)
