"""Approximation of an automaton's transition tensor by factors with fewer columns.

The factors are computed by CP decomposition (Jiang et al. 2020, section 3.2) with tensorly.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from dataclasses import replace

import numpy as np

from automata.errors import InputError
from automata.extras import require_extra
from automata.wfsa import WFSA
from neural.fa_rnn.factors import Factors, exact_factors

ITERATIONS = 100


def cp_factors(
    automaton: WFSA, rank: int, wildcard_words: Iterable[Hashable] = (), seed: int = 0
) -> tuple[Factors, float]:
    """Compute factors with at most ``rank`` columns of the transition tensor T, and their relative error.

    The error is ||T - T'|| / ||T|| over all words, where T' is the product of the factors. If ``rank``
    columns suffice for exact factors, the factors are exact and the error is 0. The decomposed tensor has one
    slice for each distinct matrix, weighted by the number of words with this matrix.

    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> automaton = compiled(parse("$ * a b $ * c"), ["a", "b", "c", "d"])
    >>> cp_factors(automaton, 9)[1], 0 < cp_factors(automaton, 3)[1] < 1
    (0.0, True)

    Args:
        automaton: as for :func:`neural.fa_rnn.factors.exact_factors`.
        rank: r.
        wildcard_words: as for :func:`neural.fa_rnn.factors.exact_factors`.
        seed: the seed of the initial factors.
    """
    if rank < 1:
        raise InputError(f"rank must be at least 1, got {rank}")
    exact = exact_factors(automaton, wildcard_words)
    if exact.rank <= rank:
        return exact, 0.0
    require_extra("training", "a low-rank decomposition")
    import tensorly  # imported here because it imports SciPy's optimisation, which takes a third of a second
    from tensorly.decomposition import parafac

    rows, inverse, counts = np.unique(exact.words, axis=0, return_inverse=True, return_counts=True)
    slices = np.einsum("xr,ir,jr->xij", rows, exact.before, exact.after)
    weights = np.sqrt(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tensorly warns if the rank exceeds a dimension, which is intended
        start = np.random.RandomState(seed)
        decomposition = parafac(
            tensorly.tensor(slices * weights[:, None, None]),
            rank,
            n_iter_max=ITERATIONS,
            init="random",
            random_state=start,
        )
    scale, (words, before, after) = decomposition.weights, decomposition.factors
    factors = replace(
        exact, words=(words * scale / weights[:, None])[inverse.ravel()], before=before, after=after
    )
    off = np.einsum("xr,ir,jr->xij", words * scale, before, after) - slices * weights[:, None, None]
    return _balanced(factors), float(np.linalg.norm(off) / _norm(exact))


def _norm(factors: Factors) -> float:
    """Return the norm of the tensor of these factors over all words, including the wildcard's matrix."""
    columns = np.column_stack([factors.words, factors.stands])
    rows, counts = np.unique(columns, axis=0, return_counts=True)
    slices = (
        np.einsum("xr,ir,jr->xij", rows[:, :-1], factors.before, factors.after)
        + rows[:, -1, None, None] * factors.apart
    )
    return float(np.linalg.norm(slices * np.sqrt(counts)[:, None, None]))


def _balanced(factors: Factors) -> Factors:
    """Rescale the factors without changing their tensor, as in the authors' program.

    Afterwards, column r has the same norm in all three factors, for every r.
    """
    parts = (factors.words, factors.before, factors.after)
    norms = [np.maximum(np.linalg.norm(part, axis=0), 1e-12) for part in parts]
    mean = np.cbrt(norms[0] * norms[1] * norms[2])
    words, before, after = (part / norm * mean for part, norm in zip(parts, norms, strict=True))
    return replace(factors, words=words, before=before, after=after)
