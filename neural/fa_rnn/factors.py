"""Exact factors of an automaton's transition tensor T (Jiang et al. 2020, section 3.2).

The factors are three matrices. T[x, i, j], the weight of the transition from state i to state j with the word
x, is the sum over r of E_R[x, r] D_1[i, r] D_2[j, r].

>>> from automata.rules.compiling import compiled
>>> from automata.rules.parser import parse
>>> factors = exact_factors(compiled(parse("$ * a b $ *"), ["a", "b", "c"]))
>>> factors.rank, factors.words.shape, factors.before.shape
(5, (3, 5), (3, 5))
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from automata.errors import InputError
from automata.semirings import BOOLEAN, COUNTING, REAL
from automata.wfsa import WFSA

Floats = NDArray[np.float64]
Term = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Factors:
    """The factors E_R, D_1 and D_2 of a transition tensor of rank at most r, and the wildcard's matrix.

    Attributes:
        words: E_R, shape ``(V, r)``, in the order of the automaton's alphabet.
        before: D_1, for the source state, shape ``(K, r)``.
        after: D_2, for the target state, shape ``(K, r)``.
        apart: the wildcard's matrix, shape ``(K, K)``, which is added to the matrices of some words; zero if
            the factors include it.
        stands: 1 for the words to whose matrices ``apart`` is added, else 0, shape ``(V,)``.
    """

    words: Floats
    before: Floats
    after: Floats
    apart: Floats
    stands: Floats

    @property
    def rank(self) -> int:
        """Return r, the number of columns of each factor."""
        return self.words.shape[1]

    def matrix(self, word: int) -> Floats:
        """Return the matrix of the transitions with the word of this index, shape ``(K, K)``."""
        matrix: Floats = (self.before * self.words[word]) @ self.after.T + self.stands[word] * self.apart
        return matrix


def exact_factors(automaton: WFSA, wildcard_words: Iterable[Hashable] = ()) -> Factors:
    """Return factors that reproduce the automaton's tensor exactly.

    Each nonzero entry of the tensor comes from one column of the factors. At most min(V K, K K) columns are
    needed: one for each word and source state, or one for each pair of states. Fewer columns suffice if words
    have transitions in common. Pairs of states can share a column if the same words connect them with the
    same weights. They must be all pairs of a source in one set of states and a target in another set. The
    function chooses these sets in three ways, and returns the result with the fewest columns.

    Args:
        automaton: boolean (zeros and ones), counting or real, without epsilon transitions.
        wildcard_words: words whose common transitions are stored separately from the factors (``apart``), as
            in the authors' program.

    Raises:
        InputError: If the automaton is over a different semiring, has epsilon transitions, or has no states.
    """
    if automaton.semiring not in (BOOLEAN, COUNTING, REAL) or automaton.has_epsilon:
        raise InputError(
            f"the automaton must be real, counting or boolean, without epsilon transitions, got {automaton!r}"
        )
    if not automaton.states:
        raise InputError("the automaton must have at least one state")
    k, words = automaton.states, list(automaton.index)
    matrices = automaton.matrices.astype(np.float64)
    wild = set(wildcard_words)
    stands = np.array([word in wild for word in words], dtype=np.float64)
    # Letters: classes of words that have the same matrix and the same use of the wildcard.
    classes = list(zip(automaton.index.values(), stands.tolist(), strict=True))
    index = {key: number for number, key in enumerate(dict.fromkeys(classes))}
    inside = [matrices[matrix] for matrix, stand in index if stand]
    common = (
        np.where((np.array(inside) == inside[0]).all(axis=0), inside[0], 0.0) if inside else np.zeros((k, k))
    )
    letters = np.array([matrices[matrix] - stand * common for matrix, stand in index]).reshape(-1, k, k)
    ways = (_by_pair(letters, rows=True), _by_pair(letters, rows=False), _by_letter(letters))
    terms = min(ways, key=len)
    e, before, after = (
        np.array([term[i] for term in terms]).reshape(len(terms), size).T
        for i, size in ((0, len(letters)), (1, k), (2, k))
    )
    return Factors(e[[index[key] for key in classes]], before.copy(), after.copy(), common, stands)


def side_by_side(one: Factors, other: Factors) -> Factors:
    """Combine the factors of two networks in block-diagonal matrices (equation 10).

    The columns and states of ``other`` follow those of ``one``. The wildcard must stand for the same words in
    both networks.
    """
    return Factors(
        np.concatenate([one.words, other.words], axis=1),
        _blocks(one.before, other.before),
        _blocks(one.after, other.after),
        _blocks(one.apart, other.apart),
        one.stands,
    )


def _blocks(one: Floats, other: Floats) -> Floats:
    """Return the block-diagonal matrix [[one, 0], [0, other]]."""
    right_block, below = np.zeros((len(one), other.shape[1])), np.zeros((len(other), one.shape[1]))
    return np.block([[one, right_block], [below, other]])


def _by_pair(letters: Floats, rows: bool) -> list[Term]:
    """Return the columns of exact factors, one for each group of pairs of a source and a target state.

    A letter is a class of words with the same matrix and the same use of the wildcard. The pairs of a group
    are connected by the same letters with the same weights. If ``rows`` is true, a group contains all sources
    that these letters connect to the same set of targets. Otherwise, it contains all targets that they
    connect to the same set of sources.
    """
    pairs: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    for i, j in zip(*np.nonzero(letters.any(axis=0)), strict=True):
        pairs[letters[:, i, j].tobytes()].append((int(i), int(j)))
    terms: list[Term] = []
    for key, connected in pairs.items():
        weights = np.frombuffer(key)
        near: dict[int, list[int]] = defaultdict(list)
        for i, j in connected:
            near[i if rows else j].append(j if rows else i)
        blocks: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for state, others in near.items():
            blocks[tuple(sorted(others))].append(state)
        for block, own in blocks.items():
            one, other = _indicator(letters, own), _indicator(letters, block)
            terms.append((weights, *((one, other) if rows else (other, one))))
    return terms


def _by_letter(letters: Floats) -> list[Term]:
    """Return the columns of exact factors, one for each letter and each distinct row of its matrix.

    A letter is a class of words with the same matrix and the same use of the wildcard.
    """
    terms: list[Term] = []
    for number, matrix in enumerate(letters):
        rows: dict[bytes, list[int]] = defaultdict(list)
        for i in np.flatnonzero(matrix.any(axis=1)):
            rows[matrix[i].tobytes()].append(int(i))
        terms += [
            (np.eye(len(letters))[number], _indicator(letters, own), np.frombuffer(row))
            for row, own in rows.items()
        ]
    return terms


def _indicator(letters: Floats, states: Sequence[int]) -> Floats:
    vector = np.zeros(letters.shape[1])
    vector[list(states)] = 1.0
    return vector
