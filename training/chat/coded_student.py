"""A quantised student that trains: codebooks, row scales and norms move, and the codes if asked to.

Codebooks are trained as they will be stored, whole numbers within max_codeword: the model always reads the
rounded ones, their gradients go straight through the rounding (arXiv 1308.3432). Codes train the same way:
each group of weights has a latent vector that starts at its code word; the model reads the nearest word.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.chat.codebooks import nearest
from training.chat.llama import Llama, LlamaConfig, build
from training.chat.pspm import PspmFile
from training.chat.pspm_format import CODES, F32, CodedMatrix, PspmTensor, max_codeword

MATRIX_ROLES = {
    "query": "query",
    "key": "key",
    "value": "value",
    "attention_output": "output",
    "gate": "gate",
    "up": "up",
    "down": "down",
}
NORM_ROLES = {"attention_norm": "attention_norm", "ffn_norm": "ffn_norm"}
PAIRED_ROLES = ("query", "key")  # their rows stand in files as pairs side by side, here in two halves


STEPS_A_CHOICE = 4  # steps between two choices of codes
GAP_ROUNDING = 1e-4  # relative error of float32 distances, with room
LATENTS_AT_A_TIME = 1 << 16  # whose distances to 256 words are in memory together


class CodedWeight(nn.Module):
    """One matrix. What trains: the codebook in units of its root mean square, relative row scales, and
    with train_codes a latent vector for each code, in the codebook's units.
    """

    def __init__(self, matrix: CodedMatrix, train_codes: bool = False) -> None:
        super().__init__()
        words = torch.from_numpy(matrix.codebook.astype(np.float32))
        self.cols, self.limit = matrix.cols, max_codeword(words.shape[1])
        self.unit = max(1.0, float(words.square().mean().sqrt()))
        self.codes: Tensor
        self.row_scales: Tensor
        self.register_buffer("codes", torch.from_numpy(matrix.codes.astype(np.int32)))
        self.register_buffer("row_scales", torch.from_numpy(matrix.row_scales))
        self.codebook = nn.Parameter(words / self.unit)
        self.row_change = nn.Parameter(torch.zeros(len(matrix.codes)))
        self.latents = nn.Parameter(self.codebook.detach()[self.codes]) if train_codes else None

    @torch.no_grad()
    def choose_codes(self) -> int:
        """Takes for each latent vector the nearest word; how many codes that changed."""
        if self.latents is None:
            return 0
        words = self.stored_codebook() / self.unit
        width = words.shape[1]
        # No other word is nearer than the own one as long as this is nearer than half the way to its
        # nearest neighbour (triangle inequality): few vectors have to be compared with all words.
        distances = torch.cdist(words, words).fill_diagonal_(torch.inf)
        half_gap = distances.min(1).values.mul(0.5 * (1 - GAP_ROUNDING)).square()
        vectors, codes = self.latents.view(-1, width), self.codes.view(-1)
        strayed = (vectors - F.embedding(codes, words)).square().sum(1) >= half_gap[codes]
        places = strayed.nonzero()[:, 0]
        changed = 0
        for part in places.split(LATENTS_AT_A_TIME):
            chosen = nearest(vectors[part], words).int()
            changed += int((chosen != codes[part]).sum())
            codes[part] = chosen
        return changed

    def stored(self) -> CodedMatrix:
        """The matrix as files hold it."""
        return CodedMatrix(
            self.stored_codebook().cpu().numpy().astype(np.int8),
            self.stored_row_scales().cpu().numpy(),
            self.codes.cpu().numpy().astype(np.uint8),
            self.cols,
        )

    @torch.no_grad()
    def stored_codebook(self) -> Tensor:
        """The codebook as whole numbers, float32 [256, code width]."""
        return (self.codebook * self.unit).round().clamp(-self.limit, self.limit)

    @torch.no_grad()
    def stored_row_scales(self) -> Tensor:
        return self.row_scales * (1 + self.row_change)

    @torch.no_grad()
    def weight(self) -> Tensor:
        """[rows, cols] as the engine computes it."""
        return self._words() * self.stored_row_scales()[:, None]

    @torch.no_grad()
    def gather(self, gradient: Tensor) -> None:
        """Sets the gradients of codebook and row scales, from that of the weight [rows, cols]."""
        self.row_change.grad = (gradient * self._words()).sum(1) * self.row_scales
        padding = self.codes.shape[1] * self.codebook.shape[1] - self.cols
        scaled = F.pad(gradient * (self.stored_row_scales() * self.unit)[:, None], (0, padding))
        sums = torch.zeros_like(self.codebook)
        sums.index_add_(0, self.codes.flatten(), scaled.view(-1, self.codebook.shape[1]))
        self.codebook.grad = sums
        if self.latents is not None:
            self.latents.grad = scaled.view_as(self.latents)

    def _words(self) -> Tensor:
        rows = len(self.codes)
        return F.embedding(self.codes, self.stored_codebook()).view(rows, -1)[:, : self.cols]


class CodedStudent(nn.Module):
    """A .pspm model as a Trainee (distillation_run.py): before each step the weights are made anew.

    code_rate: learning rate of the codes' latent vectors as a multiple of the others'; 0: the codes stay.
    name: what exported files call the model.
    """

    def __init__(self, file: PspmFile, code_rate: float = 0.0, name: str = "distilled") -> None:
        super().__init__()
        self.file, self.code_rate, self.name = file, code_rate, name
        self._steps = 0
        self.config = config_of(file)
        with torch.device("meta"):
            shapes = Llama(self.config).state_dict()
        model = build(self.config, {name: torch.zeros(value.shape) for name, value in shapes.items()})
        self._holder = [model]  # in a list, so that its matrices are not counted among the trained ones
        self._places: dict[str, PspmTensor] = {}
        self.coded = nn.ModuleDict()
        self.norms = nn.ParameterDict()
        parameters = dict(model.named_parameters())
        for tensor in file.tensors:
            if tensor.role in (*NORM_ROLES, "final_norm"):
                self._read_norm(tensor, parameters)
            else:
                name = "embedding" if tensor.role == "token_embedding" else matrix_name(tensor)
                self._places[name] = tensor
                self.coded[name.replace(".", "/")] = CodedWeight(self._read_matrix(tensor), code_rate > 0)
        missing = set(parameters) - set(self._places) - {name.replace("/", ".") for name in self.norms}
        if missing:
            raise ValueError(f"the .pspm file lacks {len(missing)} tensors, {sorted(missing)[0]} among them")

    @property
    def model(self) -> Llama:
        return self._holder[0]

    @property
    def trained(self) -> nn.Module:
        return self

    def settings(self) -> dict[str, Any]:
        return {"base_bytes": len(self.file.section("weights")), "code_rate": self.code_rate}

    def parameter_groups(self) -> Iterable[dict[str, Any]]:
        """Norms move in proportion to their size."""
        coded: list[CodedWeight] = list(self.coded.values())  # type: ignore[arg-type]
        norms = list(self.norms.values())
        size = float(torch.cat([one.detach().abs() for one in norms]).mean())
        groups: list[dict[str, Any]] = [
            {"params": [one.codebook for one in coded], "scale": 1.0},
            {"params": [one.row_change for one in coded], "scale": 1.0},
            {"params": norms, "scale": size},
        ]
        latents = [one.latents for one in coded if one.latents is not None]
        if latents:
            groups.append({"params": latents, "scale": self.code_rate})
        return groups

    @torch.no_grad()
    def before_step(self) -> None:
        if self._steps % STEPS_A_CHOICE == 0:
            self.choose_codes()
        self._steps += 1
        parameters = dict(self.model.named_parameters())
        for name, coded in self.coded.items():
            parameters[name.replace("/", ".")].copy_(coded.weight())  # type: ignore[operator]

    def choose_codes(self) -> int:
        """Brings the codes up to their latent vectors; how many that changed."""
        return sum(coded.choose_codes() for coded in self.coded.values())  # type: ignore[operator]

    def after_backward(self) -> None:
        parameters = dict(self.model.named_parameters())
        for name, coded in self.coded.items():
            parameter = parameters[name.replace("/", ".")]
            if parameter.grad is not None:
                coded.gather(parameter.grad)  # type: ignore[operator]
                parameter.grad = None

    def write_into(self, file: PspmFile) -> None:
        """Puts matrices and norms into a file of the same shape."""
        for name, tensor in self._places.items():
            coded: CodedWeight = self.coded[name.replace(".", "/")]  # type: ignore[assignment]
            matrix = coded.stored()
            if tensor.role in PAIRED_ROLES:
                matrix = interleaved(matrix, self.config.head_dim)
            file.put_matrix(tensor, matrix)
        for tensor in file.tensors:
            if tensor.role in (*NORM_ROLES, "final_norm"):
                rows = [self.norms[name] for name in norm_names(tensor)]
                file.put_floats(tensor, torch.stack(list(rows)).detach().cpu().numpy())

    def export(self, folder: Path, notes: dict[str, Any]) -> None:
        self.choose_codes()
        self.write_into(self.file)
        origin = (
            f"from SmolLM2-135M-Instruct by Hugging Face, Apache-2.0; distilled on {notes['tokens']:,} tokens"
        )
        for about in (f"name: {self.name} ({origin})\n", f"name: {self.name}\n"):
            if len(about) <= self.file.about_room():
                self.file.put_about(about)
                break
        self.file.save(folder / "distilled.pspm")

    def _read_matrix(self, tensor: PspmTensor) -> CodedMatrix:
        if tensor.format != CODES:
            raise ValueError(f"{tensor.name}: only matrices in byte codes can be distilled")
        matrix = self.file.codes(tensor)
        return half_split(matrix, self.config.head_dim) if tensor.role in PAIRED_ROLES else matrix

    def _read_norm(self, tensor: PspmTensor, parameters: dict[str, nn.Parameter]) -> None:
        if tensor.format != F32:
            raise ValueError(f"{tensor.name}: expected floats")
        for name, row in zip(norm_names(tensor), self.file.floats(tensor), strict=True):
            parameter = parameters[name.replace("/", ".")]
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(row))
            self.norms[name] = parameter


def interleaved(matrix: CodedMatrix, head_dim: int) -> CodedMatrix:
    """Query or key rows from half-split order to pairs side by side."""
    return _reordered(matrix, (2, head_dim // 2))


def half_split(matrix: CodedMatrix, head_dim: int) -> CodedMatrix:
    """Query or key rows from pairs side by side to half-split order."""
    return _reordered(matrix, (head_dim // 2, 2))


def _reordered(matrix: CodedMatrix, shape: tuple[int, int]) -> CodedMatrix:
    order = np.arange(len(matrix.codes)).reshape(-1, *shape).transpose(0, 2, 1).reshape(-1)
    return replace(matrix, row_scales=matrix.row_scales[order], codes=matrix.codes[order])


def norm_names(tensor: PspmTensor) -> list[str]:
    """Names of a norm tensor's rows: one layer's, or all layers' in one tensor."""
    if tensor.role == "final_norm":
        return ["final_norm"]
    return [f"layers/{tensor.layer + row}/{tensor.role}" for row in range(tensor.rows)]


def matrix_name(tensor: PspmTensor) -> str:
    if tensor.role not in MATRIX_ROLES:
        raise ValueError(f"{tensor.name}: only models with a tied classifier can be distilled")
    return f"layers.{tensor.layer}.{MATRIX_ROLES[tensor.role]}.weight"


def config_of(file: PspmFile) -> LlamaConfig:
    config = file.config
    return LlamaConfig(
        vocab_size=config.vocab_size,
        hidden_dim=config.dim,
        ffn_dim=config.hidden_dim,
        n_layers=config.n_layers,
        n_heads=config.n_heads,
        n_kv_heads=config.n_kv_heads,
        head_dim=config.dim // config.n_heads,
        rope_theta=config.rope_base,
        norm_epsilon=config.norm_epsilon,
    )


def dequantised_state(file: PspmFile) -> dict[str, Tensor]:
    """The weights that the engine computes with, as a plain model's state."""
    coded = CodedStudent(file)
    coded.before_step()
    return {name: value.detach() for name, value in coded.model.state_dict().items()}
