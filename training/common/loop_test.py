"""The loop learns, resumes to the same weights, runs as two processes, and stops at a NaN."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from training.common.checkpoint import load_checkpoint, load_model
from training.common.llama import Llama, LlamaConfig
from training.common.loop import Run, Settings, TrainingError, fit, learning_rate_at
from training.common.places import PROJECT
from training.common.processes import Processes, join_processes

CONFIG = LlamaConfig(dim=16, hidden_dim=32, n_layers=1, n_heads=2, n_kv_heads=2, vocab_size=40, context=32)
ROWS = [[1, *[3 + (start + step) % 30 for step in range(3 + start % 11)], 1] for start in range(60)]
SETTINGS = Settings(
    epochs=4,
    minutes=0,
    batch_tokens=128,
    learning_rate=0.01,
    final_learning_rate=0.1,
    warmup_steps=3,
    weight_decay=0.1,
    clip=1.0,
    optimizer="adamw",
    seed=1,
    validate_every=5,
    compile=False,
    bf16=False,
)
ALONE = Processes(0, 1, torch.device("cpu"))


def train(folder: Path, settings: Settings, dropout: float = 0.0, processes: Processes = ALONE) -> float:
    torch.manual_seed(settings.seed)
    return fit(Llama(CONFIG, dropout), ROWS, ROWS[:20], settings, folder, processes)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_checkpoint(folder / "last.pt")["weights"]


@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_the_loss_falls(tmp_path: Path, optimizer: str) -> None:
    best = train(tmp_path, replace(SETTINGS, epochs=24, optimizer=optimizer), dropout=0.1)
    assert best < 1.5  # a uniform guess among 40 ids costs 3.7
    assert load_model(tmp_path / "best.pt").config == CONFIG
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) >= 5


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(tmp_path / "whole", SETTINGS, dropout=0.2)
    step = Run.train_step

    def interrupted(self: Run, rows: list[list[int]], indices: list[int], progress: float) -> None:
        step(self, rows, indices, progress)
        if self.step == 12:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Run, "train_step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "parts", SETTINGS, dropout=0.2)
    monkeypatch.undo()
    assert load_checkpoint(tmp_path / "parts" / "last.pt")["step"] == 12
    train(tmp_path / "parts", replace(SETTINGS, minutes=10.0), dropout=0.2)
    for name, value in weights(tmp_path / "whole").items():
        assert torch.equal(value, weights(tmp_path / "parts")[name]), name


def test_other_settings_are_not_resumed(tmp_path: Path) -> None:
    train(tmp_path, SETTINGS)
    with pytest.raises(TrainingError, match=r"other settings: epochs 4 \(now 5\)"):
        train(tmp_path, replace(SETTINGS, epochs=5))


def test_two_processes_match_one(tmp_path: Path) -> None:
    train(tmp_path / "one", SETTINGS)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    command += ["-m", "training.common.loop_test", str(tmp_path / "two")]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(PROJECT)}
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for name, value in weights(tmp_path / "one").items():
        torch.testing.assert_close(weights(tmp_path / "two")[name], value, atol=2e-4, rtol=1e-3, msg=name)


def test_nan_stops_with_step_and_tensor(tmp_path: Path) -> None:
    model = Llama(CONFIG)
    run = Run(model, SETTINGS, tmp_path, ALONE)
    run.train_step(ROWS, [0, 1, 2], 0.0)
    with torch.no_grad():
        model.layers[0].feed_forward.w1.weight[3, 5] = float("nan")
    with pytest.raises(
        TrainingError, match=r"step 1: weight layers\.0\.feed_forward\.w1\.weight is not finite"
    ):
        run.train_step(ROWS, [3, 4, 5], 0.0)


def test_schedule() -> None:
    assert learning_rate_at(SETTINGS, 0, 0.0) == pytest.approx(0.01 / 3)
    assert learning_rate_at(SETTINGS, 10, 0.0) == pytest.approx(0.01)
    assert learning_rate_at(SETTINGS, 10, 0.5) == pytest.approx(0.0055)
    assert learning_rate_at(SETTINGS, 10, 1.0) == pytest.approx(0.001)


def test_the_time_limit_ends_a_run(tmp_path: Path) -> None:
    run = Run(Llama(CONFIG), replace(SETTINGS, minutes=1.0), tmp_path, ALONE)
    run.seconds_before = 45.0
    assert run.progress(1000) == pytest.approx(0.75, abs=0.01)
    run.step = 900
    assert run.progress(1000) == pytest.approx(0.9)


if __name__ == "__main__":
    torch.set_num_threads(1)
    with join_processes("cpu") as group:
        train(Path(sys.argv[1]), SETTINGS, processes=group)
