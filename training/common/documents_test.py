"""Batches hold every document once, are the same for the same seed, and pad without inventing targets."""

from pathlib import Path

import pytest
import torch

from training.common.bpe import BOS_ID, RESERVED, Vocabulary
from training.common.documents import epoch_batches, read_documents, to_batch, to_row
from training.common.llama import IGNORED_TARGET

BYTES = Vocabulary([*RESERVED, b" "], [0.0] * (len(RESERVED) + 1))


def test_batches_hold_every_document_once() -> None:
    lengths = [1 + (index * 37) % 90 for index in range(200)]
    batches = epoch_batches(lengths, 256, seed=4)
    assert sorted(index for batch in batches for index in batch) == list(range(200))
    assert all(len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= 256 for batch in batches)
    assert batches == epoch_batches(lengths, 256, seed=4)
    assert batches != epoch_batches(lengths, 256, seed=5)


def test_rows_begin_and_end_with_the_begin_mark() -> None:
    assert to_row(BYTES, "ab", 10) == [BOS_ID, 259, 3 + ord("a"), 3 + ord("b"), BOS_ID]
    assert to_row(BYTES, "abcdef", 4) == [BOS_ID, 259, 3 + ord("a"), 3 + ord("b"), 3 + ord("c")]


def test_padding_has_no_targets() -> None:
    batch = to_batch([[1, 5, 6, 1], [1, 7, 1]], torch.device("cpu"))
    assert batch.inputs.shape == (2, 16)
    assert batch.inputs[0, :3].tolist() == [1, 5, 6]
    assert batch.targets[0, :3].tolist() == [5, 6, 1]
    assert int((batch.targets != IGNORED_TARGET).sum()) == 5
    assert bool((to_batch([], torch.device("cpu")).targets == IGNORED_TARGET).all())


def test_documents_are_stripped_and_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("one\n<|endoftext|>\n two \n<|endoftext|>\n", encoding="utf-8")
    assert read_documents(path) == ["one", "two"]
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no document"):
        read_documents(path)
