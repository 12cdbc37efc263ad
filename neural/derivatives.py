"""Derivatives of automaton scores with respect to a cell's parameters, inputs and first state.

They are the reference for the gradients of the torch layers. The scores are computed by the Forward algorithm
over the gates (eq. 3b, Peng et al. 2018), with epsilon transitions after each symbol. They are differentiated
by reverse accumulation, with a bound on the error of any other order of evaluation (:mod:`neural.any_order`).

>>> from neural.rrnn_b import RRNNBCell
>>> cell = RRNNBCell(1, 1, dtype=torch.float64)
>>> _ = [parameter.data.zero_() for parameter in cell.parameters()]
>>> inputs = torch.ones(1, 1, 1, dtype=torch.float64)  # one symbol; f = 1/2, c_1 = c_0 / 2 + 0 / 2
>>> of = score_derivatives(cell, inputs, torch.tensor(3.0).double(), torch.ones(2, 1, 1))  # c_0 + c_1
>>> of["c_0"].value.item(), of["update.weight"].value.item(), of["forget.bias"].value.item()
(1.5, 0.5, 0.75)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from automata.rounding.formats import Format
from automata.semirings import MAX_PLUS
from neural.affine import AffineCell
from neural.any_order import ReorderingBound, derivatives, evaluating
from neural.cell import AutomatonCell
from neural.linear_recurrence_cell import LinearRecurrenceCell
from neural.pattern import ONE, START, ZERO
from neural.rounding import format_of

INPUTS, FIRST = "inputs", "c_0"
"""The names of the derivatives with respect to the inputs and the first state."""


def any_order_scores(cell: AutomatonCell, inputs: Tensor, start: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the scores of the cell's automata, with error bounds that hold for every order of evaluation.

    The arguments are those of :func:`score_derivatives`.

    Returns:
        ``(scores, bounds)`` of all prefixes, float64, shape ``(T + 1, B, hidden_size)``; a bound is infinite
        if a computation might overflow.
    """
    scores = _scores(cell, inputs, start)[1]
    shape = inputs.shape[1], cell.hidden_size
    values, bounds = (
        [part.expand(shape) for part in parts]
        for parts in zip(*((score.value, score.bound()) for score in scores), strict=True)
    )
    return torch.stack(values), torch.stack(bounds)


def score_derivatives(
    cell: AutomatonCell, inputs: Tensor, start: Tensor, factors: Tensor
) -> dict[str, ReorderingBound]:
    """Compute the derivatives of a weighted sum of the scores of all prefixes, sequences and units.

    Args:
        cell: the cell.
        inputs: shape ``(T, B, input_size)``; symbol indices of shape ``(T, B)`` if the cell reads symbols.
        start: c_0, a scalar or one value per unit.
        factors: the factor of each score in the sum, shape ``(T + 1, B, hidden_size)``; the first row is for
            the empty prefix.

    Returns:
        Derivatives keyed by the parameter's name, :data:`INPUTS` or :data:`FIRST`. Each has the shape of the
        tensor with respect to which the sum is differentiated.
    """
    named, scores = _scores(cell, inputs, start)
    weighted = [
        (score, _factors_of_score(f, score)) for score, f in zip(scores, factors.double(), strict=True)
    ]
    return dict(zip(named, derivatives(weighted, list(named.values())), strict=True))


def _scores(
    cell: AutomatonCell, inputs: Tensor, start: Tensor
) -> tuple[dict[str, ReorderingBound], list[ReorderingBound]]:
    """Return the parameters, inputs and first state by name, and the scores of all prefixes.

    All are tensors with error bounds; the scores are computed from the others.
    """
    kind = format_of(next(cell.parameters()).dtype)
    named = {name: ReorderingBound.leaf(p, kind) for name, p in cell.named_parameters()}
    leaves = {id(p): named[name] for name, p in cell.named_parameters()}
    named[FIRST] = first = ReorderingBound.leaf(start.expand(cell.hidden_size), kind)
    view: Any = inputs
    if not cell.reads_symbols:
        named[INPUTS] = view = ReorderingBound.leaf(inputs, kind)
    before = inputs.new_zeros(cell.window - 1, *inputs.shape[1:], dtype=torch.float64)
    with evaluating(kind, leaves):
        if cell.window > 1:
            view = cell.windows(torch.cat([before, view]))
        gates = cell.gates(view)
    return named, list(_forward_of(cell)(cell, gates, first, len(inputs), kind))


def _forward_of(cell: AutomatonCell) -> Callable[..., Iterator[ReorderingBound]]:
    """Return the function that computes the scores of this kind of cell by the Forward algorithm."""
    if isinstance(cell, AffineCell):
        return _affine_scores
    return _polynomial_scores if isinstance(cell, LinearRecurrenceCell) else _pattern_scores


def _factors_of_score(factors: Tensor, score: ReorderingBound) -> Tensor:
    """Return the factors of a score in its shape.

    A score that is the same for all sequences, such as that of the empty prefix, has no batch axis. In this
    case, return the sum of the sequences' factors.
    """
    return factors if score.dim() == factors.dim() else factors.sum(0)


def _affine_scores(
    cell: AutomatonCell, gates: Mapping[str, Any], start: ReorderingBound, steps: int, kind: Format
) -> Iterator[ReorderingBound]:
    """Yield c_0, c_1, ..., where c_t = W_t c_{t-1} + b_t and c_0 is ``start``."""
    c: Any = start
    yield c
    for t in range(steps):
        c = (gates["W"][t] * c.unsqueeze(-2)).sum(-1) + gates["b"][t]
        yield c


def _polynomial_scores(
    cell: LinearRecurrenceCell, gates: Mapping[str, Any], start: ReorderingBound, steps: int, kind: Format
) -> Iterator[ReorderingBound]:
    """Yield the scores of all prefixes for cells whose automata's weights are polynomials in the gates.

    Each tensor contains the scores of all units.
    """
    pattern, units = cell.pattern, range(cell.hidden_size)
    shown = (..., list(units), [cell.shown_state(unit) for unit in units])
    one = ReorderingBound.leaf(torch.ones_like(start.value), kind)
    none = replace(
        ReorderingBound.leaf(torch.zeros_like(start.value), kind), reach=torch.zeros_like(start.value)
    )
    constants = {ONE: one, ZERO: none, START: start}
    vector: Any = torch.stack([constants[name] for name in pattern.initial], dim=-1)  # type: ignore[misc]
    yield vector[shown]
    if not steps:
        return
    weights = constants | cell.bounded_weights(gates)
    shape = next(gate.shape for gate in gates.values() if gate.dim() > 1)
    by_arrow = {(source, target): weights[name] for source, target, name in pattern.arrows}
    states = range(pattern.states)
    rows = [[by_arrow.get((i, j), none).expand(shape) for j in states] for i in states]
    matrices: Any = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=-2)
    for t in range(steps):
        vector = (matrices[t] * vector.unsqueeze(-1)).sum(-2)
        # the network computes all components, and an overflow in one of them may change the score
        bounded = (vector.bound() < math.inf).all(-1, keepdim=True)
        vector = replace(vector, error=torch.where(bounded, vector.error, math.inf))
        yield vector[shown]


def _pattern_scores(
    cell: AutomatonCell, gates: Mapping[str, Any], start: ReorderingBound, steps: int, kind: Format
) -> Iterator[ReorderingBound]:
    """Yield the scores of all prefixes, the empty prefix first, by the automaton of the cell's pattern.

    Each tensor contains the scores of all units.
    """
    run = _PatternRun(cell, gates, start, kind)
    vector = run.closed([run.weight(name, 0) for name in cell.pattern.initial], 0)
    yield run.read_out(vector, 0)
    for t in range(steps):
        after: list[ReorderingBound | None] = [None] * cell.pattern.states
        for source, target, name in cell.pattern.arrows:
            after[target] = run.plus(after[target], run.times(vector[source], run.weight(name, t)))
        vector = run.closed(after, t)
        yield run.read_out(vector, t)


class _PatternRun:
    """The operations of the Forward algorithm for a cell's pattern, in the cell's semiring.

    ``None`` stands for the semiring's zero.
    """

    def __init__(
        self, cell: AutomatonCell, gates: Mapping[str, Any], start: ReorderingBound, kind: Format
    ) -> None:
        self.cell, self.gates, self.start = cell, gates, start
        self.tropical = cell.semiring is MAX_PLUS
        self.one = ReorderingBound.leaf(torch.full_like(start.value, cell.semiring.one), kind)

    def weight(self, name: str, step: int) -> ReorderingBound | None:
        constants = {ZERO: None, ONE: self.one, START: self.start}
        if name in constants:
            return constants[name]
        gate: ReorderingBound = self.gates[name]
        return gate[step] if gate.dim() > 1 else gate

    def plus(self, a: ReorderingBound | None, b: ReorderingBound | None) -> ReorderingBound | None:
        if a is None or b is None:
            return b if a is None else a
        return a.maximum(b) if self.tropical else a + b

    def times(self, a: ReorderingBound | None, b: ReorderingBound | None) -> ReorderingBound | None:
        if a is None or b is None:
            return None
        if a is self.one or b is self.one:
            return b if a is self.one else a
        return a + b if self.tropical else a * b

    def closed(self, vector: list[ReorderingBound | None], step: int) -> list[ReorderingBound | None]:
        """Add the weights that arrive by epsilon transitions to the states' weights, in place."""
        for source, target, name in sorted(self.cell.pattern.epsilon, key=lambda arrow: arrow[1]):
            vector[target] = self.plus(vector[target], self.times(vector[source], self.weight(name, step)))
        return vector

    def read_out(self, vector: list[ReorderingBound | None], step: int) -> ReorderingBound:
        """Return the score: the sum of the states' weights times their final weights (equation 3c)."""
        total: ReorderingBound | None = None
        for state, name in enumerate(self.cell.pattern.final):
            total = self.plus(total, self.times(vector[state], self.weight(name, step)))
        if total is None:
            return ReorderingBound.leaf(
                torch.full_like(self.one.value, self.cell.semiring.zero), self.one.kind
            )
        return total
