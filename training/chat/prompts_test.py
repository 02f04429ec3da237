"""Plans of conversations and the filter of answers."""

from __future__ import annotations

from random import Random

from training.chat import prompts
from training.chat.filters import AnswerFilter, holds_answer, hopeless, is_english, repeats, says_the_same


def test_no_plan_uses_a_held_out_prompt() -> None:
    held_out = prompts.load_held_out()
    assert len(held_out) == 40
    assert prompts.forbidden_key("what is the CAPITAL of france") in held_out
    plans = [prompts.draw_plan(Random(f"5/{index}"), held_out) for index in range(3000)]
    keys = {prompts.forbidden_key(turn.text) for plan in plans for turn in plan.turns}
    assert not keys & held_out
    assert len(keys) > 2000
    assert {plan.kind for plan in plans} == set(prompts.PLAN_KINDS)
    assert all(1 <= len(plan.turns) <= 4 for plan in plans)
    assert plans[17] == prompts.draw_plan(Random("5/17"), held_out)


def test_right_words_are_found_whole() -> None:
    assert holds_answer("It is 12.", ("12", "twelve"))
    assert not holds_answer("It is 120.", ("12", "twelve"))
    assert not holds_answer("A category.", ("cat",)) or holds_answer("A cat.", ("cat",))
    assert not holds_answer("The concat.", ("cat",))
    assert holds_answer("Anything.", ())


def test_circles_are_seen() -> None:
    assert repeats("I am happy. You are sad. I am happy.")
    assert repeats("one two three four one two three four one two three four")
    assert repeats("It is very very good, really really good and go on, go on.")
    assert not repeats("The cat sat on the mat, and the dog lay near the door.")
    assert says_the_same("The sky is blue today", "Today the sky is blue")


def test_language() -> None:
    assert is_english("“Hola” means hello … it is Spanish, señor.")
    assert not is_english("这是")
    assert not is_english("uno dos tres quatro cinco seis siete ocho nueve diez once doce")
    assert hopeless("1. Take an egg.\n2. Boil it.")


def test_reasons_to_refuse() -> None:
    judge = AnswerFilter(max_same_answer=2)
    answer = "The capital of Italy is Rome."

    def reason(text: str, ended: bool = True, earlier: tuple[str, ...] = ()) -> str | None:
        return judge.refuse("What is the capital of Italy?", text, ended, ("rome",), earlier)

    assert reason(answer) is None
    assert reason(answer, ended=False) == "not ended"
    assert reason("") == "empty"
    assert reason("It is Milan.") == "wrong answer"
    assert reason("Rome, as an AI would say.") == "banned words"
    assert reason(answer, earlier=(answer,)) == "echo"
    assert reason("Rome is " + " and ".join(f"place{i}" for i in range(60)) + " the a of in.") == "too long"
    judge.remember("What is the capital of Italy?", answer)
    judge.remember("What is the capital of Italy?", answer)
    assert reason(answer) == "duplicate"
