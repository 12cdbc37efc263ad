"""An immutable weighted finite-state automaton (Definition 2, Peng et al. 2018)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from automata.aliases import Floats, Symbols, Weight, Weights
from automata.drawing import Drawable
from automata.epsilon import EpsilonClosure
from automata.errors import EpsilonCycle, InputError, LimitReached, ShapeError, UnknownSymbol
from automata.reachability import useful_states
from automata.semirings import Semiring
from automata.sparse_matrix import SparseMatrix
from automata.symbols import EPSILON, unknown_symbol
from automata.text.number_text import plural, shorten
from automata.weights import checked, given_several_times, has_floats, is_float, merged, raw_array

MOST_STATES = 1 << 24
"""The most states of an automaton."""
MOST_CELLS = 1 << 28
"""The most weights of an automaton whose matrices are made arrays, zeros too (2 GB of float64)."""
MOST_EXACT_CELLS = 1 << 25
"""The same for exact weights, which are Python objects."""


Summands = tuple[Hashable, str | None, int, int, tuple[float, ...]]
"""A symbol, or the name of a vector; row, column, and the weights that were given there."""


class Edge(NamedTuple):
    """One transition with a weight other than zero."""

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
        semiring: where the weights live.
        initial: the initial weights lambda, shape ``(n,)``.
        final: the final weights rho, shape ``(n,)``.
        transitions: for each symbol its matrix tau, shape ``(n, n)``, from row to column. Symbols are any
            hashable values but ``""``; symbols that are given *the same object* share one stored matrix, so a
            wildcard over ten thousand words is ``dict.fromkeys(words, matrix)`` and costs one matrix.
        epsilon: the matrix of the transitions that read nothing, shape ``(n, n)``; cycles are allowed where
            the sum over all ways round converges (absolutely). If one does not, the epsilon transitions of
            states on no path from an initial to a final state are removed before that is an error.

    Weights that are all integers, fractions, strings or infinities make an exact automaton; one float (that
    is not an infinity) makes a float64 automaton. See :meth:`to_exact` and :meth:`to_float`.

    Raises:
        ShapeError: the shapes do not fit together.
        WeightError: a weight is not in the semiring, NaN included.
        EpsilonCycle: a cycle of epsilon transitions on a path from an initial to a final state has no sum in
            the semiring.

    Attributes:
        semiring: the semiring.
        initial, final: read-only arrays, shape ``(n,)``.
        tables: the *distinct* matrices, each as its entries other than zero.
        index: for each symbol the place of its matrix in ``tables``; its order is the alphabet's.
        epsilon_table: the epsilon transitions likewise; empty if there are none.
        exact: are the weights exact (else float64)?
        summands: over log, the weights that were given several times in one place, each with its symbol
            (``initial`` and ``final`` weights with ``None``), its states and all that was given: their sum is
            irrational, and the automaton has it rounded. ``None``: there were some, before an operation.
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
        initial: ArrayLike,
        final: ArrayLike,
        transitions: Mapping[Any, ArrayLike],
        epsilon: ArrayLike | None = None,
    ) -> None:
        if not isinstance(semiring, Semiring):
            raise InputError(
                f"the semiring is {shorten(semiring)}, where one of automata.semirings is right, such as REAL"
            )
        if not isinstance(transitions, Mapping):
            raise InputError(
                f"the transitions are of type {type(transitions).__name__}, where a dict is right: a matrix"
                " for each symbol"
            )
        parts = [("initial", raw_array(initial, "initial", 1)), ("final", raw_array(final, "final", 1))]
        index: dict[Hashable, int] = {}
        places: dict[int, int] = {}
        for symbol, matrix in transitions.items():
            if symbol == EPSILON:
                raise InputError('the symbol "" is kept for epsilon; give its matrix as the argument epsilon')
            if id(matrix) not in places:
                places[id(matrix)] = len(places)
                name = f"the matrix of symbol {symbol!r}"
                parts.append((name, raw_array(matrix, name, 2)))
            index[symbol] = places[id(matrix)]
        if epsilon is not None:
            parts.append(("epsilon", raw_array(epsilon, "epsilon", 2)))
        n = len(parts[0][1])
        for what, part in parts:
            if part.shape != (shape := (n,) * part.ndim):
                raise ShapeError(f"{what} has shape {part.shape}, where {n} initial weights ask for {shape}")
        floats = semiring.float_only or any(has_floats(part) for _, part in parts)
        exact = semiring.exact_only or not floats
        clean = [checked(semiring, part, exact, what) for what, part in parts]
        stack = clean[2 : 2 + len(places)]
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
        """Transitions are an array of shape ``(m, n, n)``, or tables; epsilon an array or a table."""
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
            _ = self.epsilon_closure  # a divergent cycle is refused here, not at the first string
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
        """An automaton from ready parts, for constructions that make sound ones.

        Args:
            semiring: of the weights.
            initial: shape ``(n,)``, of the semiring's dtype.
            final: shape ``(n,)``.
            tables: the distinct matrices, of n rows each, or an array of shape ``(m, n, n)``.
            index: for each symbol the place of its matrix.
            epsilon: the epsilon transitions.
            summands: see :attr:`summands`.
        """
        automaton = object.__new__(cls)
        automaton._fill(semiring, initial, final, tables, index, epsilon, summands)
        return automaton

    def replace(self, **changes: Any) -> WFSA:
        """Return a copy with some of ``semiring, initial, final, index`` changed, the transitions as
        ``matrices`` or ``tables``, ``epsilon`` as an array, a table or ``None``: for operations that keep
        automata sound.
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
        """A copy with a function of each table, epsilon's too, in its place; see :meth:`replace`."""
        tables = [function(table) for table in self.tables]
        return self.replace(tables=tables, epsilon=function(self.epsilon_table), **changes)

    @classmethod
    def from_arrays(
        cls, semiring: Semiring, initial: Floats, final: Floats, matrices: Floats, index: Mapping[Any, int]
    ) -> WFSA:
        """A float64 automaton from ready arrays, without a copy for each symbol.

        Args:
            semiring: one with float64 automata.
            initial: shape ``(n,)``.
            final: shape ``(n,)``.
            matrices: the distinct matrices, shape ``(m, n, n)``.
            index: for each symbol the place of its matrix.
        """
        n = len(initial)
        if final.shape != (n,) or matrices.shape[1:] != (n, n):
            raise ShapeError(
                f"initial, final and matrices have shapes {initial.shape}, {final.shape}, {matrices.shape}"
            )
        if any(not 0 <= place < len(matrices) for place in index.values()) or EPSILON in index:
            raise ShapeError(
                f"index names a matrix that is not there, or epsilon, where 0 to {len(matrices) - 1} are"
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
        """An automaton from what differs from zero; symbol ``""`` is epsilon.

        Symbols with the same transitions share one matrix. Weights given twice for the same place are summed,
        as two paths are.

        >>> from automata.semirings import MAX_PLUS
        >>> WFSA.from_edges(MAX_PLUS, 2, "ab", [(0, 0)], [(1, 0)], [(0, 1, "a", 3), (1, 1, "b", "1/2")])
        <WFSA: 2 states, 2 symbols, max-plus semiring, exact>
        """
        order = list(dict.fromkeys(alphabet))
        given: dict[tuple[Hashable, str | None], list[Entry]] = {(s, None): [] for s in (*order, EPSILON)}
        given[None, "initial"] = [(q, 0, w) for q, w in initial]
        given[None, "final"] = [(q, 0, w) for q, w in final]
        for source, target, symbol, weight in transitions:
            if (symbol, None) not in given:
                raise UnknownSymbol(f"a transition reads {shorten(symbol)}, which is not in the alphabet")
            given[symbol, None].append((source, target, weight))
        entries = {what: frozenset(merged(semiring, group)) for what, group in given.items()}
        floats = semiring.float_only or any(is_float(w) for group in entries.values() for _, _, w in group)
        exact = semiring.exact_only or not floats
        require_states(states)

        def table(group: Iterable[Entry]) -> SparseMatrix:
            return SparseMatrix.of_entries(states, *_columns(group, states, semiring, exact))

        def vector(name: str) -> Weights:
            places, _, weights = _columns(entries[None, name], states, semiring, exact)
            result = semiring.zeros(states, exact=exact)
            result[places] = weights
            return result

        distinct = dict.fromkeys(entries[s, None] for s in order)
        place = {group: i for i, group in enumerate(distinct)}
        several = [
            (*what, *one)
            for what, group in given.items()
            for one in (given_several_times(group) if semiring.float_only else ())
        ]
        return cls.of_tables(
            semiring,
            vector("initial"),
            vector("final"),
            [table(group) for group in distinct],
            {s: place[entries[s, None]] for s in order},
            table(entries[EPSILON, None]),
            frozenset(several),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("an automaton is immutable; make another with WFSA(...)")

    @property
    def num_states(self) -> int:
        """The number of states, n."""
        return len(self.initial)

    @property
    def num_transitions(self) -> int:
        """The number of transitions, epsilon among them."""
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
        """Are there epsilon transitions?"""
        return len(self.epsilon_table) > 0

    @cached_property
    def matrices(self) -> Weights:
        """The distinct matrices as a read-only array, shape ``(m, n, n)``; raise LimitReached."""
        n = self.num_states
        require_room(self.semiring, n, len(self.tables), self.exact)
        dense = [table.dense(self.semiring) for table in self.tables]
        cube = np.stack(dense) if dense else self.semiring.zeros(0, n, n, exact=self.exact)
        cube.flags.writeable = False
        return cube

    @cached_property
    def epsilon(self) -> Weights | None:
        """The dense matrix of the epsilon transitions, read-only; ``None`` if there are none."""
        return self._dense(self.epsilon_table) if self.has_epsilon else None

    @cached_property
    def closure(self) -> Weights | None:
        """The epsilon closure E* = I + E + EE + ..., shape ``(n, n)``; ``None`` where there is no epsilon."""
        return None if self.epsilon_closure is None else self.epsilon_closure.matrix

    @cached_property
    def epsilon_closure(self) -> EpsilonClosure | None:
        """The epsilon closure, as what vectors are multiplied by; ``None`` where there is no epsilon."""
        return EpsilonClosure(self.semiring, self.epsilon_table, self.exact) if self.has_epsilon else None

    def table(self, symbol: Hashable) -> SparseMatrix:
        """The transitions tau(., ., symbol) other than zero."""
        if symbol not in self.index:
            raise unknown_symbol(self.index, symbol)
        return self.tables[self.index[symbol]]

    def matrix(self, symbol: Hashable) -> Weights:
        """The transition matrix tau(., ., symbol), shape ``(n, n)``."""
        return self._dense(self.table(symbol))

    def _dense(self, table: SparseMatrix) -> Weights:
        require_room(self.semiring, self.num_states, 1, self.exact)
        return table.dense(self.semiring)

    def edges(self) -> Iterator[Edge]:
        """Every transition whose weight is not zero: by source, target, then symbol; epsilon first."""
        symbols = [EPSILON, *self.index]
        tables = [self.epsilon_table, *(self.tables[i] for i in self.index.values())]
        sizes = [len(table) for table in tables]
        which = np.repeat(np.arange(len(tables)), sizes)
        rows, columns = (np.concatenate([getattr(t, n) for t in tables]) for n in ("rows", "columns"))
        entry = np.concatenate([np.arange(size) for size in sizes])
        order = np.lexsort((which, columns, rows))
        parts = (part[order].tolist() for part in (rows, columns, which, entry))
        for row, column, place, number in zip(*parts, strict=True):
            yield Edge(row, column, symbols[place], tables[place].weights[number])

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """The automaton itself."""
        return self

    def to_exact(self) -> WFSA:
        """The same automaton over exact numbers: every float is the dyadic fraction that it is."""
        return self if self.exact else self._map(self.semiring.exact, object)

    def to_float(self) -> WFSA:
        """The automaton with every weight rounded to the nearest float64."""
        if not self.exact:
            return self
        if self.semiring.exact_only:
            raise InputError(f"the {self.semiring.name} semiring has no float64 automata")
        return self._map(float, np.float64)

    def _map(self, function: Callable[[Weight], Weight], dtype: type) -> WFSA:
        each = np.frompyfunc(function, 1, 1)
        ends: dict[str, Weights] = {
            name: np.asarray(each(getattr(self, name)), dtype=dtype) for name in ("initial", "final")
        }
        return self.with_tables(lambda table: table.mapped(self.semiring, each, dtype), **ends)

    def over(self, alphabet: Iterable[Hashable]) -> WFSA:
        """The same automaton over a larger alphabet, in the given order; new symbols have no transition."""
        order = dict.fromkeys(alphabet)
        missing = [s for s in self.index if s not in order]
        if missing:
            raise UnknownSymbol(f"the new alphabet lacks {shorten(missing[0])}, which the automaton reads")
        fresh = len(order) > len(self.index)
        blank = [SparseMatrix.empty(self.num_states, self.initial.dtype)] if fresh else []
        index = {s: self.index.get(s, len(self.tables)) for s in order}
        return self.replace(tables=[*self.tables, *blank], index=index, summands=self.summands)

    def __eq__(self, other: object) -> bool:
        """Compare weights, states and alphabets in their order (not mere equivalence)."""
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
    """Raise LimitReached if so many matrices would be too large. Call this before allocating."""
    require_cells(semiring, states * states * matrices, exact, "the automaton")


def require_cells(semiring: Semiring, cells: int, exact: bool, what: str) -> None:
    """The same for an array of so many weights."""
    most = MOST_EXACT_CELLS if semiring.dtype(exact) is object else MOST_CELLS
    if cells > most:
        count = f"{cells:,}" if cells < 10**24 else "more than 10^24"
        raise LimitReached(f"{what} asks for {count} weights; at most {most:,} are held")


def require_states(states: int) -> None:
    """Raise :class:`~automata.errors.LimitReached` for more states than an automaton may have."""
    if states > MOST_STATES:
        count = f"{states:,}" if states < 10**24 else "more than 10^24"
        raise LimitReached(f"the automaton asks for {count} states; at most {MOST_STATES:,} are held")


Entry = tuple[int, int, Weight]
"""A row, a column and a weight."""


def _columns(
    group: Iterable[Entry], states: int, semiring: Semiring, exact: bool
) -> tuple[list[int], list[int], Weights]:
    """The rows, columns and weights of entries, each checked to be inside."""
    entries = list(group)
    weights: Weights = np.empty(len(entries), dtype=semiring.dtype(exact))
    for place, (i, j, weight) in enumerate(entries):
        if not (0 <= i < states and 0 <= j < states):
            state = i if not 0 <= i < states else j
            raise ShapeError(f"a weight names state {state}, where states are 0 to {states - 1}")
        weights[place] = semiring.exact(weight) if exact else float(weight)
    return [i for i, _, _ in entries], [j for _, j, _ in entries], weights


def require_wfsa(value: object) -> None:
    """Raise :class:`~automata.errors.InputError` for what is no automaton, such as a file's name.

    >>> require_wfsa("a.json")
    Traceback (most recent call last):
    automata.errors.InputError: 'a.json' is a str, where a WFSA is right: read gives the one in a file
    """
    if isinstance(value, WFSA):
        return
    makes_one = ": its to_wfsa makes one" if hasattr(value, "to_wfsa") else ""
    in_file = ": read gives the one in a file" if isinstance(value, str | PathLike) else ""
    raise InputError(
        f"{shorten(value)} is a {type(value).__name__}, where a WFSA is right{makes_one}{in_file}"
    )
