"""A weighted finite-state automaton (Definition 2, Peng et al. 2018): immutable, and checked when it is
made.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from automata.aliases import Floats, Weight, Weights
from automata.epsilon import SilentClosure
from automata.errors import InputError, LimitReached, ShapeError, UnknownSymbol
from automata.io.drawing import Drawable
from automata.io.number_text import shorten
from automata.semirings import Semiring
from automata.symbols import EPSILON, unknown_symbol
from automata.table import Table
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
            the sum over all ways round converges (absolutely).

    Weights that are all integers, fractions, strings or infinities make an exact automaton; one float (that
    is not an infinity) makes a float64 automaton. See :meth:`to_exact` and :meth:`to_float`.

    Raises:
        ShapeError: the shapes do not fit together.
        WeightError: a weight is not in the semiring, NaN included.
        EpsilonCycle: a cycle of epsilon transitions has no sum in the semiring.

    Attributes:
        semiring: the semiring.
        initial, final: read-only arrays, shape ``(n,)``.
        tables: the *distinct* matrices, each as its entries other than zero.
        index: for each symbol the place of its matrix in ``tables``; its order is the alphabet's.
        silent: the epsilon transitions likewise, or ``None`` where there is none.
        exact: are the weights exact (else float64)?
        summands: over log, the weights that were given several times in one place, each with its symbol
            (``initial`` and ``final`` weights with ``None``), its states and all that was given: their sum is
            irrational, and the automaton has it rounded. ``None``: there were some, before an operation.
    """

    semiring: Semiring
    initial: Weights
    final: Weights
    tables: tuple[Table, ...]
    index: Mapping[Hashable, int]
    silent: Table | None
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
        distinct: dict[int, int] = {}
        arrays: list[ArrayLike] = []
        index: dict[Hashable, int] = {}
        for symbol, matrix in transitions.items():
            if symbol == EPSILON:
                raise InputError('the symbol "" is kept for epsilon; give its matrix as the argument epsilon')
            if id(matrix) not in distinct:
                distinct[id(matrix)] = len(arrays)
                arrays.append(matrix)
            index[symbol] = distinct[id(matrix)]
        start, end = raw_array(initial, "initial", 1), raw_array(final, "final", 1)
        n = len(start)
        stack = [raw_array(matrix, "a symbol's matrix", 2) for matrix in arrays]
        silent = None if epsilon is None else raw_array(epsilon, "epsilon", 2)
        parts = [start, end, *stack, *([] if silent is None else [silent])]
        for part, what, shape in [
            (end, "final", (n,)),
            *(
                (matrix, f"the matrix of symbol {_user_of(index, i)!r}", (n, n))
                for i, matrix in enumerate(stack)
            ),
            *([] if silent is None else [(silent, "epsilon", (n, n))]),
        ]:
            if part.shape != shape:
                raise ShapeError(f"{what} has shape {part.shape}, where {n} initial weights ask for {shape}")
        exact = semiring.exact_only or not (semiring.float_only or any(map(has_floats, parts)))
        names = [
            "initial",
            "final",
            *(f"the matrix of symbol {_user_of(index, i)!r}" for i in range(len(stack))),
        ]
        clean = [
            checked(semiring, p, exact, name) for p, name in zip(parts, [*names, "epsilon"], strict=False)
        ]
        matrices = np.stack(clean[2 : 2 + len(stack)]) if stack else semiring.zeros(0, n, n, exact=exact)
        self._fill(semiring, clean[0], clean[1], index, matrices, clean[-1] if silent is not None else None)

    def _fill(
        self,
        semiring: Semiring,
        initial: Weights,
        final: Weights,
        index: Mapping[Hashable, int],
        transitions: Weights | Sequence[Table],
        epsilon: Weights | Table | None,
        summands: frozenset[Summands] | None = frozenset(),
    ) -> None:
        """Transitions are an array of shape ``(m, n, n)``, or tables; epsilon an array or a table."""
        if isinstance(transitions, np.ndarray):
            transitions.flags.writeable = False
            self.__dict__["matrices"] = transitions
            tables = tuple(Table.of_array(semiring, matrix) for matrix in transitions)
        else:
            tables = tuple(transitions)
        if isinstance(epsilon, np.ndarray):
            epsilon.flags.writeable = False
            epsilon = Table.of_array(semiring, epsilon)
        for array in (initial, final):
            array.flags.writeable = False
        values = {
            "semiring": semiring,
            "initial": initial,
            "final": final,
            "tables": tables,
            "index": dict(index),
            "silent": epsilon if epsilon is not None and len(epsilon) else None,
            "exact": semiring.exact_only or initial.dtype == object,
            "summands": summands,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.silent is not None:
            _ = self.silent_closure  # a divergent cycle is refused here, not at the first string

    def replace(self, **changes: Any) -> WFSA:
        """A copy with some of ``semiring, initial, final, index`` changed, the transitions as ``matrices`` or
        ``tables``, and epsilon as an array, ``epsilon``, or a table, ``silent``.

        For operations on automata, which keep shapes and weights sound; users construct with ``WFSA(...)``.
        """
        semiring = changes.get("semiring", self.semiring)
        kept = semiring.zero == self.semiring.zero
        transitions = changes.get("matrices", changes.get("tables"))
        if transitions is None:
            transitions = self.__dict__.get("matrices", self.tables) if kept else self.matrices
        epsilon = changes.get("epsilon") if "epsilon" in changes else changes.get("silent", self.silent)
        if not kept and epsilon is self.silent:
            epsilon = self.epsilon
        rest = {n: changes.get(n, getattr(self, n)) for n in ("initial", "final", "index")}
        automaton = object.__new__(WFSA)
        in_place = not self.summands or set(changes) <= {"index"}
        summands = changes.get("summands", self.summands if in_place else None)
        automaton._fill(semiring, **rest, transitions=transitions, epsilon=epsilon, summands=summands)
        return automaton

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
        automaton = object.__new__(cls)
        clean = [
            checked(semiring, np.asarray(a, dtype=np.float64), False, w)
            for a, w in ((initial, "initial"), (final, "final"), (matrices, "matrices"))
        ]
        automaton._fill(semiring, clean[0], clean[1], index, clean[2], None)
        return automaton

    @classmethod
    def of_tables(
        cls,
        semiring: Semiring,
        initial: Weights,
        final: Weights,
        tables: Sequence[Table],
        index: Mapping[Any, int],
        silent: Table | None = None,
    ) -> WFSA:
        """An automaton from ready parts, for constructions that make sound ones.

        Args:
            semiring: of the weights.
            initial: shape ``(n,)``, of the semiring's dtype.
            final: shape ``(n,)``.
            tables: the distinct matrices, of n rows each.
            index: for each symbol the place of its matrix.
            silent: the epsilon transitions.
        """
        automaton = object.__new__(cls)
        automaton._fill(semiring, initial, final, index, tables, silent)
        return automaton

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
        by_symbol: dict[Hashable, list[tuple[int, int, Weight]]] = {
            symbol: [] for symbol in [*order, EPSILON]
        }
        for source, target, symbol, weight in transitions:
            if symbol not in by_symbol:
                raise UnknownSymbol(f"a transition reads {shorten(symbol)}, which is not in the alphabet")
            by_symbol[symbol].append((source, target, weight))
        edges = {s: frozenset(merged(semiring, e)) for s, e in by_symbol.items()}
        ends = [[(q, 0, w) for q, w in pairs] for pairs in (initial, final)]
        vectors = [merged(semiring, pairs) for pairs in ends]
        floats = any(is_float(w) for group in (*edges.values(), *vectors) for _, _, w in group)
        exact = semiring.exact_only or not (semiring.float_only or floats)
        require_states(states)
        numbers = semiring.dtype(exact)

        def table(group: Iterable[tuple[int, int, Weight]]) -> Table:
            return Table.of_entries(states, *_columns(group, states, states, semiring, exact, numbers))

        def vector(pairs: Iterable[tuple[int, int, Weight]]) -> Weights:
            places, _, weights = _columns(pairs, states, 1, semiring, exact, numbers)
            result = semiring.zeros(states, exact=exact)
            result[places] = weights
            return result

        place = {group: i for i, group in enumerate(dict.fromkeys(edges[s] for s in order))}
        automaton = object.__new__(cls)
        automaton._fill(
            semiring,
            vector(vectors[0]),
            vector(vectors[1]),
            {s: place[edges[s]] for s in order},
            [table(group) for group in place],
            table(edges[EPSILON]) if edges[EPSILON] else None,
            frozenset(
                (*what, *one)
                for what, group in (
                    *(((symbol, None), group) for symbol, group in by_symbol.items()),
                    *(((None, name), pairs) for name, pairs in zip(("initial", "final"), ends, strict=True)),
                )
                for one in given_several_times(group)
            )
            if semiring.float_only
            else frozenset(),
        )
        return automaton

    def __setattr__(self, name: str, value: object) -> None:
        if name != "closure" and hasattr(self, name):
            raise AttributeError("an automaton is immutable; make another with WFSA(...)")
        object.__setattr__(self, name, value)

    @property
    def states(self) -> int:
        """The number of states, n."""
        return len(self.initial)

    @property
    def alphabet(self) -> tuple[Any, ...]:
        """The symbols, in order."""
        return tuple(self.index)

    @cached_property
    def matrices(self) -> Weights:
        """The distinct matrices as one read-only array, shape ``(m, n, n)``.

        Raises :class:`~automata.errors.LimitReached` where that would not fit.
        """
        require_room(self.semiring, self.states, len(self.tables), self.exact)
        dense = [table.dense(self.semiring) for table in self.tables]
        n = self.states
        cube = np.stack(dense) if dense else self.semiring.zeros(0, n, n, exact=self.exact)
        cube.flags.writeable = False
        return cube

    @cached_property
    def epsilon(self) -> Weights | None:
        """The matrix of the epsilon transitions, read-only, shape ``(n, n)``; ``None`` where there is
        none.
        """
        if self.silent is None:
            return None
        require_room(self.semiring, self.states, 1, self.exact)
        return self.silent.dense(self.semiring)

    @cached_property
    def closure(self) -> Weights | None:
        """The epsilon closure E* = I + E + EE + ..., shape ``(n, n)``; ``None`` where there is no epsilon."""
        return None if self.silent_closure is None else self.silent_closure.matrix

    @cached_property
    def silent_closure(self) -> SilentClosure | None:
        """The epsilon closure, as what vectors are multiplied by; ``None`` where there is no epsilon."""
        return None if self.silent is None else SilentClosure(self.semiring, self.silent, self.exact)

    def table(self, symbol: Hashable) -> Table:
        """The transitions tau(., ., symbol) other than zero."""
        if symbol not in self.index:
            raise unknown_symbol(self.index, symbol)
        return self.tables[self.index[symbol]]

    def matrix(self, symbol: Hashable) -> Weights:
        """The transition matrix tau(., ., symbol), shape ``(n, n)``."""
        table = self.table(symbol)
        require_room(self.semiring, self.states, 1, self.exact)
        return table.dense(self.semiring)

    @property
    def transitions(self) -> int:
        """How many transitions there are, epsilon among them."""
        counts = [len(self.tables[i]) for i in self.index.values()]
        return sum(counts) + (0 if self.silent is None else len(self.silent))

    def edges(self) -> Iterator[Edge]:
        """Every transition whose weight is not zero: by source, target, then symbol; epsilon first."""
        tables: list[tuple[Hashable, Table]] = [] if self.silent is None else [(EPSILON, self.silent)]
        tables += [(symbol, self.tables[i]) for symbol, i in self.index.items()]
        if not tables:
            return
        sizes = [len(table) for _, table in tables]
        which = np.repeat(np.arange(len(tables)), sizes)
        rows, columns = (np.concatenate([getattr(t, n) for _, t in tables]) for n in ("rows", "columns"))
        entry = np.concatenate([np.arange(size) for size in sizes])
        order = np.lexsort((which, columns, rows))
        parts = (part[order].tolist() for part in (rows, columns, which, entry))
        for row, column, place, number in zip(*parts, strict=True):
            symbol, table = tables[place]
            yield Edge(row, column, symbol, table.weights[number])

    def weighted_form(self, final: Collection[int] = ()) -> WFSA:
        """The automaton itself."""
        return self

    def to_exact(self) -> WFSA:
        """The same automaton over exact numbers: every float is the dyadic fraction that it is."""
        return self if self.exact else self._map(np.frompyfunc(self.semiring.exact, 1, 1), object)

    def to_float(self) -> WFSA:
        """The automaton with every weight rounded to the nearest float64."""
        if not self.exact:
            return self
        if self.semiring.exact_only:
            raise InputError(f"the {self.semiring.name} semiring has no float64 automata")
        return self._map(np.frompyfunc(float, 1, 1), np.float64)

    def _map(self, function: Any, dtype: type) -> WFSA:
        k = self.semiring
        initial: Weights = np.asarray(function(self.initial), dtype=dtype)
        final: Weights = np.asarray(function(self.final), dtype=dtype)
        silent = None if self.silent is None else self.silent.mapped(k, function, dtype)
        tables = [table.mapped(k, function, dtype) for table in self.tables]
        return self.replace(initial=initial, final=final, tables=tables, silent=silent)

    def over(self, alphabet: Iterable[Hashable]) -> WFSA:
        """The same automaton over a larger alphabet, in the given order; new symbols have no transition."""
        order = dict.fromkeys(alphabet)
        missing = [s for s in self.index if s not in order]
        if missing:
            raise UnknownSymbol(f"the new alphabet lacks {shorten(missing[0])}, which the automaton reads")
        fresh = [s for s in order if s not in self.index]
        place = len(self.tables)
        blank = [Table.empty(self.states, self.initial.dtype)] if fresh else []
        index = {s: self.index.get(s, place) for s in order}
        return self.replace(tables=[*self.tables, *blank], index=index, summands=self.summands)

    def __eq__(self, other: object) -> bool:
        """The same weights on the same states and the same alphabet in the same order (not mere
        equivalence).
        """
        if not isinstance(other, WFSA):
            return NotImplemented
        same = (self.semiring, self.exact, self.states, self.alphabet) == (
            other.semiring,
            other.exact,
            other.states,
            other.alphabet,
        )
        return (
            same
            and bool((self.initial == other.initial).all() and (self.final == other.final).all())
            and _same(self.silent, other.silent)
            and all(_same(self.table(s), other.table(s)) for s in self.index)
        )

    def __hash__(self) -> int:
        return hash((self.semiring.name, self.states, self.alphabet))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (
            self.semiring,
            self.initial,
            self.final,
            dict(self.index),
            self.__dict__.get("matrices", self.tables),
            self.silent,
            self.summands,
        )

    def __repr__(self) -> str:
        n, m = self.states, len(self.index)
        extra = "" if self.silent is None else ", with epsilon"
        kind = "exact" if self.exact else "float64"
        return (
            f"<WFSA: {_plural(n, 'state')}, {_plural(m, 'symbol')}, {self.semiring.name} semiring,"
            f" {kind}{extra}>"
        )


def require_room(semiring: Semiring, states: int, matrices: int, exact: bool = True) -> None:
    """Raise :class:`~automata.errors.LimitReached`, before anything of that size is made, for more weights
    than arrays may hold.

    Args:
        semiring: of the weights.
        states: their number, n.
        matrices: distinct ones, shape ``(n, n)``.
        exact: are the weights exact?
    """
    most, cells = most_cells(semiring, exact), states * states * matrices
    if cells > most:
        size = (
            f"{cells:,} weights ({states:,} x {states:,} for each distinct matrix)"
            if states < 10**12
            else "more than 10^24 weights"
        )
        raise LimitReached(f"the automaton asks for {size}; at most {most:,} are held")


def require_cells(semiring: Semiring, cells: int, exact: bool, what: str) -> None:
    """The same for an array of so many weights that is no automaton's."""
    most = most_cells(semiring, exact)
    if cells > most:
        count = f"{cells:,}" if cells < 10**24 else "more than 10^24"
        raise LimitReached(f"{what} asks for {count} weights; at most {most:,} are held")


def most_cells(semiring: Semiring, exact: bool) -> int:
    """The weights that arrays may hold."""
    return MOST_EXACT_CELLS if semiring.dtype(exact) is object else MOST_CELLS


def require_states(states: int) -> None:
    """Raise :class:`~automata.errors.LimitReached` for more states than an automaton may have."""
    if states > MOST_STATES:
        count = f"{states:,}" if states < 10**24 else "more than 10^24"
        raise LimitReached(f"the automaton asks for {count} states; at most {MOST_STATES:,} are held")


def _columns(
    group: Iterable[tuple[int, int, Weight]],
    rows: int,
    columns: int,
    semiring: Semiring,
    exact: bool,
    numbers: type,
) -> tuple[list[int], list[int], Weights]:
    """The rows, columns and weights of entries, each checked to be inside."""
    entries = list(group)
    for i, j, _ in entries:
        if not (0 <= i < rows and 0 <= j < columns):
            state = i if not 0 <= i < rows else j
            raise ShapeError(f"a weight names state {state}, where states are 0 to {rows - 1}")
    weights: Weights = np.empty(len(entries), dtype=numbers)
    for place, (_, _, weight) in enumerate(entries):
        weights[place] = semiring.exact(weight) if exact else float(weight)
    return [i for i, _, _ in entries], [j for _, j, _ in entries], weights


def _same(one: Table | None, other: Table | None) -> bool:
    return (one is None and other is None) or (one is not None and other is not None and one.same(other))


def _restore(semiring: Semiring, *parts: Any) -> WFSA:
    automaton = object.__new__(WFSA)
    automaton._fill(semiring, *parts)
    return automaton


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _user_of(index: Mapping[Hashable, int], place: int) -> Hashable:
    return next(symbol for symbol, i in index.items() if i == place)


def require_wfsa(value: Any) -> None:
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
