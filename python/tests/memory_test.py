"""Budgets against the command line, planned files against written ones, harness, simulated console."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pspllm
import pytest
from conftest import ROOT, STORIES
from pspllm.__main__ import main, memory_size
from pspllm.harness import label_of, make_plans, numbers_for, run_inside, runnable_plan
from pspllm.speed import cycles_a_weight, estimated_tokens_per_second

MIB = 2**20


def test_budget_is_the_command_lines(command: Path) -> None:
    output = subprocess.run(
        [command, "budget", STORIES, "--device", "psp2000", "--context", "100", "--json"],
        check=True,
        capture_output=True,
    )
    theirs = json.loads(output.stdout)
    ours = pspllm.budget(STORIES, "psp2000", 100)
    assert ours.needed_bytes == theirs["needed_bytes"]
    assert [(region.name, region.offset, region.bytes) for region in ours.regions] == [
        (region["name"], region["offset"], region["bytes"]) for region in theirs["regions"]
    ]


def test_regions_fill_what_is_needed() -> None:
    budget = pspllm.budget(STORIES, context=64)
    assert budget.fits
    offset = 0
    for region in budget.regions:
        assert region.offset == offset
        offset += region.bytes
    assert offset == budget.needed_bytes
    assert sum(region.bytes for region in budget.regions if region.in_block) == budget.block_bytes


@pytest.mark.parametrize("number_format", ["f32", "q80"])
def test_planned_file_is_the_written_one(number_format: str, tmp_path: Path) -> None:
    written = tmp_path / "model.pspm"
    pspllm.convert(STORIES, written, format=number_format)
    planned = pspllm.budget(STORIES, context=64, numbers=pspllm.Numbers(number_format))
    real = pspllm.budget(written, context=64)
    assert planned.regions == real.regions
    assert planned.bits_per_weight == real.bits_per_weight


def test_fewer_bits_need_less_and_run_faster() -> None:
    plans = make_plans(STORIES, 24 * MIB, 64, [32, 8, 4, 2, 1.33, 1])
    sizes = [plan.budget.needed_bytes for plan in plans[1:]]
    assert sizes == sorted(sizes, reverse=True)
    speeds = [plan.tokens_per_second for plan in plans[1:] if plan.numbers.format == "codes"]
    assert len(speeds) == 4
    assert speeds == sorted(speeds)
    # stories-2M itself, modelled: 5.12 M cycles a token (bench/psp_cycles.json).
    assert estimated_tokens_per_second(plans[0].budget) == pytest.approx(333e6 / 5.12e6, rel=0.3)


def test_bits_name_numbers() -> None:
    assert label_of(numbers_for(1.5)) == "1.6 bits"
    assert numbers_for(4).code_width == 2
    assert cycles_a_weight("codes, 6 weights a byte") == pytest.approx(1.083, abs=0.001)
    with pytest.raises(ValueError, match="5"):
        numbers_for(5)


def test_damaged_or_unknown_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(pspllm.Failure, match="is no device"):
        pspllm.budget(STORIES, "psp3")
    with pytest.raises(pspllm.Failure, match="is no number format"):
        pspllm.budget(STORIES, numbers=pspllm.Numbers("q4"))
    with pytest.raises(pspllm.Failure, match="context"):
        pspllm.budget(STORIES, context=10**6)
    with pytest.raises(pspllm.Failure):
        pspllm.quantize(STORIES, tmp_path / "out.bin")
    assert not list(tmp_path.iterdir())


def test_byte_codes_are_as_planned_and_run(tmp_path: Path) -> None:
    written = tmp_path / "codes.pspm"
    widths = dict.fromkeys(["query", "key", "value", "attention_output", "gate", "up", "down"], 4)
    report = pspllm.quantize_to_codes(STORIES, written, recipe={"embedding": 1, "matrices": widths}, seed=3)
    assert report["file_bytes"] == written.stat().st_size
    planned = pspllm.budget(STORIES, context=64, numbers=pspllm.Numbers("codes", 4, 1))
    assert planned.regions == pspllm.budget(written, context=64).regions
    assert report["bits_per_weight"] == pytest.approx(planned.bits_per_weight, abs=0.01)
    model = pspllm.Model(written)
    assert model.shape.int8_cache
    text = "".join(model.generate("Once upon a time", temperature=0, steps=40))
    # Planned for its steps, as the command line does.
    assert model.shape.context == 40
    assert text.startswith("Once upon a time")
    with pytest.raises(pspllm.Failure, match="recipe|width"):
        pspllm.quantize_to_codes(STORIES, written, recipe={"embedding": 9})


def test_run_inside_is_refused_beyond_the_limit() -> None:
    memory = 24 * MIB
    plan = runnable_plan(make_plans(STORIES, memory, 64, [8]))
    assert plan is not None
    run = run_inside(STORIES, plan, memory, "Once upon a time")
    assert run.block_bytes <= run.allowed_bytes
    assert run.text.startswith("Once upon a time")
    assert run.tokens > 10
    with pytest.raises(pspllm.Failure, match="block would take"):
        run_inside(STORIES, plan, 3 * MIB, "Once upon a time")


@pytest.mark.parametrize("name", ["map.svg", "map.png"])
def test_harness_prints_and_draws(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if name.endswith("png"):
        pytest.importorskip("matplotlib")
    picture = tmp_path / name
    assert main(["harness", "--model", str(STORIES), "--memory", "24MiB", "--picture", str(picture)]) == 0
    output = capsys.readouterr().out
    assert "as it is" in output
    assert "ran inside the limit" in output
    assert "key_cache" in output
    assert picture.stat().st_size > 1000


def test_harness_says_what_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harness", "--model", str(STORIES), "--memory", "2.5MiB"]) == 1
    assert "not run: it would fit at" in capsys.readouterr().err
    assert main(["harness", "--model", str(STORIES), "--bits", "7"]) == 2
    assert main(["harness", "--model", "/nowhere"]) == 1
    with pytest.raises(SystemExit):
        main(["harness", "--model", str(STORIES), "--memory", "12parsecs"])
    assert memory_size("24 MiB") == memory_size("25165824") == 24 * MIB


def test_module_runs_as_a_program() -> None:
    output = subprocess.run(
        [sys.executable, "-m", "pspllm", "harness", "--help"], check=True, capture_output=True, text=True
    )
    assert "--memory" in output.stdout


def test_simulated_console_tells_the_same_text(model: pspllm.Model, command: Path, tmp_path: Path) -> None:
    program = command.parent / "psp" / "EBOOT.PBP"
    if not program.exists():
        pytest.skip(f"{program} is not built")
    folder = tmp_path / "PSP" / "GAME" / "PspLlm"
    folder.mkdir(parents=True)
    for file in (program, STORIES, STORIES.with_name("tokenizer.bin")):
        shutil.copy(file, folder)
    report = pspllm.simulate(
        tmp_path,
        "psp1000",
        prompt="Once upon a time",
        autorun=["steps=16", "temperature=0"],
        keep_stick=False,
    )
    assert report["fault"] is None
    expected = "".join(model.generate("Once upon a time", temperature=0, steps=16))
    assert (folder / "state.txt").read_text().strip() == expected.strip()


def test_simulate_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(pspllm.Failure, match="EBOOT.PBP"):
        pspllm.simulate(tmp_path)
    with pytest.raises(pspllm.Failure, match="is no device"):
        pspllm.simulate(ROOT, "psp3")
