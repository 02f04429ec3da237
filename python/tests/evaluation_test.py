"""Scores and conversations against the command line."""

import json
import subprocess
from pathlib import Path

import pspllm
import pytest
from conftest import STORIES

STORY = "Once upon a time, there was a little girl named Lily. She liked to play with her dog. " * 3


@pytest.fixture(scope="session")
def chat_path(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story model with a chat template."""
    path = tmp_path_factory.mktemp("chat") / "chat.pspm"
    subprocess.run([command, "convert", STORIES, path, "--template", "plain"], check=True)
    return path


def test_evaluation_gives_the_models_known_score(model: pspllm.Model) -> None:
    score = pspllm.evaluate(model, STORY)
    assert score.bytes == len(STORY)
    assert score.tokens == len(model.encode(STORY)) - 1
    assert 0.1 < score.bits_per_byte < 1.2
    assert score.reference is None
    noise = pspllm.evaluate(model, "qzx vbn mlkj wrt pfg hdsy qqx zzv")
    assert noise.bits_per_byte > 3 * score.bits_per_byte
    with pytest.raises(pspllm.Failure, match="too few"):
        pspllm.evaluate(model, "Once", all_tokens=False)
    with pytest.raises(ValueError, match="window is 3"):
        pspllm.evaluate(model, STORY, window=3)


@pytest.mark.parametrize("all_tokens", [True, False])
def test_evaluation_is_the_command_lines(
    model: pspllm.Model, command: Path, tmp_path: Path, all_tokens: bool
) -> None:
    text = tmp_path / "story.txt"
    text.write_text(STORY)
    arguments = [
        command,
        "eval",
        STORIES,
        "--text",
        text,
        "--context",
        "32",
        "--reference",
        STORIES,
        "--json",
    ]
    output = subprocess.run(arguments + ["--all-tokens"] * all_tokens, check=True, capture_output=True)
    theirs = json.loads(output.stdout)
    ours = pspllm.evaluate(model, STORY, window=32, all_tokens=all_tokens, reference=model)
    assert ours.perplexity == theirs["model"]["perplexity"]
    assert ours.bits_per_byte == theirs["model"]["bits_per_byte"]
    assert ours.reference is not None
    assert ours.reference.perplexity == ours.perplexity
    assert ours.same_likeliest_token == pspllm.Mean(1.0, 0.0)


def test_conversation_is_the_command_lines(command: Path, chat_path: Path, tmp_path: Path) -> None:
    prompts = [pspllm.Prompt("Tell me of a dog.", ["dog"]), pspllm.Prompt("Hello!")]
    lines = tmp_path / "prompts.jsonl"
    lines.write_text(
        "".join(json.dumps({"prompt": one.words, "any_of": list(one.right_words)}) + "\n" for one in prompts)
    )
    arguments = [command, "eval", chat_path, "--conversation", lines, "--judge", chat_path]
    output = subprocess.run([*arguments, "--turn-tokens", "20", "--json"], check=True, capture_output=True)
    theirs = json.loads(output.stdout)["sets"]
    chat = pspllm.Model(chat_path)
    ours = pspllm.evaluate_conversation(chat, prompts, judge=chat, turn_tokens=20)
    for our, their in zip(ours, theirs, strict=True):
        assert our.name == their["name"]
        assert [one.text for one in our.answers] == [one["answer"] for one in their["answers"]]
        assert our.judged is not None
        assert our.judged.perplexity == their["judged"]["perplexity"]
        assert our.ended_share == their["ended"]["share"]
        assert our.answers[1].is_right is None


def test_conversation_needs_a_chat_template(model: pspllm.Model) -> None:
    with pytest.raises(pspllm.Failure, match="no chat template"):
        pspllm.evaluate_conversation(model, [pspllm.Prompt("Hello!")])
