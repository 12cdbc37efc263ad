"""Automata from automata: trim, reverse, sum, Hadamard product, scalar multiple, epsilon removal."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from automata.aliases import Symbol, Weight, Weights
from automata.errors import InputError
from automata.reachability import dead_states, reachable, steps
from automata.wfsa import WFSA


def trim(automaton: WFSA) -> WFSA:
    """Only the states on some path from an initial to a final state whose weights are none of them zero."""
    zero, step = automaton.semiring.zero, steps(automaton)
    keep = np.flatnonzero(
        reachable(automaton.initial != zero, step) & reachable(automaton.final != zero, step.T)
    )
    return automaton.replace(
        initial=automaton.initial[keep],
        final=automaton.final[keep],
        matrices=automaton.matrices[:, keep[:, None], keep],
        epsilon=None if automaton.epsilon is None else automaton.epsilon[keep[:, None], keep],
    )


def without_dead_ends(automaton: WFSA) -> WFSA:
    """The automaton without what leads to states from which no final state can be reached; states keep their
    numbers.
    """
    k, dead = automaton.semiring, dead_states(automaton)
    if not dead.any():
        return automaton
    initial, matrices = automaton.initial.copy(), automaton.matrices.copy()
    initial[dead] = k.zero
    matrices[:, :, dead] = k.zero
    silent = None if automaton.epsilon is None else automaton.epsilon.copy()
    if silent is not None:
        silent[:, dead] = k.zero
    return automaton.replace(initial=initial, matrices=matrices, epsilon=silent)


def reverse(automaton: WFSA) -> WFSA:
    """The automaton that gives to each string what ``automaton`` gives to its mirror image."""
    return automaton.replace(
        initial=automaton.final.copy(),
        final=automaton.initial.copy(),
        matrices=automaton.matrices.swapaxes(1, 2).copy(),
        epsilon=None if automaton.epsilon is None else automaton.epsilon.T.copy(),
    )


def sum_of(left: WFSA, right: WFSA) -> WFSA:
    """The automaton that scores A[x] (+) B[x]: both, side by side. Over the union of the alphabets."""
    left, right = _aligned(left, right)
    k, n = left.semiring, left.states + right.states

    def blocks(a: Weights, b: Weights) -> Weights:
        both = k.zeros(n, n, exact=left.exact)
        both[: len(a), : len(a)], both[len(a) :, len(a) :] = a, b
        return both

    matrices, index = _paired(left, right, blocks)
    silent = None
    if left.epsilon is not None or right.epsilon is not None:
        silent = blocks(_silent(left), _silent(right))
    return left.replace(
        initial=np.concatenate([left.initial, right.initial]),
        final=np.concatenate([left.final, right.final]),
        matrices=matrices,
        index=index,
        epsilon=silent,
    )


def hadamard(left: WFSA, right: WFSA) -> WFSA:
    """The automaton that scores A[x] (x) B[x]: both run in step, on pairs of states. Epsilon is removed
    first.
    """
    left, right = map(remove_epsilon, _aligned(left, right))
    k = left.semiring

    def pairs(a: Weights, b: Weights) -> Weights:
        n = len(a) * len(b)
        return np.asarray(k.times(a[:, None, :, None], b[None, :, None, :])).reshape(n, n)

    matrices, index = _paired(left, right, pairs)
    return left.replace(
        initial=np.asarray(k.times(left.initial[:, None], right.initial)).reshape(-1),
        final=np.asarray(k.times(left.final[:, None], right.final)).reshape(-1),
        matrices=matrices,
        index=index,
    )


def scale(automaton: WFSA, weight: Weight) -> WFSA:
    """The automaton that scores weight (x) A[x]."""
    k = automaton.semiring
    factor = k.exact(weight) if automaton.exact else float(weight)
    return automaton.replace(initial=np.asarray(k.times(factor, automaton.initial)))


def remove_epsilon(automaton: WFSA) -> WFSA:
    """The same scores without epsilon: silent moves are taken into the step before them, lambda E* and tau
    E*.
    """
    silent = automaton.closure
    if silent is None:
        return automaton
    k = automaton.semiring
    return automaton.replace(
        initial=k.matmul(automaton.initial[None, :], silent)[0],
        matrices=(
            np.stack([k.matmul(m, silent) for m in automaton.matrices])
            if len(automaton.matrices)
            else automaton.matrices
        ),
        epsilon=None,
    )


def _aligned(left: WFSA, right: WFSA) -> tuple[WFSA, WFSA]:
    """Both over one alphabet and in one kind of number."""
    if left.semiring is not right.semiring:
        raise InputError(
            f"one automaton is over the {left.semiring.name} semiring, the other over {right.semiring.name}"
        )
    both = dict.fromkeys([*left.alphabet, *right.alphabet])
    if left.exact != right.exact:
        left, right = left.to_exact(), right.to_exact()
    return left.over(both), right.over(both)


def _silent(automaton: WFSA) -> Weights:
    n = automaton.states
    return (
        automaton.semiring.zeros(n, n, exact=automaton.exact)
        if automaton.epsilon is None
        else automaton.epsilon
    )


def _paired(
    left: WFSA, right: WFSA, join: Callable[[Weights, Weights], Weights]
) -> tuple[Weights, dict[Symbol, int]]:
    """One joined matrix for each pair of matrices that some symbol has, so that what was shared stays
    shared.
    """
    place: dict[tuple[int, int], int] = {}
    index = {s: place.setdefault((left.index[s], right.index[s]), len(place)) for s in left.index}
    joined = [join(left.matrices[i], right.matrices[j]) for i, j in place]
    n = len(join(_silent(left), _silent(right)))
    return np.stack(joined) if joined else left.semiring.zeros(0, n, n, exact=left.exact), index
