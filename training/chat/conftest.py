"""Fixtures of the chat pipeline's tests: a tiny teacher, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from training.chat import teacher
from training.chat.teacher import Teacher
from training.chat.tiny_teacher import write_tiny_teacher


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    path = tmp_path_factory.mktemp("teacher") / teacher.GGUF_NAME
    write_tiny_teacher(path, seed=7)
    return path


@pytest.fixture(scope="session")
def tiny_teacher(tiny_gguf: Path) -> Teacher:
    return teacher.read_teacher(tiny_gguf)
