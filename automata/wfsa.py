"""Immutable weighted finite-state automata (Definition 2, Peng et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from automata.aliases import Floats, Symbols, Weight, Weights, WeightsLike
from automata.checks import ordered
from automata.drawing import Drawable
from automata.epsilon import EpsilonClosure
from automata.errors import EpsilonCycle, InputError, LimitReached, ShapeError, UnknownSymbol
from automata.reachability import useful_states
from automata.semirings import Semiring
from automata.sparse_matrix import SparseMatrix
from automata.symbols import EPSILON, unknown_symbol
from automata.text.number_text import plural, shorten
from automata.weights import (
    as_float,
    as_weight,
    checked,
    given_several_times,
    has_floats,
    is_float,
    merged,
    raw_array,
)

MOST_STATES = 1 << 24
"""Maximum number of states of an automaton."""
MOST_CELLS = 1 << 28
"""Maximum number of weights of an automaton with dense matrices, including zeros (2 GB of float64)."""
MOST_EXACT_CELLS = 1 << 25
"""Maximum number of weights with exact numbers, which are Python objects."""


Summands = tuple[Hashable, str | None, int, int, tuple[float, ...]]
"""Several weights at one position: a symbol, the name of a vector, a row, a column, and the weights.

For a transition, the name is ``None``. For an initial or final weight, the symbol is ``None``.
"""


class Edge(NamedTuple):
    """A transition with nonzero weight."""

    source: int
    target: int
    symbol: Hashable
    weight: Weight


class WFSA(Drawable):
    """An automaton <alphabet, states, tau, lambda, rho> over a semiring (Definition 2).

    >>> from automata.semirings import REAL
    >>> half = WFSA(REAL, initial=[1, 0], final=[0, 1], transitions={"a": [[1, "1/2"], [0, 1]]})
    >>> half
    <WFSA: 2 states, 1 symbol, real semiring, exact>

    Args:
        semiring: the semiring of the weights.
        initial: the initial weights lambda, shape ``(n,)``.
        final: the final weights rho, shape ``(n,)``.
        transitions: the matrix tau of each symbol, shape ``(n, n)``, from row to column. Symbols are any
            hashable values except ``""``. Symbols with *the same object* share one stored matrix, so a
            wildcard over ten thousand words is ``dict.fromkeys(words, matrix)`` and costs one matrix.
        epsilon: the matrix of the transitions that read nothing, shape ``(n, n)``; cycles are allowed if the
            sum over all paths converges absolutely. If a sum does not converge, the epsilon transitions of
            states that are on no path from an initial to a final state are removed. It is an error if the sum
            still does not converge.

    If all weights are integers, fractions, strings or infinities, the automaton is exact. If a weight is a
    finite float, the automaton is float64. See :meth:`to_exact` and :meth:`to_float`.

    Raises:
        ShapeError: If the shapes do not match.
        WeightError: If a weight is not in the semiring, or is NaN.
        EpsilonCycle: If a cycle of epsilon transitions on a path from an initial to a final state has no sum
            in the semiring.

    Attributes:
        semiring: the semiring.
        initial, final: read-only arrays, shape ``(n,)``.
        tables: the *distinct* matrices, as sparse matrices.
        index: for each symbol, the index of its matrix in ``tables``, in the alphabet's order.
        epsilon_table: the epsilon transitions as a sparse matrix, which is empty if there are none.
        exact: whether the weights are exact; otherwise they are float64.
        summands: over log, one entry for each position with several weights: its symbol (``None`` for initial
            and final weights), its states and these weights. The automaton stores only their rounded sum,
            because the exact sum is irrational. The attribute is ``None`` if an operation discarded it.
    """

    semiring: Semiring
    initial: Weights
    final: Weights
    tables: tuple[SparseMatrix, ...]
    index: Mapping[Hashable, int]
    epsilon_table: SparseMatrix
    exact: bool
    summands: frozenset[Summands] | None

    def __init__(
        self,
        semiring: Semiring,
        initial: WeightsLike,
        final: WeightsLike,
        transitions: Mapping[Any, WeightsLike],
        epsilon: WeightsLike | None = None,
    ) -> None:
        if not isinstance(semiring, Semiring):
            raise InputError(
                f"the semiring must be one of automata.semirings, such as REAL, got {shorten(semiring)}"
            )
        if not isinstance(transitions, Mapping):
            raise InputError(
                "the transitions must be a dict with a matrix for each symbol, got"
                f" {type(transitions).__name__}"
            )
        transitions = dict(transitions)  # a mapping may create a matrix at each access, and ids may be reused
        parts = [("initial", raw_array(initial, "initial", 1)), ("final", raw_array(final, "final", 1))]
        index: dict[Hashable, int] = {}
        numbers: dict[int, int] = {}
        for symbol, matrix in transitions.items():
            if symbol == EPSILON:
                raise InputError(
                    'the symbol "" is reserved for epsilon; pass its matrix as the argument epsilon'
                )
            if id(matrix) not in numbers:
                numbers[id(matrix)] = len(numbers)
                name = f"the matrix of symbol {symbol!r}"
                parts.append((name, raw_array(matrix, name, 2)))
            index[symbol] = numbers[id(matrix)]
        if epsilon is not None:
            parts.append(("epsilon", raw_array(epsilon, "epsilon", 2)))
        n = len(parts[0][1])
        for what, part in parts:
            if part.shape != (shape := (n,) * part.ndim):
                raise ShapeError(f"{what} must have shape {shape} for {n} initial weights, got {part.shape}")
        floats = semiring.float_only or any(has_floats(part) for _, part in parts)
        exact = semiring.exact_only or not floats
        clean = [checked(semiring, part, exact, what) for what, part in parts]
        stack = clean[2 : 2 + len(numbers)]
        matrices = np.stack(stack) if stack else semiring.zeros(0, n, n, exact=exact)
        self._fill(semiring, clean[0], clean[1], matrices, index, None if epsilon is None else clean[-1])

    def _fill(
        self,
        semiring: Semiring,
        initial: Weights,
        final: Weights,
        transitions: Weights | Sequence[SparseMatrix],
        index: Mapping[Any, int],
        epsilon: Weights | SparseMatrix | None,
        summands: frozenset[Summands] | None = frozenset(),
    ) -> None:
        """Set all attributes; transitions and epsilon are arrays or sparse matrices."""
        if isinstance(transitions, np.ndarray):
            transitions.flags.writeable = False
            self.__dict__["matrices"] = transitions
            transitions = [SparseMatrix.of_array(semiring, matrix) for matrix in transitions]
        if isinstance(epsilon, np.ndarray):
            epsilon.flags.writeable = False
            epsilon = SparseMatrix.of_array(semiring, epsilon)
        for array in (initial, final):
            array.flags.writeable = False
        self.__dict__.update(
            semiring=semiring,
            initial=initial,
            final=final,
            tables=tuple(transitions),
            index=dict(index),
            epsilon_table=SparseMatrix.empty(len(initial), initial.dtype) if epsilon is None else epsilon,
            exact=semiring.exact_only or initial.dtype == object,
            summands=summands,
        )
        try:
            _ = self.epsilon_closure  # reject a divergent cycle here, not at the first string
        except EpsilonCycle:
            useful = useful_states(self)
            table = self.epsilon_table.without_columns(~useful).transposed.without_columns(~useful).transposed
            if len(table) == len(self.epsilon_table):
                raise
            self.__dict__.pop("has_epsilon", None)
            self.__dict__.update(epsilon_table=table)
            _ = self.epsilon_closure

    @classmethod
    def of_tables(
        cls,
        semiring: Semiring,
        initial: Weights,
        final: Weights,
        tables: Weights | Sequence[SparseMatrix],
        index: Mapping[Any, int],
        epsilon: Weights | SparseMatrix | None = None,
        summands: frozenset[Summands] | None = frozenset(),
    ) -> WFSA:
        """Build an automaton without validation, for constructions that are known to be correct.

        Args:
            semiring: the semiring of the weights.
            initial: shape ``(n,)``, of the semiring's dtype.
            final: shape ``(n,)``.
            tables: the distinct matrices, of n rows each, or an array of shape ``(m, n, n)``.
            index: the index of each symbol's matrix.
            epsilon: the epsilon transitions.
            summands: see :attr:`summands`.
        """
        automaton = object.__new__(cls)
        automaton._fill(semiring, initial, final, tables, index, epsilon, summands)
        return automaton

    def replace(self, **changes: Any) -> WFSA:
        """Return a copy with changed parts, without checking them.

        Args:
            **changes: new values of ``semiring``, ``initial``, ``final``, ``index`` or
            ``summands``; the transitions as ``matrices`` or ``tables``; and ``epsilon`` as an
            array, a table or ``None``.
        """
        semiring = changes.get("semiring", self.semiring)
        kept = semiring.zero == self.semiring.zero
        transitions = changes.get("matrices", changes.get("tables"))
        if transitions is None:
            transitions = self.__dict__.get("matrices", self.tables) if kept else self.matrices
        old_epsilon = (self.epsilon_table if kept else self.epsilon) if self.has_epsilon else None
        epsilon = changes.get("epsilon", old_epsilon)
        initial, final, index = (changes.get(n, getattr(self, n)) for n in ("initial", "final", "index"))
        in_place = not self.summands or set(changes) <= {"index"}
        summands = changes.get("summands", self.summands if in_place else None)
        return WFSA.of_tables(semiring, initial, final, transitions, index, epsilon, summands)

    def with_tables(self, function: Callable[[SparseMatrix], SparseMatrix], **changes: Any) -> WFSA:
        """Return a copy with a function applied to each table, including epsilon's; see :meth:`replace`."""
        tables = [function(table) for table in self.tables]
        return self.replace(tables=tables, epsilon=function(self.epsilon_table), **changes)

    @classmethod
    def from_arrays(
        cls, semiring: Semiring, initial: Floats, final: Floats, matrices: Floats, index: Mapping[Any, int]
    ) -> WFSA:
        """Return a float64 automaton from arrays, without a copy for each symbol.

        Args:
            semiring: a semiring with float64 automata.
            initial: shape ``(n,)``.
            final: shape ``(n,)``.
            matrices: the distinct matrices, shape ``(m, n, n)``.
            index: the index of each symbol's matrix.
        """
        n = len(initial)
        if final.shape != (n,) or matrices.shape[1:] != (n, n):
            raise ShapeError(
                "initial, final and matrices must have shapes (n,), (n,) and (m, n, n), got"
                f" {initial.shape}, {final.shape}, {matrices.shape}"
            )
        if any(not 0 <= position < len(matrices) for position in index.values()) or EPSILON in index:
            raise ShapeError(
                f"index must map symbols other than epsilon to matrices 0 to {len(matrices) - 1}"
            )
        first, last, cube = (
            checked(semiring, np.asarray(a, dtype=np.float64), False, what)
            for a, what in ((initial, "initial"), (final, "final"), (matrices, "matrices"))
        )
        return cls.of_tables(semiring, first, last, cube, index)

    @classmethod
    def from_edges(
        cls,
        semiring: Semiring,
        states: int,
        alphabet: Iterable[Hashable],
        initial: Iterable[tuple[int, Weight]],
        final: Iterable[tuple[int, Weight]],
        transitions: Iterable[tuple[int, int, Hashable, Weight]],
    ) -> WFSA:
        """Return an automaton from nonzero weights; the symbol ``""`` is epsilon.

        Symbols with the same transitions share one matrix. Duplicate weights are summed, like two
        paths.


        >>> from automata.semirings import MAX_PLUS
        >>> WFSA.from_edges(MAX_PLUS, 2, "ab", [(0, 0)], [(1, 0)], [(0, 1, "a", 3), (1, 1, "b", "1/2")])
        <WFSA: 2 states, 2 symbols, max-plus semiring, exact>
        """
        order = list(dict.fromkeys(ordered(alphabet)))
        groups: dict[tuple[Hashable, str | None], list[Entry]] = {(s, None): [] for s in (*order, EPSILON)}
        groups[None, "initial"] = [(q, 0, as_weight(semiring, w)) for q, w in initial]
        groups[None, "final"] = [(q, 0, as_weight(semiring, w)) for q, w in final]
        for source, target, symbol, weight in transitions:
            if (symbol, None) not in groups:
                raise UnknownSymbol(f"a transition reads {shorten(symbol)}, which is not in the alphabet")
            groups[symbol, None].append((source, target, as_weight(semiring, weight)))
        entries = {what: frozenset(merged(semiring, group)) for what, group in groups.items()}
        floats = semiring.float_only or any(is_float(w) for group in entries.values() for _, _, w in group)
        exact = semiring.exact_only or not floats
        require_states(states)

        def table(group: Iterable[Entry]) -> SparseMatrix:
            return SparseMatrix.of_entries(states, *_columns(group, states, semiring, exact))

        def vector(name: str) -> Weights:
            indices, _, weights = _columns(entries[None, name], states, semiring, exact)
            result = semiring.zeros(states, exact=exact)
            result[indices] = weights
            return result

        distinct = dict.fromkeys(entries[s, None] for s in order)
        number = {group: i for i, group in enumerate(distinct)}
        several = [
            (*what, *one)
            for what, group in groups.items()
            for one in (given_several_times(group) if semiring.float_only else ())
        ]
        return cls.of_tables(
            semiring,
            vector("initial"),
            vector("final"),
            [table(group) for group in distinct],
            {s: number[entries[s, None]] for s in order},
            table(entries[EPSILON, None]),
            frozenset(several),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an automaton is immutable; construct a new one with WFSA(...)")

    @property
    def num_states(self) -> int:
        """The number of states, n."""
        return len(self.initial)

    @property
    def num_transitions(self) -> int:
        """The number of transitions, including epsilon."""
        return sum(len(self.tables[i]) for i in self.index.values()) + len(self.epsilon_table)

    states = num_states
    transitions = num_transitions

    @property
    def silent(self) -> SparseMatrix | None:
        """The older name of :attr:`epsilon_table`; ``None`` if there are no epsilon transitions."""
        return self.epsilon_table if self.has_epsilon else None

    @property
    def alphabet(self) -> Symbols:
        """The symbols, in order."""
        return tuple(self.index)

    @cached_property
    def has_epsilon(self) -> bool:
        """Whether there are epsilon transitions."""
        return len(self.epsilon_table) > 0

    @cached_property
    def matrices(self) -> Weights:
        """The distinct matrices as a read-only array, shape ``(m, n, n)``; raises LimitReached."""
        n = self.num_states
        require_room(self.semiring, n, len(self.tables), self.exact)
        dense = [table.dense(self.semiring) for table in self.tables]
        cube = np.stack(dense) if dense else self.semiring.zeros(0, n, n, exact=self.exact)
        cube.flags.writeable = False
        return cube

    @cached_property
    def epsilon(self) -> Weights | None:
        """The read-only dense matrix of the epsilon transitions; ``None`` if there are none."""
        return self._dense(self.epsilon_table) if self.has_epsilon else None

    @cached_property
    def closure(self) -> Weights | None:
        """The epsilon closure E* = I + E + EE + ..., shape ``(n, n)``; ``None`` if there is no epsilon."""
        return None if self.epsilon_closure is None else self.epsilon_closure.matrix

    @cached_property
    def epsilon_closure(self) -> EpsilonClosure | None:
        """The epsilon closure as an operator on vectors; ``None`` if there is no epsilon."""
        return EpsilonClosure(self.semiring, self.epsilon_table, self.exact) if self.has_epsilon else None

    def table(self, symbol: Hashable) -> SparseMatrix:
        """Return the nonzero transitions tau(., ., symbol)."""
        if symbol not in self.index:
            raise unknown_symbol(self.index, symbol)
        return self.tables[self.index[symbol]]

    def matrix(self, symbol: Hashable) -> Weights:
        """Return the transition matrix tau(., ., symbol), shape ``(n, n)``."""
        return self._dense(self.table(symbol))

    def _dense(self, table: SparseMatrix) -> Weights:
        require_room(self.semiring, self.num_states, 1, self.exact)
        return table.dense(self.semiring)

    def edges(self) -> Iterator[Edge]:
        """Yield the transitions with nonzero weight, sorted by source, target and symbol, epsilon first."""
        symbols = [EPSILON, *self.index]
        tables = [self.epsilon_table, *(self.tables[i] for i in self.index.values())]
        sizes = [len(table) for table in tables]
        which = np.repeat(np.arange(len(tables)), sizes)
        rows, columns = (np.concatenate([getattr(t, n) for t in tables]) for n in ("rows", "columns"))
        entry = np.concatenate([np.arange(size) for size in sizes])
        order = np.lexsort((which, columns, rows))
        parts = (part[order].tolist() for part in (rows, columns, which, entry))
        for row, column, kind, number in zip(*parts, strict=True):
            yield Edge(row, column, symbols[kind], tables[kind].weights[number])

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """Return the automaton itself."""
        return self

    def to_exact(self) -> WFSA:
        """Return the automaton over exact numbers; every float becomes the fraction that it represents."""
        return self if self.exact else self._map(self.semiring.exact, object)

    def to_float(self) -> WFSA:
        """Return the automaton with every weight rounded to the nearest float64."""
        if not self.exact:
            return self
        if self.semiring.exact_only:
            raise InputError(f"the {self.semiring.name} semiring has no float64 automata")
        return self._map(as_float, np.float64)

    def _map(self, function: Callable[[Weight], Weight], dtype: type) -> WFSA:
        each = np.frompyfunc(function, 1, 1)
        ends: dict[str, Weights] = {
            name: np.asarray(each(getattr(self, name)), dtype=dtype) for name in ("initial", "final")
        }
        return self.with_tables(lambda table: table.mapped(self.semiring, each, dtype), **ends)

    def over(self, alphabet: Iterable[Hashable]) -> WFSA:
        """Return the same automaton over a larger alphabet in the given order, without new transitions."""
        order = dict.fromkeys(ordered(alphabet))
        missing = [s for s in self.index if s not in order]
        if missing:
            raise UnknownSymbol(
                f"the new alphabet must contain {shorten(missing[0])}, which the automaton reads"
            )
        fresh = len(order) > len(self.index)
        blank = [SparseMatrix.empty(self.num_states, self.initial.dtype)] if fresh else []
        index = {s: self.index.get(s, len(self.tables)) for s in order}
        return self.replace(tables=[*self.tables, *blank], index=index, summands=self.summands)

    def __eq__(self, other: object) -> bool:
        """Compare weights, states and alphabets in their order; equivalent automata may be unequal."""
        if not isinstance(other, WFSA):
            return NotImplemented
        return (
            (self.semiring, self.exact, self.alphabet) == (other.semiring, other.exact, other.alphabet)
            and np.array_equal(self.initial, other.initial)
            and np.array_equal(self.final, other.final)
            and self.epsilon_table.same(other.epsilon_table)
            and all(self.table(s).same(other.table(s)) for s in self.index)
        )

    def __hash__(self) -> int:
        return hash((self.semiring.name, self.num_states, self.alphabet))

    def __reduce__(self) -> tuple[object, ...]:
        tables = self.__dict__.get("matrices", self.tables)
        parts = self.initial, self.final, tables, dict(self.index), self.epsilon_table, self.summands
        return WFSA.of_tables, (self.semiring, *parts)

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float64"
        size = f"{plural(self.num_states, 'state')}, {plural(len(self.index), 'symbol')}"
        extra = ", with epsilon" if self.has_epsilon else ""
        return f"<WFSA: {size}, {self.semiring.name} semiring, {kind}{extra}>"


def require_room(semiring: Semiring, states: int, matrices: int, exact: bool = True) -> None:
    """Raise LimitReached if this many matrices would be too large. Call this before allocating."""
    require_cells(semiring, states * states * matrices, exact, "the automaton")


def require_cells(semiring: Semiring, cells: int, exact: bool, what: str) -> None:
    """Raise LimitReached if an array of this many weights would be too large. Call this before allocating."""
    most = MOST_EXACT_CELLS if semiring.dtype(exact) is object else MOST_CELLS
    if cells > most:
        count = f"{cells:,}" if cells < 10**24 else "more than 10^24"
        raise LimitReached(f"{what} must have at most {most:,} weights, got {count}")


def require_states(states: int) -> None:
    """Raise LimitReached if an automaton would have too many states."""
    if states > MOST_STATES:
        count = f"{states:,}" if states < 10**24 else "more than 10^24"
        raise LimitReached(f"the automaton must have at most {MOST_STATES:,} states, got {count}")


Entry = tuple[int, int, Weight]
"""A row, a column and a weight."""


def _columns(
    group: Iterable[Entry], states: int, semiring: Semiring, exact: bool
) -> tuple[list[int], list[int], Weights]:
    """Return the rows, columns and weights of entries; raise ShapeError if one is out of range."""
    entries = list(group)
    weights: Weights = np.empty(len(entries), dtype=semiring.dtype(exact))
    for position, (i, j, weight) in enumerate(entries):
        if not (0 <= i < states and 0 <= j < states):
            state = i if not 0 <= i < states else j
            raise ShapeError(f"the state of a weight must be between 0 and {states - 1}, got {state}")
        weights[position] = semiring.exact(weight) if exact else as_float(weight)
    return [i for i, _, _ in entries], [j for _, j, _ in entries], weights


def require_wfsa(value: object) -> None:
    """Raise InputError if the value is not a WFSA, for example a file's name.

    >>> require_wfsa("a.json")
    Traceback (most recent call last):
    automata.errors.InputError: the automaton must be a WFSA, got 'a.json' of type str; load it with read()
    """
    if isinstance(value, WFSA):
        return
    makes_one = "; convert it with its to_wfsa()" if hasattr(value, "to_wfsa") else ""
    in_file = "; load it with read()" if isinstance(value, str | PathLike) else ""
    got = f"{shorten(value)} of type {type(value).__name__}"
    raise InputError(f"the automaton must be a WFSA, got {got}{makes_one}{in_file}")
