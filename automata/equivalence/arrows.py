"""Automata as lists of transitions, in which symbols with the same matrices in all automata are merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from automata.aliases import Symbol, Weight
from automata.wfsa import WFSA


class ArrowRows(dict[int, list[tuple[int, Weight]]]):
    """The transitions by one symbol: for each source state, pairs of a target and a weight."""

    def __missing__(self, state: int) -> list[tuple[int, Weight]]:
        return []


@dataclass(frozen=True)
class Arrows:
    """The transitions of an automaton without epsilon transitions.

    Attributes:
        initial, final: weights other than zero, keyed by state.
        out: for each symbol index, a dictionary from source state to pairs of a target and a weight.
    """

    initial: dict[int, Weight]
    final: dict[int, Weight]
    out: list[ArrowRows]

    def mirrored(self) -> Arrows:
        """Return the transitions of the reversed automaton."""
        out = [ArrowRows() for _ in self.out]
        for mirror, rows in zip(out, self.out, strict=True):
            for q, row in rows.items():
                for r, weight in row:
                    mirror.setdefault(r, []).append((q, weight))
        return Arrows(self.final, self.initial, out)


def arrows(automata: Sequence[WFSA]) -> tuple[list[Arrows], list[Symbol]]:
    """Return the transitions of each automaton by group of symbols, and the first symbol of each group.

    The symbols of a group have equal matrices in every automaton (:func:`kinds`).
    """
    indices, first, _ = kinds(automata)
    return [_arrows_of(a, [kind[i] for kind in indices]) for i, a in enumerate(automata)], first


def _arrows_of(automaton: WFSA, indices: list[int]) -> Arrows:
    zero = automaton.semiring.zero
    # Along one path, logarithms are only added, which is exact in fractions.
    exact = Fraction if automaton.semiring.float_only else automaton.semiring.exact
    out = []
    for index in indices:
        table, rows = automaton.tables[index], ArrowRows()
        for q, r, w in zip(table.rows.tolist(), table.columns.tolist(), table.weights.tolist(), strict=True):
            rows.setdefault(q, []).append((r, exact(w)))
        out.append(rows)
    vectors = [
        {q: exact(w) for q, w in enumerate(part.tolist()) if w != zero}
        for part in (automaton.initial, automaton.final)
    ]
    return Arrows(vectors[0], vectors[1], out)


def kinds(automata: Sequence[WFSA]) -> tuple[list[tuple[int, ...]], list[Symbol], dict[Symbol, int]]:
    """Group the symbols of automata over the same alphabet by their matrices.

    >>> from automata.semirings import REAL
    >>> same = [[1]]
    >>> kinds([WFSA(REAL, [1], [1], {"a": same, "b": same, "c": [[2]]})])
    ([(0,), (1,)], ['a', 'c'], {'a': 0, 'b': 0, 'c': 1})

    Returns:
        Three values. The groups are in the order of their first symbols in the alphabet.

        - For each group, the index of its matrix in each automaton.
        - The first symbol of each group.
        - A dictionary from each symbol to the index of its group.
    """
    kind_of_indices: dict[tuple[int, ...], int] = {}
    first: list[Symbol] = []
    index: dict[Symbol, int] = {}
    for symbol in automata[0].index:
        indices = tuple(automaton.index[symbol] for automaton in automata)
        if indices not in kind_of_indices:
            kind_of_indices[indices] = len(kind_of_indices)
            first.append(symbol)
        index[symbol] = kind_of_indices[indices]
    return list(kind_of_indices), first, index
