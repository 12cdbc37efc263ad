"""The Hankel matrix of a unit of a cell, H[p, s] = f(ps), over any arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations_with_replacement, count, islice, product

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.vectors import State
from theory.not_rational.weights import WeightedCell

Word = tuple[str, ...]


def first_strings(letters: Sequence[str], size: int, counts: bool = False) -> tuple[Word, ...]:
    """Return the first ``size`` strings, shortest first, then in the alphabet's order.

    With ``counts``, the unit depends only on the counts of letters. Then only sorted strings are returned,
    because other orders would repeat rows.

    >>> first_strings("ab", 4)
    ((), ('a',), ('b',), ('a', 'a'))
    >>> first_strings("ab", 6, counts=True)[3:]
    (('a', 'a'), ('a', 'b'), ('b', 'b'))
    """
    if counts:
        lengths = (combinations_with_replacement(letters, length) for length in count())
        return tuple(islice(chain.from_iterable(lengths), size))
    return tuple(islice(chain.from_iterable(product(letters, repeat=length) for length in count()), size))


def hankel(
    weighted: WeightedCell,
    unit: int,
    prefixes: Sequence[Word],
    suffixes: Sequence[Word],
    arithmetic: Arithmetic,
) -> list[list[object]]:
    """Return the matrix H[p, s] of the unit's values after the strings ps; each state is computed once.

    >>> from theory.not_rational.arithmetic import FLOATS
    >>> from theory.not_rational.cells import CELLS
    >>> from theory.not_rational.weights import some
    >>> hankel(some(CELLS["sru"]), 0, [(), ("a",)], [()], FLOATS)[0]
    [0.0]
    """
    cell, weights, number_of = (
        weighted.cell,
        weighted.over(arithmetic.number),
        {x: i for i, x in enumerate(weighted.letters)},
    )
    states: dict[Word, State] = {(): weighted.start(arithmetic)}

    def read(word: Word) -> State:
        if word not in states:
            states[word] = cell.step(weights, read(word[:-1]), number_of[word[-1]], arithmetic)
        return states[word]

    return [[cell.units(read((*p, *s)))[unit] for s in suffixes] for p in prefixes]
