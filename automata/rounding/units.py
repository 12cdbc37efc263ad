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
from dataclasses import dataclass

import numpy as np

from automata.aliases import Floats, String, Weights
from automata.rounding.bounds import prefix_bounds
from automata.rounding.formats import Format
from automata.rounding.steps import STEPS, Deviation
from automata.semirings import Semiring
from automata.strings import encode
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
    alike = all(
        not a.has_epsilon
        and a.exact == first.exact
        and a.matrices.shape == first.matrices.shape
        and a.index == first.index
        for a in automata
    )
    if not alike or first.semiring not in STEPS:
        sides = [
            [
                prefix_bounds(a, x, computed_in, deviation)
                for a, deviation in zip(automata, known, strict=True)
            ]
            for x in strings
        ]
        return [(np.stack([v for v, _ in s], 1), np.stack([b for _, b in s], 1)) for s in sides]
    return _together(automata, strings, computed_in, known)


@dataclass(frozen=True)
class _Stacked:
    """Several automata of equal size, evaluated together, each with its own symbols.

    Attributes:
        semiring, exact, states: shared by all.
        matrices: shape ``(groups * symbols, n, n)``.
        initial: shape ``(groups, n)``.
        final: one row for each unit, shape ``(units, n)``.
    """

    semiring: Semiring
    exact: bool
    states: int
    matrices: Weights
    initial: Weights
    final: Weights
    epsilon: None = None


def _together(
    automata: Sequence[WFSA],
    strings: Sequence[String],
    computed_in: Format,
    deviations: Sequence[Deviation | None],
) -> list[tuple[Weights, Floats]]:
    first, units = automata[0], len(automata)
    groups: dict[Hashable, int] = {}
    members: list[int] = []  # the group of each unit
    leaders: list[int] = []  # a unit of each group
    for unit, (automaton, deviation) in enumerate(zip(automata, deviations, strict=True)):
        group = groups.setdefault(_key(automaton, deviation), len(groups))
        members.append(group)
        if group == len(leaders):
            leaders.append(unit)
    batch = encode(first.index, strings)
    stacked = _Stacked(
        first.semiring,
        first.exact,
        first.states,
        np.concatenate([automata[unit].matrices for unit in leaders]),
        np.stack([automata[unit].initial for unit in leaders]),
        np.stack([automaton.final for automaton in automata]),
    )
    run = STEPS[first.semiring](stacked, computed_in, _deviation(deviations, leaders))  # type: ignore[arg-type]
    width = batch.codes.shape[1] + 1
    values = np.zeros((width, len(batch), units), dtype=first.initial.dtype)
    bounds = np.zeros(values.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in run.blocks(batch):
            prefixes = len(block.steps)
            rows = (np.arange(prefixes)[:, None] * len(leaders) + members).ravel()
            unit_of = np.tile(np.arange(units), prefixes)
            value, bound = run.read_out(block.omega[rows], block.error[rows], unit_of)
            values[block.steps, block.strings] = value.reshape(prefixes, units)
            bounds[block.steps, block.strings] = bound.reshape(prefixes, units)
    bounds = np.where(np.isnan(bounds), np.inf, bounds)
    results: list[tuple[Weights, Floats]] = [None] * len(batch)  # type: ignore[list-item]
    for row, position in enumerate(batch.order.tolist()):
        end = batch.lengths[row] + 1
        results[position] = values[:end, row], bounds[:end, row]
    return results


def _key(automaton: WFSA, deviation: Deviation | None) -> Hashable:
    """Return a key. Automata with equal keys have the same Forward vectors, which are computed only once."""
    parts = [automaton.matrices, automaton.initial]
    parts += [] if deviation is None else [deviation.matrices, deviation.initial]
    return tuple(id(part) if part.dtype == object else part.tobytes() for part in parts)


def _deviation(deviations: Sequence[Deviation | None], leaders: Sequence[int]) -> Deviation | None:
    known = [one for one in deviations if one is not None]
    if not known:
        return None
    final = np.stack([np.zeros_like(one.initial) if one.final is None else one.final for one in known])
    return Deviation(
        np.concatenate([known[unit].matrices for unit in leaders]),
        np.stack([known[unit].initial for unit in leaders]),
        final,
    )
