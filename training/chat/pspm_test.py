"""The .pspm reader and writer, and the quantised student that trains."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from training.chat.coded_student import CodedStudent, dequantised_state
from training.chat.llama import LlamaConfig, build, random_state
from training.chat.pspm import PspmFile
from training.chat.pspm_format import CodedMatrix, max_codeword
from training.chat.quick_codes import code_matrix, quantise

CONFIG = LlamaConfig(
    vocab_size=300,
    hidden_dim=48,
    ffn_dim=70,
    n_layers=2,
    n_heads=3,
    n_kv_heads=1,
    head_dim=16,
    rope_theta=10000.0,
    norm_epsilon=1e-5,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("pspm") / "tiny.pspm"
    rows = [list(range(start, start + 20)) for start in range(0, 280, 20)]
    widths = {"embedding": 4, "value": 3, "other": 4}
    quantise(file, CONFIG, random_state(CONFIG, 3), rows, widths, seed=1)
    return file


def test_limits_of_codewords() -> None:
    assert [max_codeword(width) for width in range(1, 9)] == [127, 127, 86, 64, 51, 43, 36, 32]


def test_weights_come_back_in_the_order_of_rows(path: Path) -> None:
    state, original = dequantised_state(PspmFile.read(path)), random_state(CONFIG, 3)
    for name, value in original.items():
        error = (state[name] - value).norm() / value.norm()
        assert float(error) < (1e-6 if value.dim() == 1 else 0.75), name
    query = "layers.1.query.weight"
    correlation = (state[query] * original[query]).sum(1) / original[query].square().sum(1)
    assert float(correlation.min()) > 0.2  # every row lies where it belongs


def test_saving_changes_nothing_but_what_was_put(path: Path, tmp_path: Path) -> None:
    file = PspmFile.read(path)
    file.save(tmp_path / "same.pspm")
    assert (tmp_path / "same.pspm").read_bytes() == path.read_bytes()
    tensor = next(one for one in file.tensors if one.role == "down")
    matrix = file.codes(tensor)
    file.put_matrix(tensor, replace(matrix, codebook=-matrix.codebook, row_scales=matrix.row_scales * 2))
    file.save(tmp_path / "changed.pspm")
    again = PspmFile.read(tmp_path / "changed.pspm").codes(tensor)
    assert np.array_equal(again.codes, matrix.codes)
    assert np.allclose(again.weights(), -2 * matrix.weights())


def test_damage_is_found(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place, words in ((0, "version 1"), (12, "promises"), (70, "section table"), (-100, "damaged")):
        broken = bytearray(content)
        broken[place] ^= 1
        with pytest.raises(ValueError, match=words):
            PspmFile(bytes(broken), "broken.pspm")
    with pytest.raises(ValueError, match="too few"):
        PspmFile(b"PSPM", "short.pspm")


def test_what_does_not_fit_is_refused(path: Path) -> None:
    file = PspmFile.read(path)
    tensor = file.tensors[0]
    matrix = file.codes(tensor)
    with pytest.raises(ValueError, match="at most 64"):
        file.put_matrix(tensor, replace(matrix, codebook=np.full_like(matrix.codebook, 65)))
    with pytest.raises(ValueError, match="finite"):
        file.put_matrix(tensor, replace(matrix, row_scales=matrix.row_scales * np.float32("nan")))
    with pytest.raises(ValueError, match="weights a code"):
        file.put_matrix(tensor, replace(matrix, cols=matrix.cols - 1))


def test_gradients_are_those_of_autograd(path: Path) -> None:
    student = CodedStudent(PspmFile.read(path))
    student.before_step()
    tokens = torch.randint(0, CONFIG.vocab_size, (2, 12), generator=torch.Generator().manual_seed(1))
    student.model(tokens).square().mean().backward()
    coded = student.coded["layers/1/down/weight"]
    gradient = dict(student.model.named_parameters())["layers.1.down.weight"].grad
    student.after_backward()
    codebook = torch.nn.Parameter(coded.stored_codebook() / coded.unit)
    change = torch.nn.Parameter(torch.zeros(CONFIG.hidden_dim))
    words = codebook[coded.codes.long()].view(CONFIG.hidden_dim, -1)[:, : CONFIG.ffn_dim]
    weight = words * coded.unit * (coded.row_scales * (1 + change))[:, None]
    (weight * gradient).sum().backward()
    assert torch.allclose(coded.codebook.grad, codebook.grad, rtol=1e-3, atol=1e-7)
    assert torch.allclose(coded.row_change.grad, change.grad, rtol=1e-3, atol=1e-7)


def test_what_was_trained_is_what_is_stored(path: Path, tmp_path: Path) -> None:
    student = CodedStudent(PspmFile.read(path))
    with torch.no_grad():
        for parameter in student.parameters():
            parameter.add_(0.02 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(5)))
    student.before_step()
    student.export(tmp_path, {"tokens": 1})
    stored = dequantised_state(PspmFile.read(tmp_path / "distilled.pspm"))
    for name, value in student.model.state_dict().items():
        assert torch.allclose(stored[name], value, atol=1e-6), name
    assert build(CONFIG, stored)(torch.tensor([[1, 2, 3]])).isfinite().all()


def test_a_matrix_is_its_words_times_its_row_scales() -> None:
    codebook = np.arange(512, dtype=np.int32).astype(np.int8).reshape(256, 2)
    matrix = CodedMatrix(codebook, np.array([2.0], np.float32), np.array([[1, 3]], np.uint8), 3)
    assert matrix.weights().tolist() == [[4.0, 6.0, 12.0]]


def test_errors_are_handed_on_to_later_columns() -> None:
    generator = torch.Generator().manual_seed(2)
    weight = torch.randn(40, 60, generator=generator)
    mixing = torch.randn(60, 12, generator=generator)
    moment = (mixing @ mixing.t() / 12 + 0.05 * torch.eye(60)).double()
    aimed = torch.from_numpy(code_matrix(weight, moment, 4, seed=1).weights()) - weight
    plain = torch.from_numpy(code_matrix(weight, torch.eye(60).double(), 4, seed=1).weights()) - weight

    def error(difference: torch.Tensor) -> float:
        return float(((difference @ moment.float()) * difference).sum())

    assert error(aimed) < 0.8 * error(plain)


def test_a_description_is_replaced_within_its_room(path: Path, tmp_path: Path) -> None:
    file = PspmFile.read(path)
    file.put_about("name: other\n")
    file.save(tmp_path / "other.pspm")
    again = PspmFile.read(tmp_path / "other.pspm")
    assert again.section("about") == b"name: other\n"
    assert again.section("weights") == file.section("weights")
    with pytest.raises(ValueError, match="does not fit"):
        file.put_about("x" * 10_000)


def test_matrices_of_other_widths_make_another_file(path: Path) -> None:
    file = PspmFile.read(path)
    tensor = next(one for one in file.tensors if one.role == "up" and one.layer == 1)
    words = np.zeros((256, 8), np.int8)
    words[1:9] = np.eye(8, dtype=np.int8) * 30
    codes = np.full((tensor.rows, -(-tensor.cols // 8)), 2, np.uint8)
    wide = CodedMatrix(words, np.ones(tensor.rows, np.float32), codes, tensor.cols)
    other = file.with_matrices({tensor.index: wide})
    assert other.section("about") == file.section("about")
    for before, after in zip(file.tensors, other.tensors, strict=True):
        assert (before.role, before.layer, before.rows) == (after.role, after.layer, after.rows)
        if before.index == tensor.index:
            assert np.array_equal(other.codes(after).weights(), wide.weights())
        elif before.group_size > 0:
            assert np.array_equal(other.codes(after).weights(), file.codes(before).weights())
        else:
            assert np.array_equal(other.floats(after), file.floats(before))


def test_latents_start_at_their_words_and_move_codes(path: Path, tmp_path: Path) -> None:
    fixed, moving = CodedStudent(PspmFile.read(path)), CodedStudent(PspmFile.read(path), code_rate=1.0)
    fixed.before_step()
    moving.before_step()
    for name, value in fixed.model.state_dict().items():
        assert torch.equal(value, moving.model.state_dict()[name]), name
    coded = moving.coded["layers/0/query/weight"]
    wanted = (coded.codes.long() + 1) % 200
    with torch.no_grad():
        coded.latents.copy_(coded.codebook[wanted] + 0.001)
    assert moving.choose_codes() > 0
    moving.before_step()
    near = torch.cdist(coded.codebook[wanted], coded.codebook[coded.codes.long()]).diagonal(dim1=1, dim2=2)
    assert near.max().item() < 0.01  # the words of the codes may be doubles of the wanted ones
    moving.export(tmp_path, {"tokens": 1})
    stored = dequantised_state(PspmFile.read(tmp_path / "distilled.pspm"))
    for name, value in moving.model.state_dict().items():
        assert torch.allclose(stored[name], value, atol=1e-6), name


def test_codes_are_the_nearest_words(path: Path) -> None:
    coded = CodedStudent(PspmFile.read(path), code_rate=1.0).coded["layers/0/query/weight"]
    noise = torch.randn(coded.latents.shape, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        coded.latents.add_(noise, alpha=0.4)  # some leave their words, some do not
    before = coded.codes.clone()
    changed = coded.choose_codes()
    words = coded.stored_codebook() / coded.unit
    vectors = coded.latents.detach().view(-1, words.shape[1])
    found = (vectors - words[coded.codes.view(-1).long()]).square().sum(1)
    best = torch.cdist(vectors, words).square().min(1).values
    assert torch.allclose(found, best, atol=1e-5)
    assert 0 < changed < before.numel()
    assert changed == int((coded.codes != before).sum())


def test_latents_go_down_the_gradient_of_their_weights(path: Path) -> None:
    student = CodedStudent(PspmFile.read(path), code_rate=1.0)
    student.before_step()
    tokens = torch.randint(0, CONFIG.vocab_size, (2, 12), generator=torch.Generator().manual_seed(1))
    student.model(tokens).square().mean().backward()
    gradient = dict(student.model.named_parameters())["layers.1.down.weight"].grad.clone()
    student.after_backward()
    coded = student.coded["layers/1/down/weight"]
    flat = coded.latents.grad.view(CONFIG.hidden_dim, -1)
    scales = coded.stored_row_scales()[:, None] * coded.unit
    assert torch.allclose(flat[:, : CONFIG.ffn_dim], gradient * scales, rtol=1e-5, atol=1e-9)
    assert not flat[:, CONFIG.ffn_dim :].any()
