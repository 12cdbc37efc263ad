"""Reading a network as an automaton: a step that is affine in the state, for each symbol, is a matrix.

With the state c as a row, step(c, a) = c T_a + t_a and out(c) = c o + p, the automaton of Definition 2 (Peng et al. 2018) has one
state for the constant 1 and one for each number in c: tau(a) is [[1, t_a], [0, T_a]], lambda is (1, c_0), and rho is (p, o).

>>> gates = {"a": (Fraction(1, 2), 3), "b": (1, -1)}
>>> (unit,) = read_affine(0, lambda c, x: gates[x][0] * c + gates[x][1], lambda c: (c,), "ab")
>>> unit.matrix("a")
array([[Fraction(1, 1), Fraction(3, 1)],
       [Fraction(0, 1), Fraction(1, 2)]], dtype=object)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from automata.errors import InputError
from automata.number_text import shorten
from automata.semirings import REAL
from automata.wfsa import WFSA

Row = list[Fraction]
_TRIES = 20


class NotAffine(InputError):
    """A step that is no affine function of the state.

    Attributes:
        symbol: by which it steps; ``None`` for what the state shows.
        pair: two states x and y (as flat lists of numbers) with f(x) + f(y) other than f(x + y) + f(0); ``None`` where no pair was
            found, and yet nothing shows that the step is affine.
    """

    def __init__(self, message: str, symbol: Any, pair: tuple[Row, Row] | None) -> None:
        super().__init__(message)
        self.symbol, self.pair = symbol, pair


class Form:
    """An affine form in the numbers of a state, b + w_1 c_1 + ... + w_d c_d, which steps can be run on in place of numbers.

    It can be added, subtracted, negated, and multiplied and divided by numbers; a step that does nothing else is affine. Anything
    else raises ``TypeError``.
    """

    __slots__ = ("constant", "weights")

    def __init__(self, constant: Fraction, weights: dict[int, Fraction]) -> None:
        self.constant, self.weights = constant, {i: w for i, w in weights.items() if w}

    def _plus(self, other: Any, sign: int) -> Form:
        if not isinstance(other, Form):
            other = Form(_number(other), {})
        weights = dict(self.weights)
        for i, w in other.weights.items():
            weights[i] = weights.get(i, Fraction(0)) + sign * w
        return Form(self.constant + sign * other.constant, weights)

    def _times(self, factor: Any) -> Form:
        if isinstance(factor, Form):
            if not self.weights:
                return Form(factor.constant, factor.weights)._times(self.constant)
            if factor.weights:
                raise TypeError("a product of two numbers of the state is not affine")
        by = factor.constant if isinstance(factor, Form) else _number(factor)
        return Form(self.constant * by, {i: w * by for i, w in self.weights.items()})

    def __add__(self, other: Any) -> Form:
        return self._plus(other, 1)

    def __sub__(self, other: Any) -> Form:
        return self._plus(other, -1)

    def __rsub__(self, other: Any) -> Form:
        return self._times(-1)._plus(other, 1)

    def __neg__(self) -> Form:
        return self._times(-1)

    def __mul__(self, other: Any) -> Form:
        return self._times(other)

    def __truediv__(self, other: Any) -> Form:
        if isinstance(other, Form) and other.weights:
            raise TypeError("a quotient by a number of the state is not affine")
        return self._times(1 / (other.constant if isinstance(other, Form) else _number(other)))

    __radd__, __rmul__ = __add__, __mul__

    def __bool__(self) -> bool:
        raise TypeError("a step that asks for the value of a number in the state is not shown to be affine")

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise TypeError("a step that compares the numbers of the state is not shown to be affine")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__


def read_affine(
    start: Any, step: Callable[[Any, Any], Any], out: Callable[[Any], Sequence[Any]], alphabet: Iterable[Any]
) -> list[WFSA]:
    """The exact automata of a recurrence, one for each number that it shows.

    The step is run on the zero state and on the unit states, over fractions, which gives the matrices; and once on affine forms in
    place of numbers (:class:`Form`), which shows that it is affine everywhere, if it does to forms what it does to numbers.

    Args:
        start: the first state: a number, or nested tuples, lists and arrays of numbers; floats are the fractions that they are.
        step: from a state and a symbol the next state, of the same shape, over any kind of number.
        out: from a state the numbers that are scores.
        alphabet: the symbols.

    Raises:
        NotAffine: a step, or ``out``, is not affine; it has the pair of states that shows it.
        InputError: a number is NaN or infinite, a step rounds (it computes with floats), or it changes the shape of the state.
    """
    origin = [_number(w) for w in _flat(start)]
    d = len(origin)

    def on(function: Callable[[Any], Any], what: str, expected: int | None) -> Callable[[list[Any]], list[Any]]:
        def run(values: list[Any]) -> list[Any]:
            found = list(_flat(function(_shaped(start, iter(values)))))
            if expected is not None and len(found) != expected:
                raise InputError(f"{what} gives a state of {len(found)} numbers, where the first state has {expected}")
            return found

        return run

    symbols = list(alphabet)
    tables = {}
    for symbol in symbols:
        offset, rows = _affine(on(lambda c, s=symbol: step(c, s), f"the step by {shorten(symbol)}", d), d, symbol)  # type: ignore[misc]
        tables[symbol] = np.array([[Fraction(1), *offset], *([Fraction(0), *row] for row in rows)], dtype=object)
    offset, rows = _affine(on(out, "out", None), d, None)
    initial = np.array([Fraction(1), *origin], dtype=object)
    finals = [np.array([shown, *(row[i] for row in rows)], dtype=object) for i, shown in enumerate(offset)]
    return [WFSA(REAL, initial, final, tables) for final in finals]


def _affine(function: Callable[[list[Any]], list[Any]], d: int, symbol: Any) -> tuple[Row, list[Row]]:
    """f(0), and f(e_i) - f(0) for the d unit states: shown to be the whole of f."""
    what = "what the state shows" if symbol is None else f"the step by {shorten(symbol)}"

    def exact(values: Sequence[Fraction]) -> Row:
        shown = function(list(values))
        found = [_number(w) for w in shown]
        if any(isinstance(w, (float, np.floating)) for w in shown):
            raise InputError(f"{what} computes in floats, which round; give it its weights as fractions: Fraction(w) is exact")
        return found

    units = [[Fraction(i == j) for j in range(d)] for i in range(d)]
    zero = exact([Fraction(0)] * d)
    rows = [[w - z for w, z in zip(exact(unit), zero, strict=True)] for unit in units]
    trouble = ""
    try:
        forms = [
            w if isinstance(w, Form) else Form(_number(w), {})
            for w in function([Form(Fraction(0), {i: Fraction(1)}) for i in range(d)])
        ]
        weights = [[form.weights.get(i, Fraction(0)) for form in forms] for i in range(d)]
        if [form.constant for form in forms] == zero and weights == rows:
            return zero, rows
        trouble = "it does something else to numbers than to affine forms"
    except (TypeError, AttributeError, ValueError) as error:
        trouble = str(error)
    for x, y in _pairs(units):
        left = [a + b for a, b in zip(exact(x), exact(y), strict=True)]
        right = [a + b for a, b in zip(exact([a + b for a, b in zip(x, y, strict=True)]), zero, strict=True)]
        if left != right:
            raise NotAffine(
                f"{what} is not affine in the state: f(x) + f(y) = {_written(left)}, and f(x + y) + f(0) = {_written(right)}, "
                f"for x = {_written(x)} and y = {_written(y)}", symbol, (x, y),
            )  # fmt: skip
    raise NotAffine(f"nothing shows that {what} is affine in the state: {trouble}", symbol, None)


def _pairs(units: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Pairs of states to try: of unit states all (of many, a few hundred), then multiples and random ones."""
    rng = random.Random(0)
    every = [(x, y) for i, x in enumerate(units) for y in units[i:]]
    yield from every if len(every) <= 500 else rng.sample(every, 500)
    for scale in (-1, Fraction(1, 2), 100):
        yield from (([scale * w for w in x], x) for x in units[:100])
    for _ in range(_TRIES):
        yield tuple([Fraction(rng.randint(-50, 50), rng.randint(1, 9)) for _ in units] for _ in range(2))  # type: ignore[misc]


def _written(values: Row) -> str:
    return (
        shorten(", ".join(map(str, values)), 80)[1:-1]
        if len(values) == 1
        else f"({', '.join(map(str, values[:8]))}{', ...' if len(values) > 8 else ''})"
    )


def _number(value: Any) -> Fraction:
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, float) and not math.isfinite(number):
        raise InputError(f"a number of the network is {number}, where finite numbers are right")
    if not isinstance(number, (int, float, Fraction)):
        raise TypeError(f"{shorten(value)} is no number")
    return Fraction(number)


def _flat(state: Any) -> Iterator[Any]:
    if isinstance(state, np.ndarray):
        yield from state.ravel().tolist()
    elif isinstance(state, (tuple, list)):
        for part in state:
            yield from _flat(part)
    else:
        yield state


def _shaped(like: Any, values: Iterator[Any]) -> Any:
    if isinstance(like, np.ndarray):
        made = np.empty(like.size, dtype=object)
        for i in range(like.size):
            made[i] = next(values)
        return made.reshape(like.shape)
    if isinstance(like, (tuple, list)):
        return type(like)(_shaped(part, values) for part in like)
    return next(values)
