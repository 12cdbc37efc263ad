"""The pseudo automaton with its wildcards spelled out: which words each of them stands for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from automata.rules.syntax import WILDCARDS
from automata.rules.words import stands_for
from automata.semirings import BOOLEAN
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
    nothing = np.zeros((pseudo.states, pseudo.states), dtype=bool)
    united: dict[tuple[str, ...], np.ndarray] = {}
    transitions = {}
    for word in dict.fromkeys(vocabulary):
        letters = tuple(kind for kind in WILDCARDS if kind in pseudo.index and stands_for(kind, word))
        letters += (word,) if word in pseudo.index and word not in WILDCARDS else ()
        if letters not in united:
            united[letters] = np.logical_or.reduce([nothing, *(pseudo.matrix(letter) for letter in letters)])
        transitions[word] = united[letters]
    return WFSA(BOOLEAN, pseudo.initial, pseudo.final, transitions)
