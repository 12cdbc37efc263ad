"""Notes on weights that a file gives several times in one place: two parallel paths, or a slip of the pen."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable

from automata.io.number_text import shorten

MOST_NOTES = 5
"""For one file."""


def tell_merged(
    where: str,
    transitions: Iterable[tuple[int, int, str]],
    initial: Iterable[int] = (),
    final: Iterable[int] = (),
    stacklevel: int = 3,
) -> None:
    """Warns of transitions (source, target, symbol), and of states with an initial or a final weight, that
    are there several times: their weights are merged by the semiring's plus.

    Args:
        where: what to call the file.
        transitions: source, target and symbol, as the file names them.
        initial: the states of the initial weights.
        final: the states of the final weights.
        stacklevel: as in :func:`warnings.warn`; 2 is the caller of this function.
    """
    places = Counter([("initial", q) for q in initial] + [("final", q) for q in final])
    arrows = Counter(transitions)
    named = [(f"the {name} weight of state {q}", count) for (name, q), count in places.items() if count > 1]
    named += [
        (f"the transition {p} -> {q} on {shorten(s)}", count)
        for (p, q, s), count in arrows.items()
        if count > 1
    ]
    for what, count in named[:MOST_NOTES]:
        warnings.warn(
            f"{where}: {what} is given {count} times; merged by the semiring's plus", stacklevel=stacklevel
        )
    if len(named) > MOST_NOTES:
        warnings.warn(
            f"{where}: {len(named) - MOST_NOTES} more weights are given several times; merged likewise",
            stacklevel=stacklevel,
        )
