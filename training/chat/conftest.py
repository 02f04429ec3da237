"""Fixtures of the chat pipeline's tests: a tiny teacher, made once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch

from training.chat import teacher
from training.chat.teacher import Teacher
from training.chat.tiny_teacher import write_tiny_teacher

# Read by oneDNN at its first use, here and in the processes that tests start. With bfloat16, where a
# processor has it, the tiny teacher says something else, and the bounds are for what it says in float32.
os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    path = tmp_path_factory.mktemp("teacher") / teacher.GGUF_NAME
    write_tiny_teacher(path, seed=7)
    return path


@pytest.fixture(scope="session")
def tiny_teacher(tiny_gguf: Path) -> Teacher:
    return teacher.read_teacher(tiny_gguf)
