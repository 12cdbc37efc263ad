"""Approximate factors of the transition tensor, by CP decomposition with fewer columns (section 3.2, with
tensorly), and their error.
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
    automaton: WFSA, rank: int, apart: Iterable[Hashable] = (), seed: int = 0
) -> tuple[Factors, float]:
    """Factors with ``rank`` columns at most, and their relative error ||T - T'|| / ||T|| over all words;
    exact ones where those need no more.

    Words with one matrix have one row, which counts as often as there are such words: the tensor that is
    decomposed has as many slices as there are different matrices.

    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> automaton = compiled(parse("$ * a b $ * c"), ["a", "b", "c", "d"])
    >>> cp_factors(automaton, 9)[1], 0 < cp_factors(automaton, 3)[1] < 1
    (0.0, True)

    Args:
        automaton: as for :func:`neural.fa_rnn.factors.exact_factors`.
        rank: r.
        apart: as for :func:`neural.fa_rnn.factors.exact_factors`.
        seed: of the initial factors.
    """
    if rank < 1:
        raise InputError(f"the rank is {rank}, where 1 or more is right")
    exact = exact_factors(automaton, apart)
    if exact.rank <= rank:
        return exact, 0.0
    require_extra("training", "a decomposition of a lower rank")
    import tensorly  # here, since it imports SciPy's optimisation: a third of a second
    from tensorly.decomposition import parafac

    rows, place, counts = np.unique(exact.words, axis=0, return_inverse=True, return_counts=True)
    slices = np.einsum("xr,ir,jr->xij", rows, exact.before, exact.after)
    weights = np.sqrt(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a rank above a mode's size, which is as meant
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
        exact, words=(words * scale / weights[:, None])[place.ravel()], before=before, after=after
    )
    off = np.einsum("xr,ir,jr->xij", words * scale, before, after) - slices * weights[:, None, None]
    return _balanced(factors), float(np.linalg.norm(off) / _norm(exact))


def _norm(factors: Factors) -> float:
    """||T|| over all words, the wildcard's matrix included."""
    columns = np.column_stack([factors.words, factors.stands])
    rows, counts = np.unique(columns, axis=0, return_counts=True)
    slices = (
        np.einsum("xr,ir,jr->xij", rows[:, :-1], factors.before, factors.after)
        + rows[:, -1, None, None] * factors.apart
    )
    return float(np.linalg.norm(slices * np.sqrt(counts)[:, None, None]))


def _balanced(factors: Factors) -> Factors:
    """The same tensor with columns of equal norm in all three factors, as the authors' program has them."""
    parts = (factors.words, factors.before, factors.after)
    norms = [np.maximum(np.linalg.norm(part, axis=0), 1e-12) for part in parts]
    mean = np.cbrt(norms[0] * norms[1] * norms[2])
    words, before, after = (part / norm * mean for part, norm in zip(parts, norms, strict=True))
    return replace(factors, words=words, before=before, after=after)
