"""Conversion of user-supplied weights (numbers, strings, nested lists) to checked arrays of a semiring."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np

from automata.aliases import Weight, Weights, WeightsLike
from automata.errors import ShapeError, WeightError
from automata.semirings import Semiring
from automata.text.number_text import shorten, write_number


def raw_array(weights: WeightsLike, what: str, dimensions: int) -> Weights:
    try:
        array = np.array(weights) if isinstance(weights, np.ndarray) else np.array(weights, dtype=object)
    except ValueError:
        raise ShapeError(f"{what} must have rows of equal length") from None
    if array.ndim != dimensions and array.size == 0:
        array = array.reshape((0,) * dimensions)
    if 0 < array.ndim < dimensions and any(isinstance(row, (list, tuple)) for row in array):
        raise ShapeError(f"{what} must have rows of equal length")
    if array.ndim != dimensions:
        raise ShapeError(f"{what} must have {dimensions} dimension(s), got {array.ndim}")
    return array


def is_float(weight: Weight) -> bool:
    return isinstance(weight, (float, np.floating)) and not np.isinf(weight)


def has_floats(array: Weights) -> bool:
    if array.dtype == object:
        return any(map(is_float, array.flat))
    return bool(np.issubdtype(array.dtype, np.floating))


def checked(semiring: Semiring, array: Weights, exact: bool, where: str) -> Weights:
    """Validate an array of weights and return it with the semiring's dtype."""
    if array.dtype != object and not exact:
        bad = ~contained(semiring, np.asarray(array, dtype=np.float64))
        if bad.any():
            raise WeightError(
                f"{where}: weights of the {semiring.name} semiring must be {semiring.members}, got"
                f" {array[bad].flat[0]}"
            )
        return np.array(array, dtype=np.float64)

    if array.dtype == np.bool_ and semiring.dtype(exact) is np.bool_:
        return array.copy()  # booleans need no check

    out: Weights = np.empty(array.shape, dtype=semiring.dtype(exact))
    for index, weight in np.ndenumerate(array):
        value = as_weight(semiring, weight, f"{where}: ")
        out[index] = semiring.exact(value) if exact else as_float(value)
    return out


def as_weight(semiring: Semiring, weight: Weight, where: str = "") -> Weight:
    """Return a weight, which may be text or a NumPy scalar, as a number; raise WeightError if it is none."""
    value = semiring.parse(weight) if isinstance(weight, str) else weight
    value = value.item() if isinstance(value, np.generic) else value
    if not semiring.contains(value):
        raise WeightError(
            f"{where}weights of the {semiring.name} semiring must be {semiring.members}, got {shorten(value)}"
        )
    return as_float(value) if semiring.float_only else value


def as_float(weight: Weight) -> float:
    """Return the nearest float64; raise WeightError if the weight is beyond its range."""
    try:
        return float(weight)
    except OverflowError:
        raise WeightError(
            f"weight {shorten(write_number(weight))} must be in the range of float64, in which an automaton"
            " with float weights computes"
        ) from None


def contained(semiring: Semiring, array: Weights) -> Weights:
    low = semiring.contains(-np.inf)
    high = semiring.contains(np.inf)
    signs = array >= 0 if not semiring.contains(-1.0) else np.ones(array.shape, dtype=bool)
    return np.asarray(~np.isnan(array) & (low | (array > -np.inf)) & (high | (array < np.inf)) & signs)


def merged(semiring: Semiring, group: Sequence[tuple[int, int, Weight]]) -> list[tuple[int, int, Weight]]:
    """Sum the weights of one matrix by position and drop zeros; a sum of floats is rounded once."""
    weights_at: dict[tuple[int, int], list[Weight]] = {}
    for i, j, value in group:
        exact = value if is_float(value) or semiring.float_only else semiring.exact(value)
        weights_at.setdefault((i, j), []).append(exact)
    total = {position: _sum(semiring, weights) for position, weights in weights_at.items()}
    return [(i, j, w) for (i, j), w in total.items() if w != semiring.zero]


def given_several_times(group: Sequence[tuple[int, int, Weight]]) -> list[tuple[int, int, tuple[float, ...]]]:
    """Return the positions with several nonzero log weights, each with the sorted list of these weights."""
    weights_at: dict[tuple[int, int], list[float]] = {}
    for i, j, value in group:
        if value > -np.inf:
            weights_at.setdefault((i, j), []).append(value)
    return [(i, j, tuple(sorted(weights))) for (i, j), weights in weights_at.items() if len(weights) > 1]


def _sum(semiring: Semiring, weights: list[Weight]) -> Weight:
    if len(weights) == 1:
        return weights[0]
    if semiring.float_only:  # an exact sum does not exist
        return reduce(semiring.plus, sorted(weights))
    total = reduce(semiring.plus, map(semiring.exact, weights))
    if not any(map(is_float, weights)):
        return total
    try:
        return float(total)
    except OverflowError:
        raise WeightError(
            f"the sum of duplicate weights must be in float64's range, got {shorten(total)}"
        ) from None


MOST_NOTES = 5
"""Maximum number of warnings for one file."""


def warn_merged(
    where: str,
    transitions: Iterable[tuple[int, int, str]],
    initial: Iterable[int] = (),
    final: Iterable[int] = (),
    stacklevel: int = 3,
) -> None:
    """Warn about transitions and initial or final weights that occur several times.

    Their weights are merged by the semiring's plus.

    Args:
        where: the file's name in the warnings.
        transitions: source, target and symbol of each transition, as in the file.
        initial: the states of the initial weights.
        final: the states of the final weights.
        stacklevel: as in :func:`warnings.warn`; 2 is the caller of this function.
    """
    ends = Counter([("initial", q) for q in initial] + [("final", q) for q in final])
    arrows = Counter(transitions)
    named = [(f"the {name} weight of state {q}", count) for (name, q), count in ends.items() if count > 1]
    named += [
        (f"the transition {p} -> {q} on {shorten(s)}", count)
        for (p, q, s), count in arrows.items()
        if count > 1
    ]
    for what, count in named[:MOST_NOTES]:
        warnings.warn(
            f"{where}: {what} occurs {count} times; the weights are merged by the semiring's plus",
            stacklevel=stacklevel,
        )
    if len(named) > MOST_NOTES:
        warnings.warn(
            f"{where}: {len(named) - MOST_NOTES} more weights occur several times and are merged",
            stacklevel=stacklevel,
        )
