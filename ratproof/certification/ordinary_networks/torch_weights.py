"""Checks of weights, alphabets and input vectors, and conversion of a network to modules of torch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from automata.checks import checked_alphabet
from automata.errors import InputError, ShapeError
from automata.text.number_text import plural, shorten
from neural.seeding import seeded
from ratproof.certification.network_numbers import array
from ratproof.certification.ordinary_networks.arithmetic import Array
from ratproof.certification.ordinary_networks.network import Layer, OrdinaryNetwork

ONE_HOT = "one-hot"
MOST = torch.finfo(torch.float32).max
WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
"""The names of a layer's weights in torch, without the layer's number."""


def values(tensor: Tensor, where: str) -> Array:
    """Return a float32 tensor's values, exactly.

    Raises:
        InputError: If the tensor is not dense and float32, has no values, or has one that is not finite.
    """
    if tensor.dtype != torch.float32:
        raise InputError(f"{where}: the tensor must be float32, got {_short(tensor.dtype)}")
    if tensor.layout != torch.strided or tensor.device.type == "meta":
        storage = _short(tensor.layout) if tensor.layout != torch.strided else "a tensor on the meta device"
        raise InputError(f"{where}: the tensor must be dense and have values, got {storage}")
    numbers = tensor.detach()
    if not bool(torch.isfinite(numbers).all()):
        wrong = numbers[~torch.isfinite(numbers)][0].item()
        raise InputError(f"{where}: all elements must be finite, got {wrong}")
    return array(numbers)


def shaped(tensor: Tensor, shape: tuple[int, ...], where: str) -> Array:
    """Return a float32 tensor's values; raise InputError unless it has this shape."""
    if tuple(tensor.shape) != shape:
        raise ShapeError(f"{where}: the shape must be {shape}, got {tuple(tensor.shape)}")
    return values(tensor, where)


def biases(tensor: Tensor | None, size: int, where: str) -> Array:
    """Return a bias of shape ``(size,)``; None stands for zeros."""
    return np.zeros(size) if tensor is None else shaped(tensor, (size,), where)


def layer_of(tensors: Sequence[Tensor | None], sizes: tuple[int, int, int], names: Sequence[str]) -> Layer:
    """Return a layer with these weights.

    Args:
        tensors: The weights in the order of :data:`WEIGHTS`. Both biases may be None.
        sizes: The number of rows, which is the number of gates times the units, of inputs, and of units.
        names: The name of each tensor, as the beginning of error messages.

    Raises:
        InputError: If a weight is missing, or has another shape or dtype, or is not finite.
    """
    rows, inputs, units = sizes
    required = tensors if any(tensor is not None for tensor in tensors[2:]) else tensors[:2]
    for tensor, name in zip(required, names, strict=False):
        if tensor is None:
            raise InputError(f"{name}: the tensor is missing")
    input_weight, weight, input_bias, bias = tensors
    assert input_weight is not None and weight is not None
    return Layer(
        shaped(input_weight, (rows, inputs), names[0]),
        shaped(weight, (rows, units), names[1]),
        biases(input_bias, rows, names[2]),
        biases(bias, rows, names[3]),
    )


def checked_symbols(alphabet: Iterable[str], where: str) -> tuple[str, ...]:
    """Return the alphabet; raise InputError unless it has distinct non-empty strings."""
    try:
        symbols = checked_alphabet(alphabet)
    except InputError as error:
        raise error.about(where) from None
    wrong = [symbol for symbol in symbols if not isinstance(symbol, str)]
    if wrong:
        raise InputError(f"{where}: the symbols of the alphabet must be strings, got {shorten(wrong[0])}")
    if not symbols:
        raise InputError(f"{where}: the alphabet must have at least one symbol")
    return symbols


def checked_threshold(threshold: float, classes: int, where: str) -> float:
    """Return the threshold as float32, because torch compares in float32.

    Raises:
        InputError: If it is not finite in float32, or not 0 for several classes.
    """
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if not is_number or not abs(threshold) <= MOST:
        raise InputError(f"{where}: threshold must be a finite number, got {shorten(threshold)}")
    if classes > 1 and threshold:
        raise InputError(
            f"{where}: threshold must be 0 for a classifier with {classes} outputs, whose largest output is"
            f" the decision, got {threshold}"
        )
    return float(np.float32(threshold))


def input_vectors(
    embeddings: Tensor | str | None, table: Tensor | None, symbols: int, size: int, where: str
) -> tuple[Array, list[int] | None]:
    """Return the input vector of each symbol, and the indices of these vectors in the embedding table.

    Args:
        embeddings: ``"one-hot"``, the vectors, or the indices of the table's rows. None stands for the
            table's rows, or for one-hot vectors without a table.
        table: The network's embedding table, if it has one.
        symbols: The number of symbols.
        size: The network's number of inputs.
        where: The beginning of error messages.

    Returns:
        Vectors of shape ``(symbols, size)``, and the table's rows, or None if the vectors are not from it.

    Raises:
        InputError: If the vectors do not fit the symbols and the inputs.
    """
    if embeddings is None and table is not None:
        if len(table) != symbols:
            raise ShapeError(
                f"{where}: the embedding table must have one row for each of {plural(symbols, 'symbol')}, got"
                f" {plural(len(table), 'row')}; pass the index of each symbol's row as embeddings"
            )
        return shaped(table, (symbols, size), f"{where}: the embedding table"), list(range(symbols))
    if embeddings is None or isinstance(embeddings, str):
        if embeddings not in (None, ONE_HOT):
            raise InputError(
                f"{where}: embeddings must be a tensor or {ONE_HOT!r}, got {shorten(embeddings)}"
            )
        if size != symbols:
            hint = "; pass embeddings" if embeddings is None else ""
            raise ShapeError(
                f"{where}: one-hot vectors of {plural(symbols, 'symbol')} must have as many entries as the"
                f" network has inputs, which is {size}, got {symbols}{hint}"
            )
        return np.eye(symbols), None
    if not isinstance(embeddings, Tensor):
        raise InputError(f"{where}: embeddings must be a tensor, got {type(embeddings).__name__}")
    if embeddings.ndim == 1 and not embeddings.is_floating_point():
        return _rows(embeddings, table, symbols, size, where)
    return shaped(embeddings, (symbols, size), f"{where}: embeddings"), None


def _rows(
    indices: Tensor, table: Tensor | None, symbols: int, size: int, where: str
) -> tuple[Array, list[int]]:
    """Return the rows of the embedding table for the given indices, and the indices."""
    if table is None:
        raise InputError(
            f"{where}: embeddings must be the input vectors, because the network has no embedding table, got"
            " indices"
        )
    if len(indices) != symbols:
        raise ShapeError(
            f"{where}: embeddings must have one index for each of {plural(symbols, 'symbol')}, got"
            f" {len(indices)}"
        )
    rows = [int(index) for index in indices.tolist()]
    wrong = [row for row in rows if not 0 <= row < len(table)]
    if wrong:
        raise InputError(f"{where}: embeddings must be indices from 0 to {len(table) - 1}, got {wrong[0]}")
    chosen = table.detach()[torch.tensor(rows, device=table.device)]
    return shaped(chosen, (symbols, size), f"{where}: the embedding table"), rows


def torch_modules(network: OrdinaryNetwork) -> tuple[nn.RNNBase, nn.Linear]:
    """Return a network as a recurrent layer and a linear layer in float32, in evaluation mode.

    The recurrent layer has ``batch_first=False``. The linear layer's output must exceed the network's
    threshold. The random number generators keep their states.
    """
    sizes = (network.embeddings.shape[1], network.units, len(network.layers))
    options = {"dtype": torch.float32, "device": "cpu"}  # the user may have other defaults
    with seeded(0):  # the layers draw weights, which are replaced
        rnn: nn.RNNBase
        if network.cell == "gru":
            rnn = nn.GRU(*sizes, **options)
        elif network.cell == "lstm":
            rnn = nn.LSTM(*sizes, **options)
        else:
            rnn = nn.RNN(*sizes, nonlinearity=network.cell.removeprefix("rnn_"), **options)
        linear = nn.Linear(network.units, len(network.readout), dtype=torch.float32, device="cpu")
    parameters = dict(rnn.named_parameters())
    with torch.no_grad():
        for index, layer in enumerate(network.layers):
            parameters[f"weight_ih_l{index}"].copy_(torch.from_numpy(layer.input_weight))
            parameters[f"weight_hh_l{index}"].copy_(torch.from_numpy(layer.weight))
            parameters[f"bias_ih_l{index}"].copy_(torch.from_numpy(layer.input_bias))
            parameters[f"bias_hh_l{index}"].copy_(torch.from_numpy(layer.bias))
        linear.weight.copy_(torch.from_numpy(network.readout))
        linear.bias.copy_(torch.from_numpy(network.readout_bias))
    return rnn.eval(), linear.eval()


def _short(name: object) -> str:
    return str(name).removeprefix("torch.")
