"""Named edge cases of automata and strings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from automata.aliases import String, Weight
from automata.operations import trim
from automata.wfsa import WFSA

_TINY, _HUGE = 2.0**-126, 2.0**64


def _weights(automaton: WFSA) -> list[Weight]:
    parts = automaton.initial, automaton.final, automaton.matrices, automaton.epsilon_table.weights
    return [w for part in parts for w in part.flat]


def _some(test: Callable[[Weight], bool]) -> Callable[[WFSA, String], bool]:
    return lambda automaton, _: any(
        test(w) for w in _weights(automaton) if not isinstance(w, (bool, np.bool_))
    )


EDGE_CASES: dict[str, Callable[[WFSA, String], bool]] = {
    "no path": lambda a, _: trim(a).states == 0,
    "no final state": lambda a, _: not (a.final != a.semiring.zero).any(),
    "a cycle": lambda a, _: any(bool((m.diagonal() != a.semiring.zero).any()) for m in a.matrices),
    "epsilon": lambda a, _: a.has_epsilon,
    "weight zero": lambda a, _: any(w == a.semiring.zero for w in _weights(a)),
    "weight one": lambda a, _: any(w == a.semiring.one for w in _weights(a)),
    "negative weight": _some(lambda w: -np.inf < w < 0),
    "huge weight": _some(lambda w: _HUGE < abs(w) < np.inf),
    "subnormal weight": _some(lambda w: 0 < abs(w) < _TINY),
    "infinite weight": _some(lambda w: abs(w) == np.inf),
    "one letter": lambda a, _: len(a.index) == 1,
    "empty string": lambda _, x: len(x) == 0,
    "length one": lambda _, x: len(x) == 1,
    "a long run": lambda _, x: len(x) >= 8 and len(set(x)) == 1,
}
"""The edge cases by name, each with a test of an automaton and a string."""


def edge_cases(automaton: WFSA, string: String) -> set[str]:
    """Return the names of the edge cases that apply to this automaton or this string.

    >>> from automata.semirings import REAL
    >>> sorted(edge_cases(WFSA(REAL, [1], [0], {"a": [["-1/2"]]}), ""))[:5]
    ['a cycle', 'empty string', 'negative weight', 'no final state', 'no path']
    """
    return {name for name, test in EDGE_CASES.items() if test(automaton, string)}
