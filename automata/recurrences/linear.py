"""Extraction of automata from recurrences over any commutative semiring.

The step runs on linear forms in the state, which gives a matrix for each symbol. This does what
:mod:`automata.recurrences.affine` does over the rationals, but with the semiring's ``plus`` and ``times``
only. With the state as a row c, step(c, a) = c T_a + t_a and out(c) = c o + p form an automaton with a state
for the constant and one for each component.


>>> from automata.semirings import MAX_PLUS
>>> def step(k, c, x):
...     return k.plus(k.times(c, {"a": 2, "b": -1}[x]), 0)
>>> (unit,) = read_linear(MAX_PLUS, lambda k: MAX_PLUS.zero, step, lambda k, c: (c,), "ab")
>>> unit.matrix("a").tolist()
[[Fraction(0, 1), Fraction(0, 1)], [-inf, Fraction(2, 1)]]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from automata.aliases import Symbol, Weight, Weights
from automata.errors import InputError
from automata.recurrences.affine import ReadOut, State, Step, flat
from automata.semirings import Semiring
from automata.wfsa import WFSA


class NotLinear(InputError):
    """An error for a step that multiplies two components of the state, or inspects them."""


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


def read_linear(
    k: Semiring,
    start: Callable[[Any], State],
    step: Callable[[Any, State, Any], State],
    out: Callable[[Any, State], Sequence[Weight]],
    alphabet: Iterable[Symbol],
) -> list[WFSA]:
    """Return the exact automata of a recurrence, one for each output.

    Args:
        k: a commutative semiring with exact weights.
        start: a function from the operations to the first state: a weight, or nested tuples of
            weights.
        step: a function from the operations, a state and a symbol to the next state.
        out: a function from the operations and a state to the scores.
        alphabet: the symbols.

    Raises:
        NotLinear: If the step uses more than ``plus`` and ``times``, or multiplies two of the state's
            components.
    """
    over = Forms(k)
    first = start(over)
    numbers = list(flat(first))
    size = len(numbers)
    forms = iter([LinearForm(k.zero, {index: k.one}) for index in range(size)])
    state = _like(first, forms)
    symbols = list(alphabet)
    tables = {}
    try:
        for symbol in symbols:
            table = np.full((size + 1, size + 1), k.zero, dtype=object)
            table[0, 0] = k.one
            after = list(flat(step(over, state, symbol)))
            if len(after) != size:
                raise NotLinear(f"the step must return {size} components, got {len(after)}")
            for column, number in enumerate(after, start=1):
                _fill(table[:, column], number)
            tables[symbol] = table
        finals = [_filled(size, k, number) for number in out(over, state)]
    except (TypeError, AttributeError) as error:
        raise NotLinear(f"the step must only use plus and times ({error})") from None
    if over.refused:
        raise NotLinear("the step must not multiply two components of the state, even if it catches errors")
    _require_same_on_weights(
        over, first, lambda c, x: step(over, c, x), lambda c: out(over, c), tables, finals
    )
    initial = np.array([k.one, *numbers], dtype=object)
    return [WFSA(k, initial, final, tables) for final in finals]


def _filled(size: int, k: Semiring, number: Weight) -> Weights:
    final = np.full(size + 1, k.zero, dtype=object)
    _fill(final, number)
    return final


SOME = (Fraction(2), Fraction(3), Fraction(1, 2), Fraction(5))
TRIED = 12
"""Number of states on which the step is also run with weights, zeros and ones first."""


def _require_same_on_weights(
    over: Forms,
    first: State,
    step: Step,
    out: ReadOut,
    tables: dict[Symbol, Weights],
    finals: Sequence[Weights],
) -> None:
    """Raise NotLinear if the step treats weights differently from forms."""
    k, size, choose = over.k, len(list(flat(first))), Random(0)
    few = [k.zero, k.one, *(v for v in SOME if k.contains(v))]
    for number in range(TRIED):
        picked = [few[number] if number < 2 else choose.choice(few) for _ in range(size)]
        state, row = _like(first, iter(picked)), [k.one, *picked]
        for symbol, table in tables.items():
            if list(flat(step(state, symbol))) != [_product(k, row, table[:, j]) for j in range(1, size + 1)]:
                raise NotLinear("the step must treat weights like linear forms")
        if list(out(state)) != [_product(k, row, final) for final in finals]:
            raise NotLinear("the output must treat weights like linear forms")


def _product(k: Semiring, row: Sequence[Weight], column: Weights) -> Weight:
    total = k.zero
    for a, b in zip(row, column, strict=True):
        total = k.plus(total, k.times(a, b))
    return total


def _like(value: State, forms: Iterator[Weight]) -> State:
    return tuple(_like(part, forms) for part in value) if isinstance(value, tuple) else next(forms)


def _fill(column: Weights, number: Weight) -> None:
    if not isinstance(number, LinearForm):
        column[0] = number
        return
    column[0] = number.constant
    for index, weight in number.weights.items():
        column[index + 1] = weight
