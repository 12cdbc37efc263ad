"""Extraction of automata from recurrences over any commutative semiring.

The step runs on linear forms in the state, and the results give a matrix for each symbol. Unlike
:mod:`automata.recurrences.affine`, which works over the rationals, this module only uses the semiring's
``plus`` and ``times``. With the state as a row c, step(c, a) = c T_a + t_a and out(c) = c o + p form an
automaton with a state for the constant and one for each component.


>>> from automata.semirings import MAX_PLUS
>>> def step(k, c, x):
...     return k.plus(k.times(c, {"a": 2, "b": -1}[x]), 0)
>>> (unit,) = read_linear(MAX_PLUS, lambda k: MAX_PLUS.zero, step, lambda k, c: (c,), "ab")
>>> unit.matrix("a").tolist()
[[Fraction(0, 1), Fraction(0, 1)], [-inf, Fraction(2, 1)]]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from automata.aliases import Symbol, Weight, Weights
from automata.errors import InputError
from automata.recurrences.affine import State, flat, shaped
from automata.semirings import Semiring
from automata.wfsa import WFSA


class NotLinear(InputError):
    """Raised if a step multiplies two components of the state, or inspects them."""


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A linear form: a constant, and a weight for each component of the state.

    Attributes:
        constant: a weight.
        weights: the nonzero weights by the component's index.
    """

    constant: Weight
    weights: dict[int, Weight]

    def __bool__(self) -> bool:
        raise NotLinear("the step must not test whether a component of the state is zero")

    def __eq__(self, other: object) -> bool:
        raise NotLinear("the step must not compare a component of the state")

    __hash__ = None  # type: ignore[assignment]


class Forms:
    """The semiring's operations on forms and weights."""

    def __init__(self, k: Semiring) -> None:
        self.k, self.zero, self.one, self.name = k, k.zero, k.one, k.name
        self.refused = False  # even if the step caught the error

    def plus(self, a: Weight, b: Weight) -> Weight:
        """Return the sum."""
        if not isinstance(a, LinearForm) and not isinstance(b, LinearForm):
            return self.k.plus(a, b)
        one, other = self._form(a), self._form(b)
        weights = dict(one.weights)
        for index, weight in other.weights.items():
            weights[index] = self.k.plus(weights[index], weight) if index in weights else weight
        return LinearForm(self.k.plus(one.constant, other.constant), weights)

    def times(self, a: Weight, b: Weight) -> Weight:
        """Return the product; raise NotLinear if neither form is constant."""
        if not isinstance(a, LinearForm) and not isinstance(b, LinearForm):
            return self.k.times(a, b)
        one, other = self._form(a), self._form(b)
        if one.weights and other.weights:
            self.refused = True
            raise NotLinear("the step must not multiply two components of the state")
        form, factor = (one, other.constant) if one.weights else (other, one.constant)
        weights = {index: self.k.times(weight, factor) for index, weight in form.weights.items()}
        return LinearForm(self.k.times(form.constant, factor), weights)

    def _form(self, value: Weight) -> LinearForm:
        return value if isinstance(value, LinearForm) else LinearForm(value, {})


@dataclass(frozen=True)
class _Network:
    """A recurrence whose states are pairs of a mode and weights; without modes, the mode is ``None``."""

    over: Forms
    modes: bool
    start: Callable[[Any], State]
    step_of: Callable[[Any, State, Any], State]
    out_of: Callable[[Any, State], Sequence[Weight]]

    def first(self) -> tuple[Hashable, State]:
        first = self.start(self.over)
        return (first[0], first[1]) if self.modes else (None, first)

    def step(self, mode: Hashable, numbers: State, symbol: Symbol) -> tuple[Hashable, State]:
        after = self.step_of(self.over, (mode, numbers) if self.modes else numbers, symbol)
        return (after[0], after[1]) if self.modes else (None, after)

    def out(self, mode: Hashable, numbers: State) -> list[Weight]:
        return list(self.out_of(self.over, (mode, numbers) if self.modes else numbers))


@dataclass(frozen=True)
class _Mode:
    """A mode of a recurrence and its part of the automaton.

    Attributes:
        first_state: the number of the mode's first state in the automaton.
        forms: the recurrence's state in this mode, with a linear form in place of each weight.
        after: for each symbol, the next mode and the matrix of the step.
    """

    first_state: int
    forms: State
    after: dict[Symbol, tuple[Hashable, Weights]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(list(flat(self.forms)))


def read_linear(
    k: Semiring,
    start: Callable[[Any], State],
    step: Callable[[Any, State, Any], State],
    out: Callable[[Any, State], Sequence[Weight]],
    alphabet: Iterable[Symbol],
    modes: bool = False,
) -> list[WFSA]:
    """Return the exact automata of a recurrence, one for each output.

    Args:
        k: a commutative semiring with exact weights.
        start: a function from the operations to the first state: a weight, or nested tuples of
            weights.
        step: a function from the operations, a state and a symbol to the next state.
        out: a function from the operations and a state to the scores.
        alphabet: the symbols.
        modes: whether a state is a pair of one of finitely many modes and such weights, and the next mode
            depends only on the mode and the symbol. Each mode then has its own states in the automaton.

    Raises:
        NotLinear: If the step uses more than ``plus`` and ``times``, or multiplies two of the state's
            components.
        InputError: If there are more than 2,000 modes.
    """
    network = _Network(Forms(k), modes, start, step, out)
    first, numbers = network.first()
    symbols = list(alphabet)
    try:
        of_mode, finals = _explored(network, symbols)
    except (TypeError, AttributeError) as error:
        raise NotLinear(f"the step must only use plus and times ({error})") from None
    if network.over.refused:
        raise NotLinear("the step must not multiply two components of the state, even if it catches errors")
    _require_same_on_weights(network, of_mode, finals)
    states = sum(1 + one.size for one in of_mode.values())
    arrows = [
        (one.first_state + i, of_mode[after].first_state + j, symbol, weight)
        for one in of_mode.values()
        for symbol, (after, table) in one.after.items()
        for (i, j), weight in np.ndenumerate(table)
    ]
    initial = [(0, k.one), *enumerate(flat(numbers), start=1)]
    ends = [
        [
            (of_mode[here].first_state + i, w)
            for here, columns in finals.items()
            for i, w in enumerate(columns[unit])
        ]
        for unit in range(len(finals[first]))
    ]
    return [WFSA.from_edges(k, states, symbols, initial, final, arrows) for final in ends]


def _explored(
    network: _Network, symbols: Sequence[Symbol]
) -> tuple[dict[Hashable, _Mode], dict[Hashable, list[Weights]]]:
    """Return the reachable modes, and the final weights of each output in each mode."""
    k = network.over.k
    first, numbers = network.first()
    of_mode = {first: _Mode(0, _as_forms(k, numbers))}
    states = 1 + of_mode[first].size
    finals: dict[Hashable, list[Weights]] = {}
    for here in (waiting := [first]):
        one = of_mode[here]
        for symbol in symbols:
            after, numbers = network.step(here, one.forms, symbol)
            if after not in of_mode:
                if len(of_mode) == MOST_MODES:
                    raise InputError(f"the network must have at most {MOST_MODES:,} modes")
                of_mode[after] = _Mode(states, _as_forms(k, numbers))
                states += 1 + of_mode[after].size
                waiting.append(after)
            columns, size = list(flat(numbers)), of_mode[after].size
            if len(columns) != size:
                raise NotLinear(f"the step must return {size} components, got {len(columns)}")
            table = [_column(one.size, k, number) for number in (k.one, *columns)]
            one.after[symbol] = after, np.stack(table, axis=1)
        finals[here] = [_column(one.size, k, number) for number in network.out(here, one.forms)]
    return of_mode, finals


def _as_forms(k: Semiring, numbers: State) -> State:
    size = len(list(flat(numbers)))
    return shaped(numbers, iter([LinearForm(k.zero, {index: k.one}) for index in range(size)]))


def _column(size: int, k: Semiring, number: Weight) -> Weights:
    column = np.full(size + 1, k.zero, dtype=object)
    _fill(column, number)
    return column


SOME = (Fraction(2), Fraction(3), Fraction(1, 2), Fraction(5))
TRIED = 12
"""Number of test states of weights for each mode, on which the step is also run.

The first test state consists of zeros, the second one of ones.
"""
MOST_MODES = 2000


def _require_same_on_weights(
    network: _Network, of_mode: Mapping[Hashable, _Mode], finals: Mapping[Hashable, Sequence[Weights]]
) -> None:
    """Raise NotLinear if the step or the output on some test states differs from the extracted matrices."""
    k, choose = network.over.k, Random(0)
    few = [k.zero, k.one, *(v for v in SOME if k.contains(v))]
    for here, one in of_mode.items():
        for number in range(TRIED):
            picked = [few[number] if number < 2 else choose.choice(few) for _ in range(one.size)]
            state, row = shaped(one.forms, iter(picked)), [k.one, *picked]
            for symbol, (after, table) in one.after.items():
                mode, numbers = network.step(here, state, symbol)
                products = [_product(k, row, column) for column in table.T[1:]]
                if mode != after or list(flat(numbers)) != products:
                    raise NotLinear("the step must compute the same result on weights as on linear forms")
            if network.out(here, state) != [_product(k, row, final) for final in finals[here]]:
                raise NotLinear("the output must compute the same result on weights as on linear forms")


def _product(k: Semiring, row: Sequence[Weight], column: Weights) -> Weight:
    total = k.zero
    for a, b in zip(row, column, strict=True):
        total = k.plus(total, k.times(a, b))
    return total


def _fill(column: Weights, number: Weight) -> None:
    if not isinstance(number, LinearForm):
        column[0] = number
        return
    column[0] = number.constant
    for index, weight in number.weights.items():
        column[index + 1] = weight
