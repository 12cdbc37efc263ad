"""Epsilon transitions: their closure, for cycles too where the semiring can sum them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from automata.aliases import Weight, Weights
from automata.components import components
from automata.errors import EpsilonCycle, LimitReached, WeightError
from automata.semirings import Semiring
from automata.table import SMALL, Table, Vector

MOST_ENTRIES = 1 << 24
"""Transitions of one symbol, at most, where epsilon is removed."""
MOST_IN_A_CYCLE = 2000
"""States that epsilon leads from each of to each other, at most: their closure is an array."""


def closure(semiring: Semiring, epsilon: Weights, names: Sequence[int] | None = None) -> Weights:
    """E* = I + E + EE + ...: for each pair of states, the sum over all silent ways from one to the other.

    Kleene's algorithm; without a cycle it needs no star and works in every semiring. A sum over a cycle has
    to converge *absolutely*, since paths have no order: with signed weights, |E|* has to exist too.

    Args:
        semiring: the semiring of the weights.
        epsilon: the matrix E, shape ``(n, n)``.
        names: of the states, for messages; their numbers, where not given.

    Returns:
        The matrix E*, shape ``(n, n)``.

    Raises:
        EpsilonCycle: a cycle through some state has no sum; the message names the state and the cycle's
            weight.
    """
    exact, states = epsilon.dtype == object, range(len(epsilon)) if names is None else names
    if not semiring.selective:
        _kleene(semiring, semiring.absolute(epsilon), states)
    ways = _kleene(semiring, epsilon, states)
    return np.asarray(semiring.plus(ways, semiring.identity(len(epsilon), exact=exact)))


def _kleene(semiring: Semiring, epsilon: Weights, names: Sequence[int]) -> Weights:
    """E E* : paths of at least one transition, through states 0..k for growing k."""
    total = epsilon.copy()
    signs = ", without their signs" if semiring.name == "real" else ""
    for k in range(len(epsilon)):
        try:
            around = semiring.star(total[k, k])
        except WeightError:
            raise EpsilonCycle(
                f"the epsilon cycles through state {names[k]} weigh {semiring.format(total[k, k])} in"
                f" all{signs}, and going round them any number of times has no sum in the {semiring.name}"
                " semiring; remove the cycle or make it lighter"
            ) from None
        # only between states that reach k and states that k reaches: few, where epsilon is rare
        into, out = np.flatnonzero(total[:, k] != semiring.zero), np.flatnonzero(total[k] != semiring.zero)
        block = np.ix_(into, out)
        through = semiring.times(semiring.times(total[into, k][:, None], around), total[k, out][None, :])
        total[block] = semiring.plus(total[block], through)
    return total


class SilentClosure:
    """The epsilon closure E*, for vectors to be multiplied by.

    Of few states it is an array. Of many, only what is on a cycle of epsilon has one, an array for each
    strongly connected part; a vector goes through the parts in the order in which epsilon leads through them.

    Raises :class:`~automata.errors.EpsilonCycle` where it does not exist,
    :class:`~automata.errors.LimitReached` where a part has too many states.
    """

    def __init__(self, semiring: Semiring, table: Table, exact: bool) -> None:
        self.semiring, self.table, self.exact = semiring, table, exact
        _ = self.matrix if table.size <= SMALL else self._parts

    @cached_property
    def matrix(self) -> Weights:
        """E*, shape ``(n, n)``."""
        return closure(self.semiring, self.table.dense(self.semiring))

    @cached_property
    def _parts(self) -> tuple[list[int], dict[int, tuple[list[int], Weights]]]:
        """Each state's part, numbered in the order in which epsilon leads through them; and the states and
        the closure of those parts that have a cycle.
        """
        part, order = components(self.table.size, self.table.rows, self.table.columns)
        within = part[self.table.rows] == part[self.table.columns]
        cycles: dict[int, tuple[list[int], Weights]] = {}
        first = np.searchsorted(part[order], np.arange(len(part) + 1))  # the parts are numbered from 0 on
        for number in np.unique(part[self.table.rows[within]]).tolist():
            states = order[first[number] : first[number + 1]]
            if len(states) > MOST_IN_A_CYCLE:
                raise LimitReached(
                    f"{len(states):,} states are on epsilon cycles with one another, where at most"
                    f" {MOST_IN_A_CYCLE:,} are summed over"
                )
            block = self.table.restricted(states).dense(self.semiring)
            cycles[number] = states.tolist(), closure(self.semiring, block, states.tolist())
        return part.tolist(), cycles

    @cached_property
    def transposed(self) -> SilentClosure:
        """The closure of the transitions turned round: E* times a column is what it does to a row."""
        other = object.__new__(SilentClosure)
        other.semiring, other.table, other.exact = self.semiring, self.table.transposed, self.exact
        if self.table.size <= SMALL:
            other.__dict__["matrix"] = self.matrix.T
        return other

    def product(self, omega: Weights) -> Weights:
        """omega E*, shape ``(n,)``."""
        k = self.semiring
        if self.table.size <= SMALL:
            return np.asarray(k.sum(k.times(omega[:, None], self.matrix), axis=0))
        present = np.flatnonzero(omega != k.zero)
        places, weights = self.sparse_product((present, omega[present]))
        result = np.full(len(omega), k.zero, dtype=omega.dtype)
        result[places] = weights
        return result

    def sparse_product(self, vector: Vector) -> Vector:
        """The same for a sparse vector."""
        if not len(vector[0]):
            return vector
        k, (part, cycles) = self.semiring, self._parts
        starts, columns, weights = self.table.starts, self.table.columns, self.table.weights
        total: dict[int, Weight] = dict(zip(vector[0].tolist(), vector[1].tolist(), strict=True))
        waiting = list({part[q] for q in total})
        heapify(waiting)
        members: dict[int, list[int]] = {}
        for q in total:
            members.setdefault(part[q], []).append(q)
        while waiting:
            number = heappop(waiting)
            if number in cycles:
                states, block = cycles[number]
                within = np.array([total.get(q, k.zero) for q in states], dtype=block.dtype)
                summed = k.sum(k.times(within[:, None], block), axis=0).tolist()
                total.update((q, w) for q, w in zip(states, summed, strict=True) if w != k.zero)
                members[number] = states
            for q in members[number]:
                if q not in total:
                    continue
                for entry in range(starts[q], starts[q + 1]):
                    to = int(columns[entry])
                    if part[to] == number:
                        continue
                    term = k.times(total[q], weights[entry])
                    if part[to] not in members:
                        members[part[to]] = []
                        heappush(waiting, part[to])
                    if to in total:
                        total[to] = k.plus(total[to], term)
                    else:
                        total[to] = term
                        members[part[to]].append(to)
        places = sorted(q for q, w in total.items() if w != k.zero)
        result = np.empty(len(places), dtype=vector[1].dtype)
        for i, q in enumerate(places):
            result[i] = total[q]
        return np.array(places, dtype=np.intp), result

    def row_products(self, table: Table) -> Table:
        """The matrix of that table times E*, row by row.

        Raises :class:`~automata.errors.LimitReached` where more than :data:`MOST_ENTRIES` are other than
        zero.
        """
        rows: list[Weights] = []
        columns, weights, entries = [table.columns[:0]], [table.weights[:0]], 0
        for row in np.unique(table.rows).tolist():
            places, values = self.sparse_product(table.row(row))
            rows.append(np.full(len(places), row))
            columns.append(places)
            weights.append(values)
            entries += len(places)
            if entries > MOST_ENTRIES:
                raise LimitReached(
                    f"without epsilon, one symbol has more than {MOST_ENTRIES:,} transitions, where no more"
                    " are held"
                )
        row_numbers = np.concatenate([table.rows[:0], *rows])
        return Table.of_entries(table.size, row_numbers, np.concatenate(columns), np.concatenate(weights))
