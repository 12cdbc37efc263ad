"""Computation of a cell's automata, their error bounds and the tables of its gates.

All are computed from the values of the gates in every window of symbols.

>>> from neural.qrnn import QRNNCell
>>> cell = QRNNCell(2, 1)
>>> list(tables(cell, torch.eye(2), "ab", 0)["f"])
[('a',), ('b',), ('a', 'a'), ('a', 'b'), ('b', 'a'), ('b', 'b')]
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.aliases import Floats
from automata.errors import InputError
from automata.rounding.bounds import FLOAT64, Deviation
from automata.text.number_text import shorten
from automata.wfsa import MOST_CELLS, MOST_EXACT_CELLS, WFSA
from neural.cell import AutomatonCell
from neural.linear_recurrence_cell import LinearRecurrenceCell
from neural.pattern import Windows, WindowWeights
from neural.shapes import is_integer
from neural.tracked import RunningErrorTensor, tracking


@torch.no_grad()
def to_automata(
    cell: AutomatonCell, embeddings: Tensor, vocabulary: Sequence[Hashable], start: Any, exact: bool
) -> list[WFSA]:
    """Return the automata of a cell, one per unit; see :meth:`neural.layer.Recurrent.to_automata`."""
    windows = _windows(cell, embeddings, vocabulary, exact)
    gates = {name: _array(gate) for name, gate in cell.gates(_views(cell, embeddings, windows)).items()}
    c = first(cell, start)
    values = cell.exact_weights(gates)
    weights = WindowWeights(values, cell.semiring.one, cell.semiring.zero, c, c == cell.semiring.zero)
    index = {symbol: i for i, symbol in enumerate(vocabulary)}
    shared: dict[int, WFSA] = {}
    automata = []
    for (initial, final, matrices), epsilon in zip(
        cell.arrays(weights, windows), cell.epsilon_matrices(weights), strict=True
    ):
        one = shared.get(id(matrices))
        if one is None:
            one = WFSA.from_arrays(cell.semiring, initial, final, matrices, index)
            one = one if epsilon is None else one.replace(epsilon=epsilon)
            one = shared[id(matrices)] = _exact(one, initial, final, matrices) if exact else one
        else:  # only initial and final weights differ; the matrices are shared
            ends = WFSA.from_arrays(cell.semiring, initial, final, matrices[:0], {})
            ends = _exact(ends, initial, final, matrices[:0]) if exact else ends
            one = one.replace(initial=ends.initial, final=ends.final)
        automata.append(one)
    return automata


@torch.no_grad()
def deviations(cell: AutomatonCell, embeddings: Tensor, start: Any) -> list[Deviation]:
    """Bound, for each unit, the difference between the automaton's weights in two evaluations of the gates.

    See :meth:`neural.layer.Recurrent.deviations`.
    """
    windows = _windows(cell, embeddings, range(len(embeddings)), exact=False)
    slack = {
        name: _array(gate)
        for name, gate in cell.slack(tracked_gates(cell, _views(cell, embeddings, windows))).items()
    }
    fresh = first(cell, start) == cell.semiring.zero
    weights = WindowWeights(slack, 0.0, 0.0, np.zeros(cell.hidden_size), fresh)  # constants are exact
    return [
        Deviation(matrices, initial, final, epsilon)
        for (initial, final, matrices), epsilon in zip(
            cell.arrays(weights, windows), cell.epsilon_matrices(weights), strict=True
        )
    ]


@torch.no_grad()
def magnitudes(
    cell: LinearRecurrenceCell, embeddings: Tensor, vocabulary: Sequence[Hashable], start: Any
) -> list[tuple[WFSA, Floats]]:
    """Return, for each unit, an automaton that bounds magnitudes, and one factor for each of its states.

    Each weight of a unit's automaton is a polynomial in the gates. The returned automaton has the sum of the
    magnitudes of the monomials instead. The network may add monomials in another order than the unit's
    automaton. If monomials cancel, its rounding errors are proportional to their magnitudes. The factors have
    shape ``(states,)``: every product of a state's value and some gates of one step is at most the state's
    factor times this value.
    """
    windows = _windows(cell, embeddings, vocabulary, exact=False)
    weights = cell.tracked_weights(tracked_gates(cell, _views(cell, embeddings, windows)))
    sizes = {name: _finite(weight.magnitude) for name, weight in weights.items()}
    reach = {name: _finite(weight.reach) for name, weight in weights.items()}
    c = np.abs(first(cell, start))
    index = {symbol: i for i, symbol in enumerate(vocabulary)}
    result = []
    for (initial, final, matrices), (_, _, factors) in zip(
        cell.arrays(WindowWeights(sizes, 1.0, 0.0, c, c == 0), windows),
        cell.arrays(WindowWeights(reach, 1.0, 0.0, c, c == 0), windows),
        strict=True,
    ):
        automaton = WFSA.from_arrays(cell.semiring, initial, final, matrices, index)
        with np.errstate(over="ignore"):
            every = factors.sum(axis=2).max(axis=0, initial=0.0)
        result.append((automaton, np.minimum(every, FLOAT64.largest)))
    return result


def tracked_gates(cell: AutomatonCell, view: Tensor) -> dict[str, RunningErrorTensor]:
    """Compute the gates as tensors with a bound on the rounding error of one evaluation."""
    with tracking():
        gates: dict[str, Any] = cell.gates(view)
    return {
        name: gate if isinstance(gate, RunningErrorTensor) else RunningErrorTensor.exact(gate)
        for name, gate in gates.items()
    }


@torch.no_grad()
def tables(
    cell: AutomatonCell, embeddings: Tensor, vocabulary: Sequence[Hashable], unit: int
) -> dict[str, dict[tuple[Hashable, ...], Any]]:
    """Return the values of a unit's gates by name and window; see :meth:`neural.layer.Recurrent.tables`."""
    if not (isinstance(unit, int) and 0 <= unit < cell.hidden_size):
        raise InputError(f"unit must be an integer from 0 to {cell.hidden_size - 1}, got {unit!r}")
    windows = _windows(cell, embeddings, vocabulary, exact=False)
    names = [tuple(vocabulary[i] for i in row if i >= 0) for row in windows.ids.tolist()]
    result: dict[str, dict[tuple[Hashable, ...], Any]] = {}
    for name, gate in cell.gates(_views(cell, embeddings, windows)).items():
        values = _array(gate)
        shared = name in ("W", "b")  # matrices and offsets belong to all units
        keys = names if values.ndim > 1 else [()]  # the gate does not depend on the symbol
        rows = values if shared else values[..., unit].reshape(len(keys))
        result[name] = dict(zip(keys, rows.tolist(), strict=True))
    return result


def first(cell: AutomatonCell, start: Any) -> NDArray[np.float64]:
    """Return c_0 of each unit as float64, after rounding to the network's dtype, shape ``(hidden_size,)``.

    ``start`` is a scalar, one value per unit, or ``None`` for the semiring's zero.
    """
    like = next(cell.parameters())
    number = cell.semiring.zero if start is None else start
    try:  # a Python float is converted directly to the network's dtype, as in ``start``
        value = torch.as_tensor(number, dtype=like.dtype if isinstance(number, float) else None)
        if value.is_complex():
            raise ValueError
    except (TypeError, ValueError, OverflowError, RuntimeError):
        raise InputError(f"start must be representable in {like.dtype}, got {shorten(start)}") from None
    value = value.to(dtype=like.dtype, device=like.device)
    try:
        value = value.expand(cell.hidden_size)
    except RuntimeError:
        raise InputError(
            f"start must be a scalar or have shape ({cell.hidden_size},), got shape {tuple(value.shape)}"
        ) from None
    values = _array(value)
    if not all(map(cell.semiring.contains, values.tolist())):
        raise InputError(
            f"start must contain {cell.semiring.members} for the {cell.semiring.name} semiring, got"
            f" {values.tolist()}"
        )
    return values


def _exact(unit: WFSA, initial: NDArray[Any], final: NDArray[Any], matrices: NDArray[Any]) -> WFSA:
    """Convert the weights to exact numbers.

    All zeros share one object, because almost all weights are zero if gates read several symbols.
    """
    every = {"initial": initial, "final": final, "matrices": matrices}
    if unit.epsilon is not None:
        every["epsilon"] = unit.epsilon
    parts = {}
    for name, weights in every.items():
        nonzero = weights != unit.semiring.zero
        parts[name] = unit.semiring.zeros(*weights.shape, exact=True)
        parts[name][nonzero] = [unit.semiring.exact(w) for w in weights[nonzero]]
    return unit.replace(**parts)


def _array(values: Tensor) -> NDArray[np.float64]:
    return np.asarray(values.double().cpu().numpy())


def _finite(values: Tensor) -> NDArray[np.float64]:
    """Return an array in which infinities and NaN are replaced by the largest float64."""
    return np.nan_to_num(_array(values), nan=FLOAT64.largest, posinf=FLOAT64.largest)


def _windows(cell: AutomatonCell, embeddings: Tensor, vocabulary: Sequence[Hashable], exact: bool) -> Windows:
    """Return all windows over the vocabulary.

    Raises:
        InputError: If the embeddings are invalid or the automata would be too large.
    """
    expected: tuple[int, ...] = (len(vocabulary),)
    if not cell.reads_symbols:
        expected = (len(vocabulary), cell.input_size)
    if not isinstance(embeddings, Tensor) or embeddings.shape != expected:
        shape = tuple(embeddings.shape) if isinstance(embeddings, Tensor) else type(embeddings).__name__
        raise InputError(f"embeddings must have shape {expected}, got {shape}")
    if cell.reads_symbols:
        indices = embeddings.long()
        if not is_integer(embeddings) or bool(((indices < 0) | (indices >= cell.input_size)).any()):
            raise InputError(f"embeddings must be symbol indices, integers from 0 to {cell.input_size - 1}")
    elif embeddings.dtype != next(cell.parameters()).dtype or not bool(embeddings.isfinite().all()):
        raise InputError(f"embeddings must be finite numbers of dtype {next(cell.parameters()).dtype}")
    if len(set(vocabulary)) != len(vocabulary):
        raise InputError("the vocabulary must contain each symbol once, got a duplicate")
    windows = Windows(len(vocabulary), cell.window)
    (states, weights), most = cell.automata_size(windows), MOST_EXACT_CELLS if exact else MOST_CELLS
    if weights > most:
        raise InputError(
            f"automata of windows of {cell.window} over {windows.symbols:,} symbols must have at most"
            f" {most:,} {'exact ' if exact else ''}weights, got {weights:,} in {states:,} states"
        )
    return windows


def _views(cell: AutomatonCell, embeddings: Tensor, windows: Windows) -> Tensor:
    """Return the inputs of the gates in each window, zero-padded, shape ``(windows, K * input_size)``."""
    if cell.reads_symbols:
        return embeddings.long()
    padded = torch.cat([embeddings, embeddings.new_zeros(1, cell.input_size)])  # index -1 is the last row
    ids = torch.as_tensor(windows.ids, device=embeddings.device)
    return padded[ids].flatten(1)
