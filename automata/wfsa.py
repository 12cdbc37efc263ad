"""A weighted finite-state automaton (Definition 2, Peng et al. 2018): immutable, and checked when it is
made.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from automata.aliases import Floats, Weight, Weights
from automata.drawing import Drawable
from automata.epsilon import closure
from automata.errors import InputError, ShapeError, UnknownSymbol
from automata.number_text import shorten
from automata.semirings import Semiring
from automata.symbols import EPSILON, unknown_symbol
from automata.weights import checked, has_floats, is_float, merged, raw_array

MOST_CELLS = 1 << 28
"""The most weights that an automaton read from a file may hold, zeros too (2 GB of float64)."""
MOST_EXACT_CELLS = 1 << 25
"""The same for exact weights, which are Python objects."""
MOST_BOOLEANS = 1 << 31
"""The same for boolean automata that are made on the way to another one (2 GB)."""


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
        matrices: the *distinct* matrices, read-only, shape ``(m, n, n)``.
        index: for each symbol the place of its matrix in ``matrices``; its order is the alphabet's.
        epsilon: read-only, shape ``(n, n)``, or ``None`` where there is no epsilon transition.
        exact: are the weights exact (else float64)?
    """

    semiring: Semiring
    initial: Weights
    final: Weights
    matrices: Weights
    index: Mapping[Hashable, int]
    epsilon: Weights | None
    exact: bool

    def __init__(
        self,
        semiring: Semiring,
        initial: ArrayLike,
        final: ArrayLike,
        transitions: Mapping[Any, ArrayLike],
        epsilon: ArrayLike | None = None,
    ) -> None:
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
        self._fill(semiring, clean[0], clean[1], matrices, index, clean[-1] if silent is not None else None)

    def _fill(
        self,
        semiring: Semiring,
        initial: Weights,
        final: Weights,
        matrices: Weights,
        index: Mapping[Hashable, int],
        epsilon: Weights | None,
    ) -> None:
        if epsilon is not None and not bool((epsilon != semiring.zero).any()):
            epsilon = None
        exact = semiring.exact_only or initial.dtype == object
        for array in (initial, final, matrices, *([] if epsilon is None else [epsilon])):
            array.flags.writeable = False
        values = {
            "semiring": semiring,
            "initial": initial,
            "final": final,
            "matrices": matrices,
            "index": dict(index),
            "epsilon": epsilon,
            "exact": exact,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if epsilon is not None:
            _ = self.closure  # a divergent cycle is refused here, not at the first string

    def replace(self, **changes: Any) -> WFSA:
        """A copy with some of ``semiring, initial, final, matrices, index, epsilon`` changed.

        For operations on automata, which keep shapes and weights sound; users construct with ``WFSA(...)``.
        """
        automaton = object.__new__(WFSA)
        parts = {
            n: changes.get(n, getattr(self, n))
            for n in ("semiring", "initial", "final", "matrices", "index", "epsilon")
        }
        automaton._fill(**parts)
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
        automaton._fill(semiring, clean[0], clean[1], clean[2], index, None)
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
        vectors = [merged(semiring, [(q, 0, w) for q, w in pairs]) for pairs in (initial, final)]
        floats = any(is_float(w) for group in (*edges.values(), *vectors) for _, _, w in group)
        exact = semiring.exact_only or not (semiring.float_only or floats)
        n = states
        require_room(semiring, n, len(set(edges.values())) + 1, exact)

        def dense(group: Iterable[tuple[int, int, Weight]], columns: int) -> Weights:
            matrix = semiring.zeros(n, columns, exact=exact)
            for i, j, w in group:
                if not (0 <= i < n and 0 <= j < columns):
                    raise ShapeError(
                        f"a weight names state {i if not 0 <= i < n else j}, where states are 0 to {n - 1}"
                    )
                matrix[i, j] = semiring.exact(w) if exact else float(w)
            return matrix

        place = {group: i for i, group in enumerate(dict.fromkeys(edges[s] for s in order))}
        matrices = semiring.zeros(len(place), n, n, exact=exact)
        for group, i in place.items():
            matrices[i] = dense(group, n)
        automaton = object.__new__(cls)
        automaton._fill(
            semiring,
            dense(vectors[0], 1)[:, 0],
            dense(vectors[1], 1)[:, 0],
            matrices,
            {s: place[edges[s]] for s in order},
            dense(edges[EPSILON], n) if edges[EPSILON] else None,
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
    def closure(self) -> Weights | None:
        """The epsilon closure E* = I + E + EE + ..., shape ``(n, n)``; ``None`` where there is no epsilon."""
        return None if self.epsilon is None else closure(self.semiring, self.epsilon)

    def matrix(self, symbol: Hashable) -> Weights:
        """The transition matrix tau(., ., symbol), shape ``(n, n)``."""
        if symbol not in self.index:
            raise unknown_symbol(self.index, symbol)
        return np.asarray(self.matrices[self.index[symbol]])

    def edges(self) -> Iterator[Edge]:
        """Every transition whose weight is not zero: by source, target, then symbol; epsilon first."""
        tables: list[tuple[Hashable, Weights]] = [] if self.epsilon is None else [(EPSILON, self.epsilon)]
        tables += [(symbol, self.matrices[i]) for symbol, i in self.index.items()]
        present = [(s, t, np.argwhere(t != self.semiring.zero).tolist()) for s, t in tables]
        transitions = [Edge(q, r, s, t[q, r]) for s, t, places in present for q, r in places]
        rank = {s: k for k, (s, _, _) in enumerate(present)}
        return iter(sorted(transitions, key=lambda e: (e.source, e.target, rank[e.symbol])))

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
        names = ("initial", "final", "matrices") + (() if self.epsilon is None else ("epsilon",))
        return self.replace(**{n: np.asarray(function(getattr(self, n)), dtype=dtype) for n in names})

    def over(self, alphabet: Iterable[Hashable]) -> WFSA:
        """The same automaton over a larger alphabet, in the given order; new symbols have no transition."""
        order = dict.fromkeys(alphabet)
        missing = [s for s in self.index if s not in order]
        if missing:
            raise UnknownSymbol(f"the new alphabet lacks {shorten(missing[0])}, which the automaton reads")
        fresh = [s for s in order if s not in self.index]
        blank = self.semiring.zeros(1 if fresh else 0, self.states, self.states, exact=self.exact)
        place = len(self.matrices)
        return self.replace(
            matrices=np.concatenate([self.matrices, blank]),
            index={s: self.index.get(s, place) for s in order},
        )

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
            and (self.epsilon is None) == (other.epsilon is None)
            and (self.epsilon is None or bool((self.epsilon == other.epsilon).all()))
            and all(bool((self.matrix(s) == other.matrix(s)).all()) for s in self.index)
        )

    def __hash__(self) -> int:
        return hash((self.semiring.name, self.states, self.alphabet))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (
            self.semiring,
            self.initial,
            self.final,
            self.matrices,
            dict(self.index),
            self.epsilon,
        )

    def __repr__(self) -> str:
        n, m = self.states, len(self.index)
        extra = "" if self.epsilon is None else ", with epsilon"
        kind = "exact" if self.exact else "float64"
        return (
            f"<WFSA: {_plural(n, 'state')}, {_plural(m, 'symbol')}, {self.semiring.name} semiring,"
            f" {kind}{extra}>"
        )


def require_room(
    semiring: Semiring, states: int, matrices: int, exact: bool = True, most: int | None = None
) -> None:
    """Raise :class:`~automata.errors.InputError`, before anything of that size is made, for more weights than
    an automaton may hold.

    Args:
        semiring: of the weights.
        states: their number, n.
        matrices: distinct ones, shape ``(n, n)``.
        exact: are the weights exact?
        most: weights; without, what a file may ask for.
    """
    if most is None:
        most = MOST_EXACT_CELLS if semiring.dtype(exact) is object else MOST_CELLS
    cells = states * states * matrices
    if cells > most:
        size = (
            f"{cells:,} weights ({states:,} x {states:,} for each distinct matrix)"
            if states < 10**12
            else "more than 10^24 weights"
        )
        raise InputError(f"the automaton asks for {size}; at most {most:,} are held")


def _restore(*parts: Any) -> WFSA:
    automaton = object.__new__(WFSA)
    names = ("semiring", "initial", "final", "matrices", "index", "epsilon")
    automaton._fill(**dict(zip(names, parts, strict=True)))
    return automaton


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _user_of(index: Mapping[Hashable, int], place: int) -> Hashable:
    return next(symbol for symbol, i in index.items() if i == place)
