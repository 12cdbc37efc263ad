"""FA-RNNs with weights 0 and 1, which count the accepting paths of an automaton.

Before Coq checks a network in binary32 (:mod:`ratproof.coq.rule_network`), this module finds everything that
the check needs: a map from the network's states to the automaton's states, and a bound on the counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from automata.aliases import Symbols, Weights
from automata.equivalence import Different, equivalent
from automata.errors import InputError
from automata.semirings import BOOLEAN, COUNTING
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA
from neural.fa_rnn.classifier import Classifier, RuleBlock

Bits = NDArray[np.uint32]
Counts = NDArray[np.int64]
ONE = 0x3F800000
"""The bits of 1 in binary32."""
TENSORS = {
    "before": "network.cell.before",
    "after": "network.cell.after",
    "wildcard": "network.cell.apart",
    "rules": "network.cell.rules",
    "stands": "network.cell.stands",
    "initial": "network.initial",
    "final": "network.final",
}
"""The name in a checkpoint of each tensor of :class:`RuleNetwork`."""
EXACT = 2**24
"""Integers below this number are exact in binary32."""


@dataclass(frozen=True)
class RuleNetwork:
    """The network of a classifier at beta = 1, without its readout, as the bits of its binary32 weights.

    Attributes:
        words: The words, in the order of the network.
        blocks: The rules that each score is about.
        before, after: The factors D_1 and D_2 of the transition tensor, shape ``(K, r)``.
        wildcard: The wildcard's matrix, shape ``(K, K)``.
        vectors: The distinct rows of the factor E_R, which has one row per word, shape ``(m, r)``.
        stands: Whether the wildcard matches the words with this row, shape ``(m,)``.
        vector_of: The index of each word's row in ``vectors``, shape ``(V,)``.
        initial, final: The initial weights, shape ``(K,)``, and the final weights of each score, ``(G, K)``.
    """

    words: tuple[str, ...]
    blocks: tuple[RuleBlock, ...]
    before: Bits
    after: Bits
    wildcard: Bits
    vectors: Bits
    stands: Bits
    vector_of: NDArray[np.int64]
    initial: Bits
    final: Bits

    @property
    def states(self) -> int:
        """Return the number of states, K."""
        return len(self.initial)

    def matrices(self) -> Counts:
        """Return the transition matrix of each row of ``vectors``, shape ``(m, K, K)``."""
        before, after, wildcard, vectors, stands = (
            (part == ONE).astype(np.int64)
            for part in (self.before, self.after, self.wildcard, self.vectors, self.stands)
        )
        return np.array(
            [(before * v) @ after.T + s * wildcard for v, s in zip(vectors, stands, strict=True)]
        ).reshape(-1, self.states, self.states)


@dataclass(frozen=True)
class PathAutomaton:
    """An automaton whose accepting paths are counted, with n states.

    Attributes:
        starts: The initial weights, shape ``(n,)``.
        matrices: The distinct transition matrices, shape ``(m, n, n)``.
        table_of: The index of the transition matrix of each word of the network, shape ``(V,)``.
        accepting: The final weights for each score, shape ``(G, n)``.
    """

    starts: Counts
    matrices: Counts
    table_of: NDArray[np.int64]
    accepting: Counts


@dataclass(frozen=True)
class Match:
    """A map from the states of a network to the states of an automaton.

    Attributes:
        state_of: The automaton's state for each state of the network, shape ``(K,)``.
        table_of_vector: The index of the automaton's matrix for each distinct row of E_R.
    """

    state_of: NDArray[np.int64]
    table_of_vector: tuple[int, ...]


def rule_network_of(model: Classifier) -> RuleNetwork:
    """Return the network of a classifier that was compiled from rules.

    Raises:
        InputError: If Coq's theory does not have this kind of network.
    """
    supported = (
        "--kernel supports FA-RNNs in float32 with beta = 1 and weights 0 and 1, as compiled from rules"
    )
    if model.network.initial.dtype != torch.float32:
        raise InputError(f"{supported}, got {model.network.initial.dtype}")
    if model.cell.beta != 1:
        raise InputError(f"{supported}, got beta = {model.cell.beta:g}")
    tensors = model.state_dict()
    bits = {
        field: np.ascontiguousarray(tensors[name].cpu().numpy()).view(np.uint32)
        for field, name in TENSORS.items()
    }
    for field, part in bits.items():
        wrong = part[(part != 0) & (part != ONE)]
        if len(wrong):
            value = wrong[:1].view(np.float32)[0]
            raise InputError(f"{supported}, got {value:.9g} in the tensor {TENSORS[field]}")
    rows, vector_of = np.unique(np.column_stack([bits["rules"], bits["stands"]]), axis=0, return_inverse=True)
    return RuleNetwork(
        tuple(map(str, model.network.words)),
        model.blocks,
        bits["before"],
        bits["after"],
        bits["wildcard"],
        rows[:, :-1],
        rows[:, -1],
        vector_of.reshape(-1),
        bits["initial"],
        bits["final"],
    )


def path_automaton(
    automaton: WFSA, words: Sequence[str], accepting: Sequence[Sequence[int]] | None = None
) -> PathAutomaton:
    """Convert an automaton to a :class:`PathAutomaton` over the words of a network.

    Args:
        automaton: A boolean or counting automaton without epsilon transitions.
        words: The words of the network, which must be the symbols of the automaton.
        accepting: The final states for each score. By default, there is one score with all final states.

    Raises:
        InputError: If the automaton is of a different kind, or its symbols are not the words.
    """
    if automaton.semiring not in (BOOLEAN, COUNTING) or automaton.has_epsilon:
        raise InputError(
            f"the automaton must be boolean or counting, without epsilon transitions, got {automaton!r}"
        )
    index = {str(symbol): table for symbol, table in automaton.index.items()}
    if differing := set(index) ^ set(words):
        raise InputError(
            "the symbols of the automaton must be the words of the network, got"
            f" {min(differing)!r} in only one of them"
        )
    final = _integers(automaton.final)
    rows = np.zeros((1 if accepting is None else len(accepting), automaton.states), dtype=np.int64)
    for row, states in zip(rows, [range(automaton.states)] if accepting is None else accepting, strict=True):
        row[list(states)] = final[list(states)]
    dense = _integers(automaton.matrices)
    distinct, where = np.unique(dense.reshape(len(dense), -1), axis=0, return_inverse=True)
    return PathAutomaton(
        _integers(automaton.initial),
        distinct.reshape(-1, automaton.states, automaton.states),
        where.reshape(-1)[[index[word] for word in words]],
        rows,
    )


def match(network: RuleNetwork, automaton: PathAutomaton) -> Match | None:
    """Return a map from the network's states to the automaton's that preserves numbers of paths, or None.

    The identity is tried first. Otherwise, the map is computed from a partition of the network's and the
    automaton's states. It is the coarsest one in which all states of a class have the same final weights and
    the same numbers of transitions to each class.
    """
    pairs = np.unique(np.column_stack([network.vector_of, automaton.table_of]), axis=0)
    if len(network.final) != len(automaton.accepting) or len(np.unique(pairs[:, 0])) < len(pairs):
        return None
    ours, theirs = network.matrices()[pairs[:, 0]], automaton.matrices[pairs[:, 1]]
    ends = (network.final == ONE).astype(np.int64), automaton.accepting
    starts = (network.initial == ONE).astype(np.int64)
    for state_of in (np.arange(network.states), _by_refinement(ours, theirs, *ends)):
        if state_of is None or state_of.max(initial=-1) >= len(automaton.starts):
            continue
        image = np.zeros((network.states, len(automaton.starts)), dtype=np.int64)
        image[np.arange(network.states), state_of] = 1
        if (
            np.array_equal(ours @ image, image @ theirs)
            and np.array_equal(starts @ image, automaton.starts)
            and np.array_equal(ends[0], ends[1] @ image.T)
        ):
            return Match(state_of, tuple(pairs[:, 1].tolist()))
    return None


def _by_refinement(
    ours: Counts, theirs: Counts, our_ends: Counts, their_ends: Counts
) -> NDArray[np.int64] | None:
    """Return, for each state of the network, a state of the automaton in the same class, or None.

    The classes are the coarsest partition in which states of the same class have the same final weights, and
    the same numbers of transitions to each class.
    """
    states = ours.shape[1]
    classes, before = np.unique(np.hstack([our_ends, their_ends]).T, axis=0, return_inverse=True)[1], -1
    classes = classes.reshape(-1)
    while classes.max(initial=0) != before:
        before = classes.max(initial=0)
        for one, other in zip(ours, theirs, strict=True):
            member = np.eye(classes.max(initial=0) + 1, dtype=np.int64)[classes]
            into = np.vstack([one @ member[:states], other @ member[states:]])
            classes = np.unique(np.column_stack([classes, into]), axis=0, return_inverse=True)[1].reshape(-1)
    first = {kind: q for q, kind in reversed(list(enumerate(classes[states:].tolist())))}
    if not set(classes[:states].tolist()) <= set(first):
        return None
    return np.array([first[kind] for kind in classes[:states].tolist()], dtype=np.int64)


def bounding_weights(network: RuleNetwork) -> list[int] | None:
    """Return a weight for each state such that no word increases the weighted sum of the counts, or None.

    The weights are at least 1 and the initial sum is below 2^24, so all counts stay exact.
    """
    matrices, initial = network.matrices(), network.initial == ONE
    weights = np.ones(network.states, dtype=np.int64)
    for _ in range(network.states + 1):
        larger = np.maximum(weights, (matrices @ weights).max(axis=0, initial=1))
        if np.array_equal(larger, weights):
            return [int(weight) for weight in weights] if weights[initial].sum() < EXACT else None
        weights = np.minimum(larger, EXACT)
    return None


def growth(network: RuleNetwork) -> int:
    """Return the least k such that no word multiplies the state's largest entry by more than 2^k."""
    return max(int(network.matrices().sum(axis=1).max(initial=1)) - 1, 0).bit_length()


def differing_word(network: RuleNetwork, automaton: PathAutomaton) -> tuple[int, Symbols] | None:
    """Return a score's index, and a string on which the score is not the automaton's number of paths.

    Return ``None`` if there is no such score.
    """
    pairs, first = np.unique(
        np.column_stack([network.vector_of, automaton.table_of]), axis=0, return_index=True
    )
    sides = (
        ((network.initial == ONE).astype(int), network.final == ONE, network.matrices()[pairs[:, 0]]),
        (automaton.starts, automaton.accepting, automaton.matrices[pairs[:, 1]]),
    )
    words = [network.words[i] for i in first.tolist()]
    for score in range(len(network.final)):
        one, other = (
            WFSA.of_tables(
                COUNTING,
                _exact(initial),
                _exact(final[score].astype(int)),
                [SparseMatrix.of_array(COUNTING, _exact(matrix)) for matrix in matrices],
                {word: i for i, word in enumerate(words)},
            )
            for initial, final, matrices in sides
        )
        answer = equivalent(one, other)
        if isinstance(answer, Different):
            return score, answer.word
    return None


def is_exact(network: RuleNetwork, word: Symbols) -> bool:
    """Return whether all counts of the network along a word are below 2^24, and thus exact in binary32."""
    matrices, index = network.matrices(), {symbol: i for i, symbol in enumerate(network.words)}
    counts = (network.initial == ONE).astype(np.int64)
    for symbol in word:
        counts = counts @ matrices[network.vector_of[index[str(symbol)]]]
        if counts.sum() >= EXACT:
            return False
    return True


def _integers(weights: Weights) -> Counts:
    if (weights >= EXACT).any():
        raise InputError(f"the weights of the automaton must be below {EXACT}, got {weights.max()}")
    return weights.astype(np.int64)


def _exact(array: NDArray[np.int64]) -> NDArray[np.object_]:
    return np.array(array.tolist(), dtype=object).reshape(array.shape)
