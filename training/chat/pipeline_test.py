"""All stages one after the other with --smoke, healing by two processes, and faults on the way."""

from __future__ import annotations

import csv
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors import safe_open
from tokenizers import Tokenizer

from training.chat import (
    answers,
    calibration,
    command,
    conversations,
    delta,
    distil,
    evaluate,
    export,
    fact_talks,
    heal,
    jsonl,
    picture,
    prompts,
    prune_ffn,
    quick_codes,
    recode,
    student,
    tournament,
    vocabulary,
)
from training.chat import (
    curve as curves,
)
from training.chat.pspm import PspmFile
from training.chat.pspm_format import CODES
from training.common.loop import TrainingError
from training.common.places import PROJECT

COMMANDS = (
    answers,
    calibration,
    conversations,
    curves,
    distil,
    evaluate,
    export,
    fact_talks,
    heal,
    delta,
    picture,
    prune_ffn,
    recode,
    tournament,
    vocabulary,
)


def call(module: ModuleType, *arguments: str) -> None:
    module.run(module.make_parser().parse_args(["--smoke", "--device", "cpu", *arguments]))


def curve(folder: Path) -> list[dict[str, float]]:
    with (folder / "curve.csv").open(encoding="utf-8") as stream:
        return [{name: float(value) for name, value in line.items()} for line in csv.DictReader(stream)]


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory, tiny_gguf: Path) -> Path:
    """A smoke folder after the stages before healing."""
    folder = tmp_path_factory.mktemp("smoke")
    (folder / tiny_gguf.name).write_bytes(tiny_gguf.read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "SMOKE", folder)
        call(conversations)
        call(vocabulary)
        call(prune_ffn)
    return folder


def test_the_whole_chain(
    smoke: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    records = jsonl.read_lines(smoke / "conversations.jsonl")
    assert len(records) > 10
    assert len({record["plan"] for record in records}) == len(records)
    first_plan = conversations.resume_point(smoke / "conversations.jsonl")
    assert first_plan > max(record["plan"] for record in records) - 1
    call(heal)
    run = smoke / "heal-16384-1152"
    lines = curve(run)
    assert lines[-1]["kl_chat"] < 0.8 * lines[0]["kl_chat"]
    assert lines[-1]["bpb_chat"] < lines[0]["bpb_chat"]

    stored_file = smoke / "healed-16384-1152.delta.pt.xz"
    stored_file.write_bytes(lzma.compress((run / "delta.pt").read_bytes(), preset=0))
    call(delta)
    _, direct, _ = student.read_student(run / "healed.pt")
    _, stored, _ = student.read_student(smoke / "healed-16384-1152.pt")
    _, base, _ = student.read_student(smoke / "pruned-16384-1152.pt")
    for name, value in direct.items():
        moved = (value - base[name]).norm()
        assert (stored[name] - value).norm() <= 0.1 * moved + 4e-3 * value.norm(), name

    call(evaluate, "--model", str(smoke / "healed-16384-1152.pt"), "--json", str(smoke / "scores.json"))
    scores = json.loads((smoke / "scores.json").read_text())
    assert 0 < scores["answers"]["bits_per_byte"] < 8
    assert "bits_per_byte" in capsys.readouterr().out


def test_distillation_of_the_quantised_student(
    smoke: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    call(quick_codes, "--model", "pruned-16384-1152.pt", "--out", "quantised.pspm")
    call(distil)
    lines = curve(smoke / "distil")
    assert lines[-1]["kl_chat"] < 0.8 * lines[0]["kl_chat"]
    assert (smoke / "distil" / "distilled.pspm").stat().st_size == (smoke / "quantised.pspm").stat().st_size
    kept = ["--kept", str(smoke / "kept-480.json")]
    scores = []
    for name in ("quantised.pspm", "distil/distilled.pspm"):
        (smoke / "model.pspm").write_bytes((smoke / name).read_bytes())
        call(evaluate, "--model", "model.pspm", *kept, "--json", "scores.json")
        scores.append(json.loads((smoke / "scores.json").read_text())["answers"]["bits_per_byte"])
    assert scores[1] < 0.95 * scores[0]

    call(distil, "--base", "model.pspm", "--folder", "distil-further")
    further = curve(smoke / "distil-further")
    for name in ("kl_chat", "bpb_chat"):  # the file is the model that was trained
        assert further[0][name] == pytest.approx(lines[-1][name], rel=1e-3)

    launch_two(smoke, "distil", "--folder", "distil-together")
    together = curve(smoke / "distil-together")
    for name in ("step", "tokens", "kl_chat", "bpb_chat"):
        assert together[-1][name] == pytest.approx(lines[-1][name], rel=1e-2)


def test_a_matrix_at_another_rate_and_codes_that_train(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    call(quick_codes, "--model", "pruned-16384-1152.pt", "--out", "rates.pspm")
    (smoke / "rates.json").write_text('{"matrices": {"query": 3}, "layers": {"1": {"up": 4}}}')
    call(
        recode,
        *("--base", "rates.pspm", "--model", "pruned-16384-1152.pt"),
        *("--recipe", str(smoke / "rates.json"), "--out", "recoded.pspm"),
    )
    widths = {(one.role, one.layer): one.group_size for one in PspmFile.read(smoke / "recoded.pspm").tensors}
    assert {width for (role, _), width in widths.items() if role == "query"} == {3}
    assert (widths["up", 0], widths["up", 1]) == (2, 4)

    call(distil, "--base", "recoded.pspm", "--folder", "latents", "--code-rate", "7.5")
    lines = curve(smoke / "latents")
    assert lines[-1]["kl_chat"] < 0.8 * lines[0]["kl_chat"]
    before, after = PspmFile.read(smoke / "recoded.pspm"), PspmFile.read(smoke / "latents" / "distilled.pspm")
    changed = [
        float((before.codes(old).codes != after.codes(new).codes).mean())
        for old, new in zip(before.tensors, after.tensors, strict=True)
        if old.format == CODES
    ]
    assert 0 < sum(changed) / len(changed) < 0.9


def test_a_small_tournament(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROJECT / "build" / "pspllm"
    if not program.exists():
        pytest.skip(f"{program} is not built: the tournament quantises with it")
    monkeypatch.setattr(command, "SMOKE", smoke)
    monkeypatch.setenv("PSPLLM_CHAT_SMOKE", str(smoke))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    entries = [
        {
            "name": f"{width} weights",
            "pieces": 480,
            "width": 96,
            "recipe": {"embedding": 2, "matrices": {"up": width}},
        }
        for width in (1, 4)
    ]
    (smoke / "entries.json").write_text(json.dumps(entries))
    call(fact_talks)
    texts = ("--more-conversations", str(smoke / "fact_talks.jsonl"))
    arguments = ("--entries", str(smoke / "entries.json"), "--pspllm", str(program), *texts)
    call(tournament, *arguments)
    with (smoke / "tournament" / "table.csv").open(encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    assert [line["entry"] for line in lines] == ["1 weights", "4 weights"]
    assert float(lines[0]["bytes"]) > float(lines[1]["bytes"])
    assert float(lines[0]["codes"]) > float(lines[1]["codes"])
    assert float(lines[1]["kl_chat"]) < float(lines[1]["kl_chat closed"])
    (smoke / "entries.json").write_text(json.dumps([entries[0], entries[0]]))
    with pytest.raises(ValueError, match="same name"):
        call(tournament, *arguments)


def test_a_student_as_a_hugging_face_folder(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    call(export, "--model", "pruned-16384-1152.pt")
    folder = smoke / "healed-hf"
    config, state, kept = student.read_student(smoke / "pruned-16384-1152.pt")
    shape = json.loads((folder / "config.json").read_text())
    assert (shape["vocab_size"], shape["intermediate_size"]) == (len(kept), config.ffn_dim)
    with safe_open(folder / "model.safetensors", framework="pt") as stored:
        assert len(stored.keys()) == len(state) == 2 + 9 * config.n_layers
        key = stored.get_tensor("model.layers.1.self_attn.k_proj.weight").float()
    assert torch.equal(key, state["layers.1.key.weight"])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert tokenizer.token_to_id("<|im_end|>") == shape["eos_token_id"]
    assert tokenizer.decode(tokenizer.encode("Hello 12!").ids) == "Hello 12!"


def test_calibration_text_and_picture(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    call(calibration)
    text = (smoke / "calibration.txt").read_text()
    assert "<|im_start|>assistant\n" in text
    (smoke / "points.csv").write_text("tokens,kl_chat,bpb_chat\n0,0.9,1.2\n1000,0.5,1.0\n")
    call(curves, f"first={smoke / 'points.csv'}", "--out", str(smoke / "curve.svg"))
    assert "<svg" in (smoke / "curve.svg").read_text()


def test_pictures_of_tables(tmp_path: Path) -> None:
    table, out = tmp_path / "table.csv", tmp_path / "picture.svg"

    def draw(text: str, *arguments: str) -> None:
        table.write_text(text)
        picture.run(picture.make_parser().parse_args([str(table), "--out", str(out), *arguments]))

    draw("layer,first,second\n1,0.5,0.25\n2,0.75,\n")
    lines = out.read_text()
    draw("model,bytes,loss\nteacher,500,1\nchat-90m,18,2\n", "--points", "bytes")
    assert "<svg" in lines and "<svg" in out.read_text() != lines
    with pytest.raises(ValueError, match="line 2: expected 3 fields, found 2"):
        draw("layer,first,second\n1,0.5\n")
    with pytest.raises(ValueError, match="no column bits; there are model, loss"):
        draw("model,loss\nteacher,1\n", "--points", "bits")


def test_fact_talks_hold_the_right_words() -> None:
    records = list(fact_talks.talks(300, seed=3))
    turns = [turn["content"] for record in records for turn in record["messages"]]
    forbidden = prompts.load_held_out()
    assert not any(prompts.forbidden_key(text) in forbidden for text in turns[::2])
    assert "The capital of Italy is Rome." in fact_talks.answer(
        prompts.UserTurn("What is the capital of Italy?", ("rome",))
    )
    assert fact_talks.answer(prompts.UserTurn("How are you?")) == []
    assert len(set(turns)) > 200


def launch_two(smoke: Path, module: str, *arguments: str) -> None:
    environment = os.environ | {"PSPLLM_CHAT_SMOKE": str(smoke), "OMP_NUM_THREADS": "1"}
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*launcher, "-m", f"training.chat.{module}", "--smoke", "--device", "cpu", *arguments],
        cwd=PROJECT,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def test_two_processes_heal_like_one(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    call(heal, "--folder", "alone")
    launch_two(smoke, "heal", "--folder", "together")
    alone, together = curve(smoke / "alone"), curve(smoke / "together")
    assert len(alone) == len(together) >= 2
    for name in ("step", "tokens", "train_loss", "kl_chat", "bpb_chat"):
        assert together[-1][name] == pytest.approx(alone[-1][name], rel=2e-3)


def test_a_run_goes_on_and_refuses_other_settings(smoke: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    shorter = monkeypatch.context()
    with shorter as patch:
        patch.setattr(command, "shrink", shrunk(command.shrink, epochs=2))
        call(heal, "--folder", "halves")
    call(heal, "--folder", "halves")
    call(heal, "--folder", "whole")
    halves, whole = curve(smoke / "halves"), curve(smoke / "whole")
    assert halves[-1]["step"] == whole[-1]["step"] > halves[1]["step"]
    with pytest.raises(TrainingError, match="learning_rate"):
        call(heal, "--folder", "halves", "--learning-rate", "0.5")


def shrunk(original: object, **changed: object):
    def replacement(options: object, **tiny: object) -> None:
        original(options, **(tiny | changed))  # type: ignore[operator]

    return replacement


def test_nan_stops_with_the_tensor(smoke: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    config, state, kept = student.read_student(smoke / "pruned-16384-1152.pt")
    state["layers.1.gate.weight"][0, 0] = float("nan")
    student.save_student(smoke / "broken.pt", config, state, kept, {})
    with pytest.raises(TrainingError, match=r"step 0: weight layers\.1\.gate\.weight is not finite"):
        call(heal, "--base", "broken.pt", "--folder", "broken")


def test_lines_cut_off_and_second_writers(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"plan": 1}\n{"plan": 2}\n{"pl')
    with jsonl.open_for_append(path) as stream:
        with pytest.raises(ValueError, match="another process"):
            jsonl.open_for_append(path)
        stream.write('{"plan": 3}\n')
    assert [one["plan"] for one in jsonl.read_lines(path)] == [1, 2, 3]
    path.write_text("[1]\n")
    with pytest.raises(ValueError, match="line 1: expected a JSON object, found list"):
        jsonl.read_lines(path)


@pytest.mark.parametrize("module", COMMANDS)
def test_help_shows_defaults(module: ModuleType) -> None:
    text = module.make_parser().format_help()
    assert text.count("(default: ") >= 4 or module in (curves, picture)
    assert "--smoke" in text


def test_sizes_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "neurons.json").write_text(json.dumps({"neurons": [[0, 1]]}))
    with pytest.raises(ValueError, match="expected 2 layers of 2 neurons"):
        prune_ffn.read_neurons(tmp_path / "neurons.json", 2, 2)
    assert torch.tensor(prune_ffn.read_neurons(tmp_path / "neurons.json", 2, 1)).shape == (1, 2)


def test_answers_of_the_tiny_teacher(
    smoke: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "SMOKE", smoke)
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('{"prompt": "Hello!", "any_of": []}\n{"prompt": "Bye!", "any_of": ["zebra"]}\n')
    call(answers, "--prompts", str(prompts))
    assert "right words 0/1, ended " in capsys.readouterr().out
    assert answers.repeated_share(["a b c d a b c d", "e f"]) == pytest.approx(1 / 5)
