"""Files against the shared llama2.c files, and back through the reader."""

import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from training.common import bpe, llama2c
from training.common.llama import Llama, LlamaConfig
from training.common.places import shared_folder

MODELS = shared_folder() / "data" / "models"
needs_models = pytest.mark.skipif(
    not MODELS.exists(), reason=f"{MODELS} is absent: nothing to compare files with"
)


def random_model(tied: bool = True) -> Llama:
    torch.manual_seed(3)
    model = Llama(LlamaConfig(32, 64, 2, 4, 2, 300, 16, tied=tied))
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.1)
    return model.eval()


@needs_models
@pytest.mark.parametrize(
    ("source", "group_size", "expected"),
    [("stories260K.bin", 4, "stories260K_q80.bin"), ("babyllama/model.bin", 32, "babyllama_q80.bin")],
)
def test_q80_files_equal_the_shared_ones(source: str, group_size: int, expected: str) -> None:
    model = llama2c.read_model(MODELS / source)
    assert llama2c.v2_bytes(model, group_size) == (MODELS / expected).read_bytes()


@needs_models
def test_v0_file_comes_back() -> None:
    data = (MODELS / "stories260K.bin").read_bytes()
    written = llama2c.v0_bytes(llama2c.read_model(MODELS / "stories260K.bin"))
    tables = 2 * 4 * 512 * 4  # two fp32 tables of 512 positions and 4 pairs, which no reader uses
    assert written[:-tables] == data[:-tables]
    np.testing.assert_allclose(
        np.frombuffer(written[-tables:], "<f4"), np.frombuffer(data[-tables:], "<f4"), atol=1e-4
    )


@needs_models
def test_tokenizer_file_comes_back() -> None:
    vocabulary = llama2c.read_tokenizer(MODELS / "tok512.bin")
    assert len(vocabulary) == 512
    assert llama2c.tokenizer_bytes(vocabulary)[4:] == (MODELS / "tok512.bin").read_bytes()[4:]
    assert vocabulary.decode(vocabulary.encode("Once upon a time")) == "Once upon a time"


@pytest.mark.parametrize("tied", [True, False])
def test_both_formats_hold_the_model(tmp_path: Path, tied: bool) -> None:
    model = random_model(tied)
    tokens = torch.randint(0, 300, (1, 16))
    for name, content, tolerance in (
        ("v0.bin", llama2c.v0_bytes(model), 0.0),
        ("v2.bin", llama2c.v2_bytes(model, 32), 0.05),
    ):
        llama2c.write_file(tmp_path / name, content)
        again = llama2c.read_model(tmp_path / name)
        assert again.config == model.config
        torch.testing.assert_close(again(tokens), model(tokens), atol=tolerance, rtol=0)


def test_rounding_is_half_to_even_and_a_zero_group_stays_zero() -> None:
    weights = torch.tensor([127.0, 0.5, 1.5, -2.5, 0.0, 0.0, 0.0, 0.0])
    codes, scales = llama2c.quantize_q80(weights, 4)
    assert codes.tolist() == [[127, 0, 2, -2], [0, 0, 0, 0]]
    assert scales.tolist() == [1.0, 0.0]


def test_broken_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    good = llama2c.v2_bytes(random_model(), 32)
    for content, message in (
        (good[:-1], "ends inside a tensor"),
        (good + b"x", "bytes follow the last tensor"),
        (good[:20], "ends inside the header"),
        (struct.pack("<Ii", llama2c.MAGIC, 1) + good[8:], "another version"),
        (good[:8] + struct.pack("<i", 0) + good[12:], "dim is 0"),
        (good[:37] + struct.pack("<i", 0) + good[41:], "group size 0"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            llama2c.read_model(path)
    with pytest.raises(ValueError, match="group size 48"):
        llama2c.v2_bytes(random_model(), 48)
    vocabulary = bpe.Vocabulary(bpe.RESERVED, [0.0] * len(bpe.RESERVED))
    path.write_bytes(llama2c.tokenizer_bytes(vocabulary)[:-1])
    with pytest.raises(ValueError, match="beyond the end"):
        llama2c.read_tokenizer(path)


def test_header_words() -> None:
    header = llama2c.v2_bytes(random_model(), 32)[:256]
    assert struct.unpack_from("<I8i", header) == (0x616B3432, 2, 32, 64, 2, 4, 2, 300, 16)
    assert struct.unpack_from("<Bi", header, 36) == (1, 32)
    assert header[41:] == bytes(215)
