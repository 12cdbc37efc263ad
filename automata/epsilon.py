"""The closure of epsilon transitions, including cycles that the semiring can sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from automata.aliases import Weight, Weights
from automata.errors import EpsilonCycle, LimitReached, WeightError
from automata.reachability import components
from automata.semirings import Semiring
from automata.sparse_matrix import SMALL, Places, SparseMatrix, Vector

MOST_ENTRIES = 1 << 24
"""Maximum number of transitions per symbol after epsilon removal."""
MOST_IN_A_CYCLE = 2000
"""Maximum size of a strongly connected component of epsilon transitions with float weights.

Its closure is dense.
"""
MOST_PRODUCTS = 1 << 24
"""Maximum number of products of exact weights in the elimination of states on epsilon cycles."""


def closure(semiring: Semiring, epsilon: Weights, names: Sequence[int] | None = None) -> Weights:
    """Return E* = I + E + EE + ...: for each pair of states, the sum over all epsilon paths between them.

    This is Kleene's algorithm. If there is no cycle, it does not need the star operation and works in every
    semiring. The sum over a cycle must converge *absolutely*, because paths have no order: with signed
    weights, |E|* must also exist.

    Args:
        semiring: the semiring of the weights.
        epsilon: the matrix E, shape ``(n, n)``.
        names: the names of the states for error messages; by default, their numbers.

    Returns:
        The matrix E*, shape ``(n, n)``.

    Raises:
        EpsilonCycle: If a cycle through some state has no sum; the message names the state and the cycle's
            weight.
    """
    exact, states = epsilon.dtype == object, range(len(epsilon)) if names is None else names
    if not semiring.selective:
        _kleene(semiring, semiring.absolute(epsilon), states)
    ways = _kleene(semiring, epsilon, states)
    return np.asarray(semiring.plus(ways, semiring.identity(len(epsilon), exact=exact)))


def _kleene(semiring: Semiring, epsilon: Weights, names: Sequence[int]) -> Weights:
    """Return E E*, the sums over all epsilon paths with at least one transition (Kleene's algorithm)."""
    total = epsilon.copy()
    for k in range(len(epsilon)):
        around = _star(semiring, total[k, k], names[k])
        # Update only states that reach k and states that k reaches, which are few if epsilon is rare.
        into, out = np.flatnonzero(total[:, k] != semiring.zero), np.flatnonzero(total[k] != semiring.zero)
        block = np.ix_(into, out)
        through = semiring.times(semiring.times(total[into, k][:, None], around), total[k, out][None, :])
        total[block] = semiring.plus(total[block], through)
    return total


def _star(semiring: Semiring, weight: Weight, name: int) -> Weight:
    """Return the star of the total weight of a state's cycles; raise EpsilonCycle if it does not exist."""
    try:
        return semiring.star(weight)
    except WeightError:
        signs = " (in absolute values)" if semiring.signed else ""
        raise EpsilonCycle(
            f"the epsilon cycles through state {name} have the total weight {semiring.format(weight)}{signs},"
            f" and the sum over all repetitions does not exist in the {semiring.name} semiring; remove the"
            " cycle or reduce its weight"
        ) from None


Row = dict[int, Weight]
"""Weights other than zero, keyed by state."""
Eliminated = tuple[int, Weight, list[tuple[int, Weight]], list[tuple[int, Weight]]]
"""An eliminated state: its number, the star of its cycle weight, and its incoming and outgoing transitions.

All cycles and transitions include paths through the states that were eliminated earlier.
"""


class Elimination:
    """The closure of epsilon transitions as a product of sparse factors, for exact weights (Carré 1971).

    The closure E* = I + E + E E + ... is that of the transitions E within one strongly connected component.

    States are eliminated one at a time, those with the fewest transitions first. Then y = x E* is computed
    from y = x + y E by one forward and one backward pass through the states.

    Raises :class:`~automata.errors.EpsilonCycle` if E* does not exist, and
    :class:`~automata.errors.LimitReached` if the elimination requires too many products.
    """

    def __init__(self, semiring: Semiring, rows: dict[int, Row]) -> None:
        self.semiring = semiring
        if not semiring.selective:
            sizes = {q: {r: abs(w) for r, w in row.items()} for q, row in rows.items()}
            if sizes != rows:
                self._steps(sizes)
        self.steps = self._steps(rows)

    def _steps(self, rows: dict[int, Row]) -> list[Eliminated]:
        k, plus, times = self.semiring, self.semiring.add_numbers, self.semiring.multiply_numbers
        rows = {q: dict(row) for q, row in rows.items()}
        sources: dict[int, set[int]] = {q: set() for q in rows}
        for q, row in rows.items():
            for r in row:
                sources[r].add(q)
        heap = [(len(sources[q]) * len(row), q) for q, row in rows.items()]
        heapify(heap)
        steps: list[Eliminated] = []
        products = 0
        while heap:
            cost, q = heappop(heap)
            if q not in rows:
                continue
            if cost != len(sources[q]) * len(rows[q]):
                heappush(heap, (len(sources[q]) * len(rows[q]), q))
                continue
            products += cost
            if products > MOST_PRODUCTS:
                raise LimitReached(
                    f"summing over epsilon cycles requires more than {MOST_PRODUCTS:,} products of weights"
                )
            row, before = rows.pop(q), sources.pop(q)
            around = _star(k, row.pop(q, k.zero), q)
            before.discard(q)
            into = [(p, rows[p].pop(q)) for p in sorted(before)]
            for r in row:
                sources[r].discard(q)
            for p, v in into:
                target, through = rows[p], times(v, around)
                for r, w in row.items():
                    term = times(through, w)
                    target[r] = plus(target[r], term) if r in target else term
                    sources[r].add(p)
            steps.append((q, around, into, list(row.items())))
        return steps

    def product(self, vector: Row) -> Row:
        """Return x E* for a row x, given as its nonzero weights by state."""
        plus, times = self.semiring.add_numbers, self.semiring.multiply_numbers
        total = dict(vector)
        for q, around, _, out in self.steps:
            if q in total and out:
                through = times(total[q], around)
                for r, w in out:
                    term = times(through, w)
                    total[r] = plus(total[r], term) if r in total else term
        for q, around, into, _ in reversed(self.steps):
            for p, w in into:
                if p in total:
                    term = times(total[p], w)
                    total[q] = plus(total[q], term) if q in total else term
            if q in total:
                total[q] = times(total[q], around)
        return {q: w for q, w in total.items() if w != self.semiring.zero}


class EpsilonClosure:
    """The epsilon closure E*, as an operator on vectors.

    For few states it is a dense array. For many states, only strongly connected components with a cycle need
    a closure, which is an array of floats or an elimination of exact weights. A vector is then propagated
    through the components in topological order.

    Raises EpsilonCycle if E* does not exist, and LimitReached if a part of it is too large.
    """

    def __init__(self, semiring: Semiring, table: SparseMatrix, exact: bool) -> None:
        self.semiring, self.table, self.exact = semiring, table, exact
        _ = self.matrix if table.size <= SMALL else self._parts

    @cached_property
    def matrix(self) -> Weights:
        """E*, shape ``(n, n)``."""
        return closure(self.semiring, self.table.dense(self.semiring))

    @cached_property
    def _parts(self) -> tuple[list[int], dict[int, tuple[list[int], Callable[[Row], Row]]]]:
        """The component of each state, and the states and closure of each component that has a cycle.

        Components are numbered in topological order of the epsilon transitions. The closure is a function
        that maps a row x to x E*, where E has only the transitions of the component.
        """
        part, order = components(self.table.size, self.table.rows, self.table.columns)
        within = part[self.table.rows] == part[self.table.columns]
        cycles: dict[int, tuple[list[int], Callable[[Row], Row]]] = {}
        first = np.searchsorted(part[order], np.arange(len(part) + 1))  # the components are numbered from 0
        for number in np.unique(part[self.table.rows[within]]).tolist():
            states = order[first[number] : first[number + 1]]
            cycles[number] = states.tolist(), self._cycle(states)
        return part.tolist(), cycles

    @cached_property
    def _entries(self) -> tuple[list[int], list[int], list[Weight]]:
        """The row offsets, columns and weights of E as lists of Python numbers."""
        return self.table.row_offsets.tolist(), self.table.columns.tolist(), self.table.weights.tolist()

    def _cycle(self, states: Places) -> Callable[[Row], Row]:
        k, names = self.semiring, states.tolist()
        table = self.table.restricted(states)
        if self.exact:
            rows: dict[int, Row] = {q: {} for q in names}
            for i, j, w in zip(
                table.rows.tolist(), table.columns.tolist(), table.weights.tolist(), strict=True
            ):
                rows[names[i]][names[j]] = w
            return Elimination(k, rows).product
        if len(states) > MOST_IN_A_CYCLE:
            raise LimitReached(
                f"a component of epsilon cycles with float weights must have at most {MOST_IN_A_CYCLE:,}"
                f" states, got {len(states):,}"
            )
        block = closure(k, table.dense(k), names)

        def product(row: Row) -> Row:
            within = np.array([row.get(q, k.zero) for q in names], dtype=block.dtype)
            summed = k.sum(k.times(within[:, None], block), axis=0).tolist()
            return {q: w for q, w in zip(names, summed, strict=True) if w != k.zero}

        return product

    @cached_property
    def transposed(self) -> EpsilonClosure:
        """The closure of the reversed transitions. Its products multiply E* by a column."""
        return EpsilonClosure(self.semiring, self.table.transposed, self.exact)

    def product(self, omega: Weights) -> Weights:
        """Return omega E* for a dense row vector omega, shape ``(n,)``."""
        k = self.semiring
        if self.table.size <= SMALL:
            return np.asarray(k.sum(k.times(omega[:, None], self.matrix), axis=0))
        present = np.flatnonzero(omega != k.zero)
        states, weights = self.sparse_product((present, omega[present]))
        result = np.full(len(omega), k.zero, dtype=omega.dtype)
        result[states] = weights
        return result

    def sparse_product(self, vector: Vector) -> Vector:
        """Return x E* for a sparse vector x."""
        if not len(vector[0]):
            return vector
        total = self.row_product(dict(zip(vector[0].tolist(), vector[1].tolist(), strict=True)))
        states = sorted(total)
        result = np.empty(len(states), dtype=vector[1].dtype)
        for i, q in enumerate(states):
            result[i] = total[q]
        return np.array(states, dtype=np.intp), result

    def row_product(self, row: Row) -> Row:
        """Return x E* for a row x, given as its nonzero weights by state."""
        k, (part, cycles) = self.semiring, self._parts
        starts, columns, weights = self._entries
        total = dict(row)
        waiting = list({part[q] for q in total})
        heapify(waiting)
        members: dict[int, list[int]] = {}
        for q in total:
            members.setdefault(part[q], []).append(q)
        while waiting:
            number = heappop(waiting)
            if number in cycles:
                states, product = cycles[number]
                total.update(product({q: total.pop(q) for q in members[number]}))
                members[number] = states
            for q in members[number]:
                if q not in total:
                    continue
                for entry in range(starts[q], starts[q + 1]):
                    to = columns[entry]
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
        return {q: w for q, w in total.items() if w != k.zero}

    def row_products(self, table: SparseMatrix) -> SparseMatrix:
        """Return the product of a sparse matrix and E*, computed row by row.

        Raises:
            LimitReached: If the product has more than :data:`MOST_ENTRIES` entries.
        """
        rows: list[Weights] = []
        columns, weights, entries = [table.columns[:0]], [table.weights[:0]], 0
        for row in np.unique(table.rows).tolist():
            states, values = self.sparse_product(table.row(row))
            rows.append(np.full(len(states), row))
            columns.append(states)
            weights.append(values)
            entries += len(states)
            if entries > MOST_ENTRIES:
                raise LimitReached(
                    f"after epsilon removal, a symbol must have at most {MOST_ENTRIES:,} transitions"
                )
        row_numbers = np.concatenate([table.rows[:0], *rows])
        return SparseMatrix.of_entries(
            table.size, row_numbers, np.concatenate(columns), np.concatenate(weights)
        )
