"""Checkpoints: the state of a training run in one file, never left half-written."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from training.common.llama import Llama, LlamaConfig


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Writes under a temporary name, then renames."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    torch.save(state, temporary)
    os.replace(temporary, path)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Reads what save_checkpoint wrote; tensors land on the CPU."""
    return torch.load(path, map_location="cpu", weights_only=True)


def model_state(model: Llama) -> dict[str, Any]:
    """What load_model needs."""
    return {"config": asdict(model.config), "weights": model.state_dict()}


def load_model(path: Path) -> Llama:
    """The model of a checkpoint, without dropout."""
    state = load_checkpoint(path)
    model = Llama(LlamaConfig(**state["config"]))
    model.load_state_dict(state["weights"])
    return model.eval()
