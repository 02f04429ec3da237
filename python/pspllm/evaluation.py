"""How well a model predicts a text, and how well it converses: `pspllm eval` from Python."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pspllm import _engine
from pspllm.checks import whole
from pspllm.model import Model, sampler_options

# The shortest window whose second half predicts a token.
_SHORTEST_WINDOW = 4


@dataclass(frozen=True)
class Score:
    """One model on texts."""

    tokens: int
    """Predicted."""
    bytes: int
    """That the predicted tokens spell."""
    perplexity: float
    """Of a token of this vocabulary."""
    perplexity_error: float
    """Standard error, as if neighbouring tokens were independent."""
    bits_per_byte: float
    """Does not depend on the vocabulary: compare models by it."""


@dataclass(frozen=True)
class Mean:
    """A mean over tokens with its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Evaluation(Score):
    """A model's score on a text, and what compares it with a reference."""

    reference: Score | None
    divergence: Mean | None
    """Kullback-Leibler divergence from the reference, nats a token; None where there is none, or where it
    splits the text into other tokens."""
    same_likeliest_token: Mean | None
    """How often both think the same token the likeliest."""


@dataclass(frozen=True)
class Prompt:
    """What people say first."""

    words: str
    right_words: Sequence[str] = ()
    """A right answer holds one of them; empty: no check."""


@dataclass(frozen=True)
class Answer:
    """What a model said."""

    prompt: str
    text: str
    ended: bool
    """By itself."""
    is_right: bool | None
    """None where the prompt has no right words."""


@dataclass(frozen=True)
class Answers:
    """Answers made one way. Shares are 0 where there is nothing to count."""

    name: str
    """"greedy", or the sampler's settings."""
    answers: tuple[Answer, ...]
    judged: Score | None
    """How well the judge predicts their texts; None without a judge."""
    repeated_share: float
    """Of all groups of four words, those that stood earlier in the same answer."""
    ended_share: float
    right_share: float
    """Of the answers that can be checked."""


def evaluate(
    model: Model, text: str, *, window: int = 512, all_tokens: bool = True, reference: Model | None = None
) -> Evaluation:
    """Predicts a text in windows that share nothing, as `pspllm eval` does.

    window: tokens, shortened to the models' contexts. all_tokens: score every token behind a window's first;
    False: of each whole window the second half, as llama.cpp's perplexity tool counts. reference: a model to
    compare with. Ends texts and chats in progress. Raises Failure where the text is too short.
    """
    models = [model] if reference is None else [model, reference]
    window = min(whole("window", window, _SHORTEST_WINDOW), *(one.shape.seq_len for one in models))
    engines = [one.engine_for(window) for one in models]
    window = min(window, *(one.shape.context for one in models))
    report = _engine.evaluate(engines[0], None if reference is None else engines[1], text, window, all_tokens)
    other = report.get("reference")
    return Evaluation(
        **_fields(report["model"]),
        reference=other and Score(**_fields(other)),
        divergence=_mean(report, "divergence"),
        same_likeliest_token=_mean(report, "same_likeliest_token"),
    )


def evaluate_conversation(
    model: Model,
    prompts: Sequence[Prompt],
    *,
    judge: Model | None = None,
    temperature: float = 0.7,
    top_p: float = 0.9,
    repeat_penalty: float = 1.1,
    seed: int = 1,
    turn_tokens: int = 200,
    system: str | None = None,
) -> tuple[Answers, Answers]:
    """Lets the model answer every prompt in a conversation of its own, greedily and then as the sampler's
    settings say, as `pspllm eval --conversation` does.

    judge: scores the answers' texts behind their prompts, in its own tokens. seed: prompt i has seed + i.
    turn_tokens: longest answer. system: prompt; None: each template's own. Ends texts and chats in progress.
    Raises Failure where a model has no chat template, or a prompt does not fit.
    """
    report = _engine.evaluate_conversation(
        model.engine,
        judge and judge.engine,
        [(prompt.words, list(prompt.right_words)) for prompt in prompts],
        sampler_options(temperature, top_p, whole("seed", seed, 1, 2**62), repeat_penalty),
        whole("turn_tokens", turn_tokens, 1),
        system,
    )
    greedy, sampled = (_answers(one) for one in report["sets"])
    return greedy, sampled


def _fields(score: dict[str, Any]) -> dict[str, Any]:
    return {
        "tokens": score["scored_tokens"],
        "bytes": score["scored_bytes"],
        "perplexity": score["perplexity"],
        "perplexity_error": score["perplexity_error"],
        "bits_per_byte": score["bits_per_byte"],
    }


def _mean(report: dict[str, Any], name: str) -> Mean | None:
    return Mean(**report[name]) if name in report else None


def _answers(report: dict[str, Any]) -> Answers:
    judged = report.get("judged")
    return Answers(
        report["name"],
        tuple(
            Answer(one["prompt"], one["answer"], one["ended"], one.get("right")) for one in report["answers"]
        ),
        judged and Score(**_fields(judged)),
        report["repeated_4grams"]["share"],
        report["ended"]["share"],
        report["right"]["share"],
    )
