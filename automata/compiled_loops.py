"""Compiled inner loops of Forward for float64: strings run in parallel on all cores.

NumPy has no fast max-plus product, and its products of many small matrices are slow; ``nox -s bench``
measures both. The reference is ``automata/forward.py``. ``proofs_tests/automata/test_forward.py`` compares
them: bit for bit if only ``max`` and one addition are involved, otherwise within the derived bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from automata.semirings import MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, Semiring

Places = NDArray[np.intp]
Loop = Callable[[Floats, Floats, Floats, Places, Places], Floats]
Function = TypeVar("Function", bound=Callable[..., object])


def compiled(**options: object) -> Callable[[Function], Function]:
    """Return a decorator that compiles a function, and caches it if numba finds a writable folder."""

    def decorate(function: Function) -> Function:
        try:
            result: Function = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no cache folder is writable, as in many containers
            result = numba.njit(**options)(function)
        return result

    return decorate


_compiled = compiled(parallel=True, fastmath={"contract", "reassoc", "nsz"})
_without_nan = compiled(parallel=True, fastmath={"nsz", "nnan"})
_exactly = compiled(parallel=True, fastmath=False)


@_compiled
def _plus_times(
    initial: Floats, final: Floats, matrices: Floats, codes: Places, lengths: Places
) -> Floats:  # pragma: no cover (compiled)
    n = len(initial)
    scores = np.empty(len(codes))
    for b in numba.prange(len(codes)):
        omega, after = initial.copy(), np.empty(n)
        for t in range(lengths[b]):
            table = matrices[codes[b, t]]
            after[:] = 0.0
            for p in range(n):
                here = omega[p]
                for q in range(n):
                    after[q] += here * table[p, q]
            omega, after = after, omega
        total = 0.0
        for q in range(n):
            total += omega[q] * final[q]
        scores[b] = total
    return scores


@_without_nan
def _max_plus(
    initial: Floats, final: Floats, matrices: Floats, codes: Places, lengths: Places
) -> Floats:  # pragma: no cover (compiled)
    n = len(initial)
    scores = np.empty(len(codes))
    for b in numba.prange(len(codes)):
        omega, after = initial.copy(), np.empty(n)
        for t in range(lengths[b]):
            table = matrices[codes[b, t]]
            after[:] = -np.inf
            # two states at a time, which halves the traffic to ``after``
            for pair in range(n // 2):
                left, right = omega[2 * pair], omega[2 * pair + 1]
                from_left, from_right = table[2 * pair], table[2 * pair + 1]
                for q in range(n):
                    way, other = left + from_left[q], right + from_right[q]
                    way = way if way > other else other
                    after[q] = after[q] if after[q] > way else way
            if n % 2:
                left, from_left = omega[n - 1], table[n - 1]
                for q in range(n):
                    way = left + from_left[q]
                    after[q] = after[q] if after[q] > way else way
            omega, after = after, omega
        best = -np.inf
        for q in range(n):
            way = omega[q] + final[q]
            best = best if best > way else way
        scores[b] = best
    return scores


@_exactly
def _max_times(
    initial: Floats, final: Floats, matrices: Floats, codes: Places, lengths: Places
) -> Floats:  # pragma: no cover (compiled)
    n = len(initial)
    scores = np.empty(len(codes))
    for b in numba.prange(len(codes)):
        omega, after = initial.copy(), np.empty(n)
        for t in range(lengths[b]):
            table = matrices[codes[b, t]]
            after[:] = 0.0
            for p in range(n):
                here = omega[p]
                for q in range(n):
                    way = here * table[p, q]
                    # infinity times zero is NaN and stays NaN, as in NumPy
                    if way > after[q] or way != way:
                        after[q] = way
            omega, after = after, omega
        best = 0.0
        for q in range(n):
            way = omega[q] * final[q]
            if way > best or way != way:
                best = way
        scores[b] = best
    return scores


def _min_plus(initial: Floats, final: Floats, matrices: Floats, codes: Places, lengths: Places) -> Floats:
    return -_max_plus(-initial, -final, -matrices, codes, lengths)


def loop_for(semiring: Semiring, weights: Sequence[Floats], longest: int) -> Loop | None:
    """Return the compiled loop for these weights; ``None`` if there is none or tropical sums may overflow."""
    if semiring.selective and semiring.log_sign:
        largest = max(np.abs(part[np.isfinite(part)]).max(initial=0.0) for part in weights)
        if largest >= np.finfo(np.float64).max / (4 * (longest + 2)):
            return None
    return LOOPS.get(semiring)


LOOPS: dict[Semiring, Loop] = {
    REAL: _plus_times,
    MAX_PLUS: _max_plus,
    MIN_PLUS: _min_plus,
    MAX_TIMES: _max_times,
}
"""The compiled loops, keyed by semiring.

A loop maps (initial, final, matrices, codes, lengths) to the scores of the strings.
"""
