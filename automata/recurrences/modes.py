"""Extraction of automata from networks whose state is a pair: one of finitely many modes, and a vector.

The next mode, and the size of its vector, depend only on the mode and the symbol. An affine map updates the
vector. For example, a QRNN's mode is the last K - 1 symbols. For each reachable mode, the automaton has one
state for the constant 1 and one for each component of its vector.


>>> alternating = lambda c, x: ("even", 2 * c[1]) if c[0] == "odd" else ("odd", c[1] + 1)
>>> (unit,) = read_with_modes(("even", 0), alternating, lambda c: (c[1],), "a")
>>> from automata.forward import prefix_scores
>>> [str(w) for w in prefix_scores(unit, "aaaa")], unit.states
(['0', '1', '2', '3', '6'], 4)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import repeat

from automata.aliases import Symbol, Weight
from automata.errors import InputError
from automata.recurrences.affine import Fractions, ReadOut, State, Step, affine_part, flat, shape, shaped
from automata.recurrences.forms import exact_number
from automata.semirings import REAL
from automata.text.number_text import shorten
from automata.wfsa import WFSA

MOST_MODES = 2000


def read_with_modes(
    start: tuple[Hashable, State], step: Step, out: ReadOut, alphabet: Iterable[Symbol]
) -> list[WFSA]:
    """Return the automata, with exact weights, of a recurrence with modes; each output has one automaton.

    Args:
        start: the first mode, and the first vector: a number, or nested tuples, lists and arrays.
        step: a function from a state (a pair) and a symbol to the next one; all vectors of a mode have the
            same shape.
        out: a function from a state to the scores.
        alphabet: the symbols.

    Raises:
        NotAffine: If a step, or ``out``, is not affine in the vector.
        InputError: If the next mode depends on the vector, if there are more than 2,000 modes, or for the
            reasons given in :func:`~automata.recurrences.affine.read_affine`.
    """
    symbols = list(alphabet)
    mode, numbers = start
    origin = [exact_number(w) for w in flat(numbers)]
    modes = {mode: _Mode(0, _zeros(numbers))}
    waiting, states = [mode], 1 + len(origin)
    arrows: list[tuple[int, int, Symbol, Fraction]] = []
    while waiting:
        here = waiting.pop(0)
        for symbol in symbols:
            after, like = step((here, modes[here].zeros), symbol)
            if after not in modes:
                if len(modes) == MOST_MODES:
                    raise InputError(f"the network must have at most {MOST_MODES:,} modes")
                modes[after] = _Mode(states, _zeros(like))
                states += 1 + modes[after].width
                waiting.append(after)
            offset, rows = _within(step, here, symbol, after, modes)
            arrows += _block(modes[here].first_state, modes[after].first_state, symbol, offset, rows)
    finals: list[list[tuple[int, Fraction]]] = []
    for here, one in modes.items():
        what = f"the output of mode {shorten(here)}"
        offset, rows = affine_part(partial(_outputs, out, here), one.zeros, what, None, one.width)
        finals = finals or [[] for _ in offset]
        for unit, column in enumerate(zip(offset, *rows, strict=True)):
            finals[unit] += [(one.first_state + i, w) for i, w in enumerate(column)]
    initial = [(0, Fraction(1)), *((i, w) for i, w in enumerate(origin, start=1))]
    return [WFSA.from_edges(REAL, states, symbols, initial, final, arrows) for final in finals]


@dataclass(frozen=True)
class _Mode:
    """A mode: the index of its first state in the automaton, and the zero vector of its shape."""

    first_state: int
    zeros: State

    @property
    def width(self) -> int:
        return len(list(flat(self.zeros)))


def _outputs(out: ReadOut, mode: Hashable, numbers: State) -> Sequence[Weight]:
    return out((mode, numbers))


def _within(
    step: Step, here: Hashable, symbol: Symbol, after: Hashable, modes: dict[Hashable, _Mode]
) -> tuple[Fractions, list[Fractions]]:
    """Return the affine map by which a symbol updates the vector of one mode."""

    def function(c: State) -> State:
        mode, moved = step((here, c), symbol)
        if mode != after:
            raise InputError(
                f"the next mode must not depend on the vector, but does for mode {shorten(here)} and"
                f" symbol {shorten(symbol)}"
            )
        if shape(moved) != shape(modes[after].zeros):
            raise InputError(
                f"mode {shorten(after)} must have vectors of the same shape, got {shorten(moved)} from mode"
                f" {shorten(here)} and symbol {shorten(symbol)}"
            )
        return moved

    return affine_part(
        function,
        modes[here].zeros,
        f"the step of mode {shorten(here)} by {shorten(symbol)}",
        symbol,
        modes[here].width,
    )


def _block(
    row: int, column: int, symbol: Symbol, offset: Fractions, rows: list[Fractions]
) -> list[tuple[int, int, Symbol, Fraction]]:
    """Return the transitions from the states of one mode to those of another.

    Their matrix is [[1, offset], [0, rows]].
    """
    edges = [(row, column, symbol, Fraction(1))]
    for i, values in enumerate([offset, *rows]):
        edges += [(row + i, column + j, symbol, w) for j, w in enumerate(values, start=1) if w]
    return edges


def _zeros(like: State) -> State:
    return shaped(like, repeat(Fraction(0)))
