"""Checkpoint files of a :class:`~neural.fa_rnn.classifier.Classifier`.

Everything in a file is checked before the network is built.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import InputError
from automata.rules.words import BEGIN
from automata.text.printable_text import has_half_a_character
from neural import checkpoints
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.classifier import Classifier, RuleBlock
from neural.fa_rnn.factors import Factors
from neural.fa_rnn.network import FARNN

KIND = "FA-RNN classifier"
CELL = "network.cell."
ALWAYS = {
    f"{CELL}rules": "Vr",
    f"{CELL}before": "Kr",
    f"{CELL}after": "Kr",
    f"{CELL}apart": "KK",
    f"{CELL}stands": "V",
    "network.initial": "K",
    "network.final": "GK",
    "readout.weight": "LK",
    "readout.bias": "L",
}
"""The shape of each tensor, one letter per axis.

The axes are V (words), r (columns), K (states), G (blocks), L (labels), and D (entries of a pretrained
vector).
"""
WITH_VECTORS = {f"{CELL}pretrained": "VD", f"{CELL}turn": "Dr"}


def save(model: Classifier, path: str | Path, about: dict[str, Any] | None = None) -> None:
    """Write the classifier, with a description that JSON can represent, to a checkpoint file."""
    header = {
        "words": list(model.network.words),
        "labels": list(model.labels),
        "beta": model.cell.beta,
        "blocks": [asdict(block) for block in model.blocks],
    }
    if "classifier" in (about or {}):
        raise InputError(f'{path}: the description must not contain "classifier", which the file reserves')
    checkpoints.write(path, KIND, {"classifier": header, **(about or {})}, model.state_dict())


def load(path: str | Path) -> tuple[Classifier, dict[str, Any]]:
    """Read a classifier (in evaluation mode, on the CPU) and its description.

    Raises:
        FormatError: If the file is not a complete checkpoint of a classifier.
    """
    about, tensors = checkpoints.read(path, KIND)
    with checkpoints.describing(path, "a classifier"):
        model = _classifier(about["classifier"], tensors)
    return model, about


def _classifier(header: dict[str, Any], tensors: dict[str, Tensor]) -> Classifier:
    words, labels, beta = _texts(header, "words"), _texts(header, "labels"), header["beta"]
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not 0 <= beta <= 1:
        raise InputError(f"beta must be a number from 0 to 1, got {beta!r:.40}")
    has_vectors = f"{CELL}turn" in tensors
    _check_shapes(
        tensors, ALWAYS | (WITH_VECTORS if has_vectors else {}), {"V": len(words), "L": len(labels)}
    )
    if BEGIN not in words:
        raise InputError(f"words must contain {BEGIN}, which begins each sentence")
    if beta != 1 and not has_vectors:
        raise InputError(f"beta must be 1 without pretrained vectors, got {beta}")
    states = len(tensors["network.initial"])
    blocks = [_block(block, states, labels) for block in header["blocks"]]
    every = [state for block in blocks for state in block.states]
    if len(set(every)) != len(every):
        raise InputError("blocks must have disjoint states, got a state in two blocks")
    if len(blocks) != len(tensors["network.final"]):
        raise InputError(
            f"network.final must have one row for each of {len(blocks)} blocks, got"
            f" {len(tensors['network.final'])}"
        )
    _check_fixed(tensors, blocks)
    factors = Factors(
        *(
            tensors[f"{CELL}{name}"].double().numpy()
            for name in ("rules", "before", "after", "apart", "stands")
        )
    )
    dtype = tensors["network.initial"].dtype
    cell = FactoredCell(factors, dtype=dtype)
    if has_vectors:
        cell.register_buffer("pretrained", tensors[f"{CELL}pretrained"])
        cell.turn = torch.nn.Parameter(tensors[f"{CELL}turn"])
    cell.beta = float(beta)
    network = FARNN(words, cell, tensors["network.initial"], tensors["network.final"])
    model = Classifier(network, labels, blocks)
    model.load_state_dict(tensors)
    return model.eval()


def _check_shapes(tensors: dict[str, Tensor], shapes: dict[str, str], sizes: dict[str, int]) -> None:
    for name in {**dict.fromkeys(shapes), **dict.fromkeys(tensors)}:
        if name not in shapes or name not in tensors:
            raise InputError(
                f"the tensor {name} {'is missing' if name in shapes else 'does not belong to a classifier'}"
            )
        tensor, letters = tensors[name], shapes[name]
        expected = tuple(
            sizes.setdefault(letter, size) for letter, size in zip(letters, tensor.shape, strict=False)
        )
        if tensor.dim() != len(letters) or tuple(tensor.shape) != expected:
            raise InputError(
                f"the tensor {name} must have a shape that fits the others, got {tuple(tensor.shape)}"
            )
        if (
            tensor.dtype not in (torch.float32, torch.float64)
            or tensor.dtype != tensors["network.initial"].dtype
        ):
            raise InputError(
                f"all tensors must have the same dtype, float32 or float64; {name} has {tensor.dtype}"
            )
        if not bool(torch.isfinite(tensor).all()):
            raise InputError(f"all entries of the tensor {name} must be finite")


def _check_fixed(tensors: dict[str, Tensor], blocks: list[RuleBlock]) -> None:
    """Raise InputError if a tensor that training does not change is inconsistent with the blocks of rules."""
    final = torch.zeros_like(tensors["network.final"])
    for row, block in enumerate(blocks):
        final[row, list(block.final)] = 1
    if not torch.equal(final, tensors["network.final"]):
        raise InputError("the tensor network.final must be 1 at each block's final states and 0 elsewhere")
    stands = tensors[f"{CELL}stands"]
    if not bool(((stands == 0) | (stands == 1)).all()):
        raise InputError(f"the tensor {CELL}stands must contain only 0 and 1")


def _texts(header: dict[str, Any], name: str) -> list[str]:
    texts = header[name]
    if (
        not isinstance(texts, list)
        or not all(isinstance(text, str) and text and not has_half_a_character(text) for text in texts)
        or len(set(texts)) != len(texts)
    ):
        raise InputError(f"{name} must be a list of distinct non-empty strings, got {texts!r:.80}")
    return texts


def _block(fields: Any, states: int, labels: list[str]) -> RuleBlock:
    for name in ("rules", "states", "final"):
        if not isinstance(fields[name], list):
            raise InputError(
                f"a block's rules, states and final states must be lists, got {name} {fields[name]!r:.40}"
            )
    block = RuleBlock(
        fields["label"], tuple(fields["rules"]), tuple(fields["states"]), tuple(fields["final"])
    )
    if block.label not in labels or not all(isinstance(rule, str) for rule in block.rules):
        raise InputError(
            f"a block must have a label of the classifier and rules that are strings, got the label"
            f" {block.label!r:.40}"
        )
    if not block.rules:
        raise InputError(f"the block of the label {block.label!r:.40} must have at least one rule")
    for state in (*block.states, *block.final):
        if isinstance(state, bool) or not isinstance(state, int) or not 0 <= state < states:
            raise InputError(f"a block's states must be between 0 and {states - 1}, got {state!r:.40}")
    if len(set(block.states)) != len(block.states) or not set(block.final) <= set(block.states):
        raise InputError(
            f"a block of the label {block.label!r:.40} must have distinct states that include its final"
            " states"
        )
    return block
