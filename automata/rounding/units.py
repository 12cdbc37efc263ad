"""Rounding bounds of several automata on several strings, for comparison with a network's units.

>>> from automata.rounding.formats import FLOAT32
>>> from automata.semirings import REAL
>>> from automata.wfsa import WFSA
>>> halves, thirds = (WFSA(REAL, [1.0], [1.0], {"a": [[x]]}) for x in (1 / 2, 1 / 3))
>>> (scores, bounds), = unit_bounds([halves, thirds], ["aa"], FLOAT32)
>>> scores.round(3).tolist(), bool(bounds[2, 1] > 0)
([[1.0, 1.0], [0.5, 0.333], [0.25, 0.111]], True)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from automata.aliases import Floats, String, Weights
from automata.rounding.formats import Format
from automata.rounding.steps import STEPS, Deviation, StackedAutomata, require_bounds
from automata.strings import Batch, encode
from automata.wfsa import WFSA


def unit_bounds(
    automata: Sequence[WFSA],
    strings: Sequence[String],
    computed_in: Format,
    deviations: Sequence[Deviation] | None = None,
) -> list[tuple[Weights, Floats]]:
    """Return, for each string, the scores of its prefixes and their bounds, both of shape ``(T + 1, units)``.

    Column j is the result of :func:`~automata.rounding.bounds.prefix_bounds` for automaton j.
    Automata with the same matrices, like the units of a dense recurrence, are run once.
    """
    known: Sequence[Deviation | None] = deviations if deviations is not None else [None] * len(automata)
    first = automata[0]
    batch = encode(first.index, strings)
    if all(
        a.semiring is first.semiring
        and a.has_epsilon == first.has_epsilon
        and a.exact == first.exact
        and a.matrices.shape == first.matrices.shape
        and a.index == first.index
        for a in automata
    ):
        values, bounds = bound_tables(automata, batch, computed_in, known)
    else:
        sides = [
            bound_tables([a], encode(a.index, strings), computed_in, [deviation])
            for a, deviation in zip(automata, known, strict=True)
        ]
        values, bounds = (np.concatenate(side, axis=2) for side in zip(*sides, strict=True))
    results: list[tuple[Weights, Floats]] = [None] * len(batch)  # type: ignore[list-item]
    for row, (index, length) in enumerate(zip(batch.order.tolist(), batch.lengths.tolist(), strict=True)):
        results[index] = values[row, : length + 1], bounds[row, : length + 1]
    return results


def bound_tables(
    automata: Sequence[WFSA], batch: Batch, computed_in: Format, deviations: Sequence[Deviation | None]
) -> tuple[Weights, Floats]:
    """Return the scores of all prefixes and their bounds, both of shape ``(strings, longest + 1, units)``.

    The automata must have the same semiring, size and symbols.
    """
    groups: dict[Hashable, int] = {}
    members: list[int] = []  # the group of each unit
    leaders: list[int] = []  # a unit of each group
    for unit, (automaton, deviation) in enumerate(zip(automata, deviations, strict=True)):
        require_bounds(automaton, deviation)
        group = groups.setdefault(_key(automaton, deviation), len(groups))
        members.append(group)
        if group == len(leaders):
            leaders.append(unit)
    stacked = StackedAutomata.of([automata[unit] for unit in leaders], automata)
    return STEPS[stacked.semiring](stacked, computed_in, _deviation(deviations, leaders)).scores(
        batch, members
    )


def _key(automaton: WFSA, deviation: Deviation | None) -> Hashable:
    """Return a key. Automata with equal keys have the same Forward vectors, which are computed only once."""
    sides = (automaton,) if deviation is None else (automaton, deviation)
    parts = [
        part for side in sides for part in (side.matrices, side.initial, side.epsilon) if part is not None
    ]
    return tuple(id(part) if part.dtype == object else part.tobytes() for part in parts)


def _deviation(deviations: Sequence[Deviation | None], leaders: Sequence[int]) -> Deviation | None:
    known = [one for one in deviations if one is not None]
    if not known:
        return None
    leading = [known[unit] for unit in leaders]
    final = np.stack([np.zeros_like(one.initial) if one.final is None else one.final for one in known])
    epsilon = [one.epsilon for one in leading if one.epsilon is not None]
    return Deviation(
        np.concatenate([one.matrices for one in leading]),
        np.stack([one.initial for one in leading]),
        final,
        np.stack(epsilon) if epsilon else None,
    )
