"""Tokens, logits, texts and chats against the command line and against each other."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pspllm
import pytest
from conftest import ROOT, STORIES


def test_text_is_the_command_lines(model: pspllm.Model, command_text: Callable[..., str]) -> None:
    for prompt, temperature, top_p, seed, steps in [
        ("Once upon a time", 0.0, 0.9, 1, 64),
        ("Lily saw a", 0.8, 0.9, 7, 100),
        ("", 1.0, 1.0, 42, 40),
        ("Zoë said “hi” 🙂", 1.2, 0.5, 2**63 + 5, 50),
        ("One day", 0.9, 0.95, 3, 256),
    ]:
        ours = "".join(model.generate(prompt, temperature=temperature, top_p=top_p, seed=seed, steps=steps))
        theirs = command_text(
            "-i", prompt, "-t", str(temperature), "-p", str(top_p), "-s", str(seed), "-n", str(steps)
        )
        assert ours == theirs
        assert ours.startswith(prompt)


def test_text_counts_its_tokens(model: pspllm.Model) -> None:
    text = model.generate("Once upon a time", temperature=0, steps=20)
    assert text.end == ""
    pieces = list(text)
    assert len(pieces) > 1
    assert text.prompt_tokens == len(model.encode("Once upon a time"))
    assert text.prompt_tokens - 1 + text.generated_tokens == 20
    assert text.end == "steps done"
    assert next(text, None) is None


def test_a_new_text_ends_the_old_one(model: pspllm.Model) -> None:
    old = model.generate("Once", temperature=0)
    next(old)
    new = model.generate("Once", temperature=0)
    next(new)
    with pytest.raises(pspllm.Failure, match="another text has begun"):
        next(old)
    next(new)


def test_tokens_go_there_and_back(model: pspllm.Model) -> None:
    text = "Tom and Lily said: “¿Qué?” 🙂\nThe end."
    tokens = model.encode(text)
    assert tokens[0] == 1
    assert model.decode(tokens) == text
    assert model.encode("") == [1]


def test_greedy_text_follows_the_logits(model: pspllm.Model) -> None:
    prompt = "Once upon a time there was"
    text = "".join(model.generate(prompt, temperature=0, steps=40))
    tokens = model.encode(prompt)
    logits = model.logits(tokens)
    assert logits.shape == (len(tokens), model.shape.vocab_size)
    assert logits.dtype == np.float32
    while len(tokens) < 41 and (token := int(model.logits(tokens)[-1].argmax())) not in (1, 2):
        tokens.append(token)
    assert model.decode(tokens) == text
    # A row depends on the tokens before it alone, bit for bit.
    assert np.array_equal(model.logits(tokens)[: len(logits)], logits)


def test_kernels_and_threads_have_one_result(model: pspllm.Model) -> None:
    tokens = model.encode("The cat sat on the mat and looked at the big red ball.")
    other = pspllm.Model(STORIES, kernels="reference", threads=2)
    assert np.array_equal(other.logits(tokens), model.logits(tokens))


def test_bad_use_is_one_sentence(model: pspllm.Model, tmp_path: Path) -> None:
    with pytest.raises(pspllm.Failure, match="missing"):
        pspllm.Model(tmp_path / "missing.bin")
    (tmp_path / "model.bin").write_bytes(STORIES.read_bytes()[:5000])
    with pytest.raises(pspllm.Failure, match="5000|5,000"):
        pspllm.Model(tmp_path / "model.bin", tokenizer=STORIES.with_name("tokenizer.bin"))
    with pytest.raises(pspllm.Failure, match="not in the vocabulary"):
        model.logits([1, model.shape.vocab_size])
    with pytest.raises(pspllm.Failure, match="are more than the context"):
        model.logits([1] * (model.shape.context + 1))
    with pytest.raises(pspllm.Failure, match="zero byte"):
        model.encode("a\0b")
    with pytest.raises(pspllm.Failure, match="leaves no room"):
        model.generate("Once upon a time there was a little girl", steps=3)
    with pytest.raises(ValueError, match="temperature is -1"):
        model.generate(temperature=-1)
    with pytest.raises(ValueError, match="seed is 0"):
        model.generate(seed=0)
    assert model.logits([]).shape == (0, model.shape.vocab_size)


def test_block_limit_is_kept() -> None:
    planned = pspllm.Model(STORIES, context=64, block_limit=2**26).shape.block_bytes
    pspllm.Model(STORIES, context=64, block_limit=planned)
    with pytest.raises(pspllm.Failure, match="block would take"):
        pspllm.Model(STORIES, context=64, block_limit=planned - 1)


def test_interrupt_stops_and_leaves_all_usable(model: pspllm.Model) -> None:
    seen = []
    previous = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        for piece in model.generate("Once", temperature=0):
            seen.append(piece)
            if len(seen) == 3:
                os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is previous
    assert len(seen) == 3
    assert "".join(model.generate("Once", temperature=0)).startswith("".join(seen))


def test_interrupt_stops_long_work() -> None:
    model = pspllm.Model(STORIES, kernels="reference", threads=1)
    tokens = [1] * model.shape.context
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        for _ in range(100):
            model.logits(tokens)
    timer.join()


def test_threads_share_a_model(model: pspllm.Model) -> None:
    tokens = model.encode("Once upon a time")
    expected = model.logits(tokens)
    results: list[bool] = []

    def work() -> None:
        results.extend(np.array_equal(model.logits(tokens), expected) for _ in range(20))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [True] * 60


def test_chat_takes_turns(model: pspllm.Model) -> None:
    chat = model.chat(temperature=0, turn_tokens=12)
    pieces: list[str] = []
    answer = chat.say("Once upon a time there was a dog.", pieces.append)
    assert answer == "".join(pieces) != ""
    used = chat.used_tokens
    assert used > 12
    chat.say(" He was")
    assert chat.used_tokens > used
    chat.reset()
    assert chat.used_tokens == 0
    assert chat.say("Once upon a time there was a dog.") == answer
    with pytest.raises(pspllm.Failure):
        chat.say("dog " * 1000)
    model.logits([1])
    with pytest.raises(pspllm.Failure, match="another text has begun"):
        chat.say("again")
    with pytest.raises(pspllm.Failure, match="tells stories"):
        model.chat(system="You are a pirate.")


def test_other_programs_files_are_converted(tmp_path: Path) -> None:
    source = Path(os.environ.get("PSPLLM_SHARED", ROOT.parent / "shared")) / "data/models/stories260K.gguf"
    if not source.exists():
        pytest.skip(f"{source} is not there")
    converted = tmp_path / "model.pspm"
    pspllm.convert(source, converted)
    direct = "".join(pspllm.Model(source).generate("Once upon a time", temperature=0, steps=40))
    assert direct == "".join(pspllm.Model(converted).generate("Once upon a time", temperature=0, steps=40))
    assert direct.startswith("Once upon a time")
