"""Extraction of automata from networks whose step is affine in the state for each symbol.

With the state c as a row, step(c, a) = c T_a + t_a and out(c) = c o + p, the automaton of Definition 2 (Peng
et al. 2018) has one state for the constant 1 and one for each component of c: tau(a) is [[1, t_a], [0, T_a]],
lambda is (1, c_0), and rho is (p, o).

>>> gates = {"a": (Fraction(1, 2), 3), "b": (1, -1)}
>>> (unit,) = read_affine(0, lambda c, x: gates[x][0] * c + gates[x][1], lambda c: (c,), "ab")
>>> unit.matrix("a")
array([[Fraction(1, 1), Fraction(3, 1)],
       [Fraction(0, 1), Fraction(1, 2)]], dtype=object)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from automata.aliases import Symbol, Weight
from automata.errors import InputError
from automata.recurrences.forms import Form, Refusal, exact_number, numpy_integer_type
from automata.semirings import REAL
from automata.text.number_text import shorten, write_number
from automata.wfsa import WFSA

Fractions = list[Fraction]
Function = Callable[[list[Weight]], list[Weight]]

State: TypeAlias = Any
"""A number, or nested tuples, lists and arrays of numbers, of any type that the step supports."""
Step: TypeAlias = Callable[[State, Any], State]
"""A function from a state and a symbol to the next state, of the same shape."""
ReadOut: TypeAlias = Callable[[State], Sequence[Weight]]
"""A function from a state to the scores."""


class NotAffine(InputError):
    """Raised if a step is not an affine function of the state.

    Attributes:
        symbol: the symbol of the step; ``None`` for the output.
        pair: two states x and y (as flat lists of components) with f(x) + f(y) different from f(x + y) +
            f(0); ``None`` if no pair was found, although nothing shows that the step is affine.
    """

    def __init__(self, message: str, symbol: Symbol, pair: tuple[Fractions, Fractions] | None) -> None:
        super().__init__(message)
        self.symbol, self.pair = symbol, pair


def read_affine(start: State, step: Step, out: ReadOut, alphabet: Iterable[Symbol]) -> list[WFSA]:
    """Return the exact automata of a recurrence, one for each output.

    The matrices are the results of the step on the zero state and the unit states, over fractions. To show
    that the step is affine everywhere, it is also run on affine forms instead of numbers
    (:class:`~automata.recurrences.forms.Form`). A step that uses a form in a way that only a number supports
    is rejected, even if it catches the error. The automata are therefore those of the function that the step
    computes on forms.

    No finite number of runs can show that the step computes the same function on all numbers. Some further
    states are compared here, and :mod:`ratproof.ladder.rungs.on_numbers` tests more.

    Args:
        start: the first state: a number, or nested tuples, lists and arrays of numbers. Floats
            count as the fractions that they represent.
        step: a function from a state and a symbol to the next state, of the same shape, over any
            type of number.
        out: a function from a state to the scores.
        alphabet: the symbols.

    Raises:
        NotAffine: If a step, or ``out``, is not affine; the error contains a pair of states that shows this.
        InputError: If a value is NaN or infinite, a step uses float arithmetic, which rounds, or a step
            changes the shape of the state.
    """
    origin = [exact_number(w) for w in flat(start)]
    symbols = list(alphabet)
    tables = {}
    for symbol in symbols:
        what = f"the step on {shorten(symbol)}"
        offset, rows = affine_part(
            partial(_swapped, step, symbol), start, what, symbol, len(origin), same_shape=True
        )
        tables[symbol] = np.array(
            [[Fraction(1), *offset], *([Fraction(0), *row] for row in rows)], dtype=object
        )
    offset, rows = affine_part(out, start, "the output", None, len(origin))
    initial = np.array([Fraction(1), *origin], dtype=object)
    finals = [
        np.array([constant, *(row[i] for row in rows)], dtype=object) for i, constant in enumerate(offset)
    ]
    return [WFSA(REAL, initial, final, tables) for final in finals]


def affine_part(
    function: Callable[[State], State],
    like: State,
    what: str,
    symbol: Symbol,
    d: int,
    same_shape: bool = False,
) -> tuple[Fractions, list[Fractions]]:
    """Return f(0), and f(e_i) - f(0) for each of the d unit states, where f is an affine function of a state.

    Args:
        function: a function from a state to numbers.
        like: a state of the shape that the function expects.
        what: the function's description, for :class:`NotAffine`.
        symbol: the symbol that the function reads.
        d: the number of components of a state.
        same_shape: whether the function must return a state of the same shape.
    """
    return _Affine(_on_rows(function, like, what, same_shape), what, symbol).read(d)


def _swapped(step: Step, symbol: Symbol, state: State) -> State:
    return step(state, symbol)


def _on_rows(
    function: Callable[[State], State], start: State, what: str, same_shape: bool = False
) -> Function:
    """Wrap a function of a state as a function of a flat list of numbers."""

    def run(values: list[Weight]) -> list[Weight]:
        result = function(shaped(start, iter(values)))
        if same_shape and shape(result) != shape(start):
            raise InputError(
                f"{what} must return a state with the shape of the first state, got {shorten(result)}"
            )
        return list(flat(result))

    return run


class _Affine:
    """A function of a state that is tested for being affine."""

    def __init__(self, function: Function, what: str, symbol: Symbol) -> None:
        self.function, self.what, self.symbol = function, what, symbol

    def read(self, d: int) -> tuple[Fractions, list[Fractions]]:
        """Return f(0), and f(e_i) - f(0) for each of the d unit states.

        Raise NotAffine if f is not affine.
        """
        units = [[Fraction(i == j) for j in range(d)] for i in range(d)]
        zero = self.at([Fraction(0)] * d)
        rows = [[w - z for w, z in zip(self.at(unit, len(zero)), zero, strict=True)] for unit in units]
        trouble = self._trouble_on_forms(zero, rows)
        if trouble is None:
            self._require_on_numbers(units, zero, rows)
            return zero, rows
        for x, y in _pairs(units, thorough=True):
            self._compare(x, y, zero)
        raise NotAffine(f"{self.what} is not shown to be affine in the state: {trouble}", self.symbol, None)

    def _require_on_numbers(self, units: list[Fractions], zero: Fractions, rows: list[Fractions]) -> None:
        """Raise NotAffine if f computes other results on some test states than on forms.

        In that case, search for a pair of states that shows that f is not affine.
        """
        origin = [Fraction(0)] * len(units)
        seen = {tuple(state) for state in (origin, *units)}  # f is known on these states
        for x, y in _pairs(units, thorough=False):
            for state in (x, y, _sum(x, y)):
                if tuple(state) in seen:
                    continue
                seen.add(tuple(state))
                affine = [
                    z + sum(c * w for c, w in zip(state, column, strict=True) if c)
                    for z, *column in zip(zero, *rows, strict=True)
                ]
                if self.at(state, len(zero)) != affine:
                    for pair in _pairs(units, thorough=True):
                        self._compare(*pair, zero)
                    raise NotAffine(
                        f"{self.what} must compute the same result on numbers and affine forms, but does not"
                        f" for the state {_vector_text(state)}",
                        self.symbol,
                        None,
                    )

    def at(self, state: Fractions, length: int | None = None) -> Fractions:
        """Return the exact values of f at a state, and check that there are ``length`` of them."""
        try:
            values = self.function(list(state))
        except InputError:
            raise
        except (ArithmeticError, ValueError, TypeError, AttributeError, LookupError) as error:
            raise NotAffine(
                f"{self.what} fails on the state {_vector_text(state)}: {error}", self.symbol, None
            ) from error
        exact_values = [exact_number(w) for w in values]
        if length is not None and len(exact_values) != length:
            raise InputError(
                f"{self.what} must always return the same number of values, got {length} and"
                f" {len(exact_values)}"
            )
        if any(isinstance(w, (float, np.floating)) for w in values):
            raise InputError(
                f"{self.what} must not use float arithmetic, which rounds; pass its weights as fractions:"
                " Fraction(w) is exact"
            )
        wrapping = next(filter(None, map(numpy_integer_type, values)), None)
        if wrapping is not None:
            raise InputError(
                f"{self.what} must not compute in NumPy's {wrapping}, which overflows; convert its weights to"
                " Python integers with int()"
            )
        return exact_values

    def _trouble_on_forms(self, zero: Fractions, rows: list[Fractions]) -> str | None:
        """Return why running f on affine forms does not prove f affine, or ``None`` if it does."""
        refusal = Refusal()
        try:
            values = self.function([Form(Fraction(0), {i: Fraction(1)}, refusal) for i in range(len(rows))])
            forms = [w if isinstance(w, Form) else Form(exact_number(w), {}) for w in values]
        except (ArithmeticError, ValueError, TypeError, AttributeError, LookupError) as error:
            return refusal.what or str(error)
        if refusal.what is not None:
            return refusal.what
        weights = [[form.weights.get(i, Fraction(0)) for form in forms] for i in range(len(rows))]
        same = [form.constant for form in forms] == zero and weights == rows
        return None if same else "it treats numbers differently from affine forms"

    def _compare(self, x: Fractions, y: Fractions, zero: Fractions) -> None:
        f_x, f_y, f_both = (self.at(state, len(zero)) for state in (x, y, _sum(x, y)))
        left, right = _sum(f_x, f_y), _sum(f_both, zero)
        if left != right:
            raise NotAffine(
                f"{self.what} is not affine in the state: f(x) + f(y) = {_vector_text(left)}, and"
                f" f(x + y) + f(0) = {_vector_text(right)}, for x = {_vector_text(x)}"
                f" and y = {_vector_text(y)}",
                self.symbol,
                (x, y),
            )


def _sum(x: Fractions, y: Fractions) -> Fractions:
    return [a + b for a, b in zip(x, y, strict=True)]


def _pairs(units: list[Fractions], thorough: bool) -> Iterator[tuple[Fractions, Fractions]]:
    """Yield pairs of unit states, of multiples of a state, and of random states.

    There are hundreds of pairs if ``thorough``, and otherwise only few, because a step may be slow.
    """
    rng = random.Random(0)
    most = 500 if thorough else 3
    every = [(x, y) for i, x in enumerate(units) for y in units[i:]]
    yield from every if len(every) <= most else rng.sample(every, most)
    for scale in (-1, Fraction(1, 2), 100):
        multiplied = units[: most // 2] if thorough else [[Fraction(1)] * len(units)]
        yield from (([scale * w for w in x], x) for x in multiplied)
    for _ in range(20 if thorough else 1):
        x, y = ([Fraction(rng.randint(-50, 50), rng.randint(1, 9)) for _ in units] for _ in range(2))
        yield x, y


def _vector_text(values: Fractions) -> str:
    if len(values) == 1:
        return shorten(write_number(values[0]), 80)[1:-1]
    numbers = ", ".join(shorten(write_number(w), 80)[1:-1] for w in values[:8])
    return f"({numbers}{', ...' if len(values) > 8 else ''})"


def flat(state: State) -> Iterator[Weight]:
    if isinstance(state, np.ndarray):
        yield from state.ravel().tolist()
    elif isinstance(state, (tuple, list)):
        for part in state:
            yield from flat(part)
    else:
        yield state


def shape(state: State) -> object:
    """Return the nested lengths of a state, regardless of whether it consists of arrays, lists or tuples."""
    if isinstance(state, np.ndarray):
        state = state.tolist()
    return [shape(part) for part in state] if isinstance(state, (tuple, list)) else None


def shaped(like: State, values: Iterator[Weight]) -> State:
    """Arrange the numbers in the shape of a state."""
    if isinstance(like, np.ndarray):
        array = np.empty(like.size, dtype=object)
        for i in range(like.size):
            array[i] = next(values)
        return array.reshape(like.shape)
    if isinstance(like, (tuple, list)):
        parts = [shaped(part, values) for part in like]
        return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)
    return next(values)
