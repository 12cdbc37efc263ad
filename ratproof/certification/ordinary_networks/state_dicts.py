"""Recognition of an ordinary recurrent network in the names and shapes of a state dict.

A state dict does not specify how its tensors are combined. Unless the caller names the parts, a tensor
without a role is therefore an error: it may belong to a normalisation or to a hidden layer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TypeAlias

from torch import Tensor

from automata.errors import InputError, ShapeError
from automata.text.number_text import plural, shorten
from ratproof.certification.ordinary_networks.network import GATES, OrdinaryNetwork
from ratproof.certification.ordinary_networks.torch_weights import (
    WEIGHTS,
    biases,
    checked_symbols,
    checked_threshold,
    input_vectors,
    layer_of,
    shaped,
)

CELLS = {"rnn": "rnn_tanh", "rnn_relu": "rnn_relu", "gru": "gru", "lstm": "lstm"}
"""The network's cell for each name that users pass; ``auto`` derives it from the shapes."""
PARAMETER = re.compile(
    r"(?P<prefix>(?:.*\.)?)(?P<key>(?:weight|bias)_(?:ih|hh|hr)(?:_l\d+(?:_reverse)?)?)", re.DOTALL
)
Tensors: TypeAlias = Mapping[str, Tensor]


def network_of_tensors(
    tensors: Tensors,
    *,
    path: str | PathLike[str],
    cell: str,
    prefix: str | None = None,
    readout: str | None = None,
    embeddings: Tensor | str | None = None,
    alphabet: Iterable[str],
    threshold: float = 0.0,
) -> OrdinaryNetwork:
    """Return the network (a recurrent layer and a linear classifier) whose weights a state dict contains.

    The recurrent layer is an ``nn.RNN``, ``nn.GRU`` or ``nn.LSTM`` of one or more layers, or one
    ``nn.RNNCell``, ``nn.GRUCell`` or ``nn.LSTMCell``.

    Args:
        tensors: The state dict.
        path: The path of the file, for error messages.
        cell: ``"rnn"`` (tanh), ``"rnn_relu"``, ``"gru"``, ``"lstm"`` or ``"auto"``.
        prefix: The name of the recurrent layer, such as ``"encoder"``. The names of enclosing modules may be
            omitted. Defaults to the only one.
        readout: The name of the classifier, such as ``"head"``. Defaults to the only linear layer. If both
            ``prefix`` and ``readout`` are passed, tensors without a role are ignored.
        embeddings: The symbols' input vectors, of shape ``(symbols, input_size)``, ``"one-hot"``, or the
            indices of the symbols' rows in the embedding table, of shape ``(symbols,)``. None stands for all
            rows in order, or for one-hot vectors without a table.
        alphabet: The symbols, which are distinct non-empty strings.
        threshold: With one output, the network accepts a string if the output exceeds the threshold.

    Raises:
        InputError: If the parts are missing or ambiguous, or have unsupported shapes or dtypes.
    """
    where = str(path)
    symbols = checked_symbols(alphabet, where)
    if cell not in (*CELLS, "auto"):
        raise InputError(f"{where}: cell must be one of {[*CELLS, 'auto']}, got {shorten(cell)}")
    start, recurrent = _recurrent(tensors, prefix, where)
    count, units, inputs, kind = _sizes(recurrent, start, cell, where)
    head, tables = _head_and_tables(tensors, readout, (units, inputs, len(symbols)), where)
    from_table = embeddings is None or (isinstance(embeddings, Tensor) and not embeddings.is_floating_point())
    if len(tables) > 1 and from_table:
        raise InputError(f"{where}: the state dict must have at most one embedding table, got {tables}")
    table = tables[0] if len(tables) == 1 else None
    if prefix is None or readout is None:
        _require_roles(tensors, start, head, table, where)
    weight, bias = tensors[f"{head}weight"], tensors.get(f"{head}bias")
    classes = len(weight)
    vectors, _ = input_vectors(
        embeddings, None if table is None else tensors[table], len(symbols), inputs, where
    )
    layers = []
    for index in range(count):
        keys = [_key(kind_of_weight, index, recurrent) for kind_of_weight in WEIGHTS]
        sizes = (units * GATES[kind], units if index else inputs, units)
        layers.append(
            layer_of([recurrent.get(key) for key in keys], sizes, [f"{where}: {start}{key}" for key in keys])
        )
    return OrdinaryNetwork(
        cell=kind,
        layers=tuple(layers),
        embeddings=vectors,
        readout=shaped(weight, (classes, units), f"{where}: {head}weight"),
        readout_bias=biases(bias, classes, f"{where}: {head}bias"),
        threshold=checked_threshold(threshold, classes, where),
        alphabet=symbols,
    )


def embedding_table(
    tensors: Tensors,
    cell: str,
    symbols: int,
    path: str | PathLike[str],
    prefix: str | None = None,
    readout: str | None = None,
) -> Tensor | None:
    """Return the only matrix of a state dict that can be an embedding table, or None.

    The arguments are those of :func:`network_of_tensors`, except for the number of symbols.
    """
    where = str(path)
    start, recurrent = _recurrent(tensors, prefix, where)
    _, units, inputs, _ = _sizes(recurrent, start, cell, where)
    _, tables = _head_and_tables(tensors, readout, (units, inputs, symbols), where)
    return tensors[tables[0]] if len(tables) == 1 else None


def _recurrent(tensors: Tensors, prefix: str | None, where: str) -> tuple[str, dict[str, Tensor]]:
    """Return the prefix of the recurrent layer's names, and its tensors without the prefix."""
    groups: dict[str, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        match = PARAMETER.fullmatch(name)
        if match is not None:
            groups.setdefault(match["prefix"], {})[match["key"]] = tensor
    if not groups:
        raise InputError(
            f"{where}: the state dict must have a recurrent layer (weight_ih_l0, weight_hh_l0), got"
            f" {shorten(list(tensors))}"
        )
    start = _chosen(list(groups), prefix, "prefix", "recurrent layer", where)
    group = groups[start]
    for key in group:
        if key.endswith("_reverse"):
            raise InputError(f"{where}: the recurrent layer must not be bidirectional, got {start}{key}")
        if "_hr" in key:
            raise InputError(f"{where}: the recurrent layer must not have a projection, got {start}{key}")
    return start, group


def _chosen(starts: list[str], name: str | None, option: str, what: str, where: str) -> str:
    """Return the prefix that ends with ``name``, or the only prefix if no name is given."""
    names = [start.removesuffix(".") for start in starts]
    if name is None:
        if len(starts) > 1:
            raise InputError(f"{where}: the state dict must have one {what}, got {names}; pass {option}")
        return starts[0]
    name = name.removesuffix(".")
    exact = [start for start in starts if start.removesuffix(".") == name]
    ends = [start for start in starts if start.removesuffix(".").endswith(f".{name}")]
    matches = exact or ends
    if len(matches) != 1:
        raise InputError(f"{where}: {option} must be one of {names}, got {shorten(name)}")
    return matches[0]


def _sizes(recurrent: dict[str, Tensor], start: str, cell: str, where: str) -> tuple[int, int, int, str]:
    """Return the number of layers, of units and of inputs, and the cell."""
    layers = {int(key.rpartition("_l")[2]) for key in recurrent if "_l" in key}
    if layers and any("_l" not in key for key in recurrent):
        raise InputError(f"{where}: {start}: the names must be those of layers or of one cell, got both")
    if layers and layers != set(range(len(layers))):
        raise InputError(f"{where}: {start}: the layers must be numbered from 0, got {sorted(layers)}")
    keys = [_key(kind, 0, recurrent) for kind in WEIGHTS[:2]]
    for key in keys:
        if key not in recurrent or recurrent[key].ndim != 2 or 0 in recurrent[key].shape:
            shape = f"shape {tuple(recurrent[key].shape)}" if key in recurrent else "none"
            raise ShapeError(f"{where}: {start}{key}: the tensor must be a matrix, got {shape}")
    (_, inputs), (rows, units) = (recurrent[key].shape for key in keys)
    kinds = [kind for kind, gates in GATES.items() if rows == gates * units]
    if not kinds:
        raise ShapeError(
            f"{where}: {start}{keys[1]}: the number of rows must be 1, 3 or 4 times the number of columns,"
            f" got shape {(rows, units)}"
        )
    if cell == "auto" and len(kinds) > 1:
        raise InputError(
            f"{where}: cell must be rnn (tanh) or rnn_relu for {start}{keys[1]} of shape {(rows, units)}, got"
            " auto; the shapes do not determine the nonlinearity"
        )
    kind = kinds[0] if cell == "auto" else CELLS[cell]
    if kind not in kinds:
        names = " or ".join(name for name, known in CELLS.items() if known in kinds)
        raise InputError(
            f"{where}: cell must be {names} for {start}{keys[1]} of shape {(rows, units)}, got {cell}"
        )
    return max(len(layers), 1), units, inputs, kind


def _key(kind: str, index: int, recurrent: dict[str, Tensor]) -> str:
    """Return the name of a weight of a layer; the names of a cell's weights have no layer number."""
    return kind if "weight_hh" in recurrent else f"{kind}_l{index}"


def _head_and_tables(
    tensors: Tensors, readout: str | None, sizes: tuple[int, int, int], where: str
) -> tuple[str, list[str]]:
    """Return the prefix of the classifier's names, and the names of matrices that may be embedding tables.

    Args:
        tensors: The state dict.
        readout: The name of the classifier, if the user passed it.
        sizes: The number of units, of inputs and of symbols.
        where: The beginning of error messages.
    """
    units, inputs, symbols = sizes
    matrices = {
        name.removesuffix("weight"): tensor
        for name, tensor in tensors.items()
        if (name == "weight" or name.endswith(".weight")) and tensor.ndim == 2 and len(tensor)
    }
    heads = [name for name, matrix in matrices.items() if matrix.shape[1] == units]
    tables = [
        name
        for name, matrix in matrices.items()
        if matrix.shape[1] == inputs and len(matrix) >= symbols and f"{name}bias" not in tensors
    ]
    if readout is None:
        # an embedding may have as many columns as there are units
        heads = [name for name in heads if name not in tables or "emb" not in name.lower()]
        only_heads = [name for name in heads if name not in tables]
        heads = only_heads if len(only_heads) == 1 else heads
    if not heads:
        raise InputError(
            f"{where}: the state dict must have a linear layer with {plural(units, 'column')}, got"
            f" {shorten(list(tensors))}"
        )
    head = _chosen(heads, readout, "readout", f"linear layer with {plural(units, 'column')}", where)
    return head, [f"{name}weight" for name in tables if name != head]


def _require_roles(tensors: Tensors, start: str, head: str, table: str | None, where: str) -> None:
    """Raise InputError if the state dict has a tensor that belongs to none of the network's parts."""
    known = {f"{head}weight", f"{head}bias", table}
    others = []
    for name in tensors:
        match = PARAMETER.fullmatch(name)
        if name not in known and (match is None or match["prefix"] != start):
            others.append(name)
    if others:
        raise InputError(
            f"{where}: the state dict must have only a recurrent layer, a linear layer and an embedding, got"
            f" {shorten(others)}; pass prefix and readout if the network does not use the additional tensors"
        )
