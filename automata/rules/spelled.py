"""The pseudo automaton with its wildcards spelled out: which words each of them stands for."""

from __future__ import annotations

from collections.abc import Iterable

from automata.rules.syntax import WILDCARDS
from automata.rules.words import stands_for
from automata.semirings import BOOLEAN
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA


def spelled_out(pseudo: WFSA, vocabulary: Iterable[str]) -> WFSA:
    """The boolean automaton over a vocabulary in which a word goes wherever its own letter or a wildcard that
    stands for it goes.

    Or, not plus: with the wildcard's matrix *added* to a word's, as the authors do, ``$ | a`` would have two
    paths for ``a``.

    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> spelled_out(compiled(parse("$ * a"), None), ["a", "b"]).matrix("a").tolist()
    [[True, True], [False, False]]

    Args:
        pseudo: over words and the letters ``$``, ``%`` and ``&``; a word that the vocabulary lacks is left
            out.
        vocabulary: the words.
    """
    place: dict[tuple[str, ...], int] = {}
    index = {}
    for word in dict.fromkeys(vocabulary):
        letters = tuple(kind for kind in WILDCARDS if kind in pseudo.index and stands_for(kind, word))
        letters += (word,) if word in pseudo.index and word not in WILDCARDS else ()
        index[word] = place.setdefault(letters, len(place))
    tables = [_united(pseudo.states, [pseudo.table(letter) for letter in letters]) for letters in place]
    return WFSA.of_tables(BOOLEAN, pseudo.initial, pseudo.final, tables, index)


def _united(size: int, tables: Iterable[SparseMatrix]) -> SparseMatrix:
    """A transition wherever one of the tables has one."""
    pairs = [pair for t in tables for pair in zip(t.rows.tolist(), t.columns.tolist(), strict=True)]
    return SparseMatrix.of_pairs(size, pairs)
