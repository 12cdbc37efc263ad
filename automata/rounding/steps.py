"""Forward steps with bounds on their rounding errors, over the real and the max-plus semiring.

``automata/rounding/bounds.py`` accumulates these steps.

>>> from automata.semirings import MAX_PLUS
>>> from automata.wfsa import WFSA
>>> third = WFSA(MAX_PLUS, [0], [0], {"a": [[1 / 3]]})
>>> steps = MaxPlusSteps(third, FLOAT64, None)
>>> once = steps.step(np.array([[1.0]]), np.zeros((1, 1)), np.array([0]))
>>> bool(once[1] >= 2.0**-53)
True
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats, Weights
from automata.errors import ShapeError
from automata.rounding.formats import FLOAT64, Format, representation_error, upper
from automata.semirings import MAX_PLUS, REAL, Semiring
from automata.strings import Batch
from automata.wfsa import WFSA

# The bounds themselves are computed in float64; a step's own rounding errors are far below this factor.
_OUTWARD = 1 + 2.0**-40
NUMBERS_AT_ONCE = 2**16
"""Number of vector components in a block of :meth:`_Steps.blocks`, for speed."""


@dataclass(frozen=True)
class Deviation:
    """Bounds on the difference between an automaton's weights and those of the float computation.

    Attributes:
        matrices: like ``WFSA.matrices``, shape ``(m, n, n)``, nonnegative.
        initial: shape ``(n,)``.
        final: shape ``(n,)``; ``None`` for zero.
        epsilon: like ``WFSA.epsilon``, shape ``(n, n)``. Pass it only if the computation follows epsilon
            transitions like :meth:`_Steps.closed`: state by state, in increasing order.
    """

    matrices: Floats
    initial: Floats
    final: Floats | None = None
    epsilon: Floats | None = None


@dataclass(frozen=True)
class RoundingBlock:
    """Forward vectors of prefixes of a batch's strings.

    Attributes:
        steps, strings: the length of each prefix and the index of its string; shape ``(prefixes,)``.
        omega, error: the vectors and the bounds on their errors, shape ``(prefixes, n)``. For several
            automata (groups), the shape is ``(prefixes * groups, n)``, and the rows of a prefix are adjacent.
    """

    steps: NDArray[np.intp]
    strings: NDArray[np.intp]
    omega: Weights
    error: Floats


class _Steps:
    """The weights of an automaton, their magnitudes and errors, and one step of Forward on them."""

    def __init__(self, automaton: WFSA, computed_in: Format, deviation: Deviation | None) -> None:
        self.automaton, self.format = automaton, computed_in
        # A float64 reference rounds as often as the computation that it is compared with, so count both.
        self.twice = 1.0 if automaton.exact else 1 + FLOAT64.unit / computed_in.unit
        self.sizes, self.final_sizes = upper(automaton.matrices), upper(automaton.final)
        self.slack = representation_error(automaton.matrices, computed_in)
        self.final_slack = representation_error(automaton.final, computed_in)
        self.initial_slack = representation_error(automaton.initial, computed_in)
        if deviation is not None:
            if deviation.matrices.shape != automaton.matrices.shape:
                raise ShapeError(
                    f"deviation.matrices must have shape {automaton.matrices.shape}, got"
                    f" {deviation.matrices.shape}"
                )
            self.slack = self.slack + deviation.matrices
            self.initial_slack = self.initial_slack + deviation.initial
            self.final_slack = self.final_slack + (0.0 if deviation.final is None else deviation.final)
        epsilon = automaton.epsilon
        if epsilon is not None:
            assert deviation is not None and deviation.epsilon is not None
            self.epsilon, self.epsilon_sizes = epsilon, upper(epsilon)
            self.epsilon_slack = representation_error(epsilon, computed_in) + deviation.epsilon

    def start(self, strings: int) -> tuple[Weights, Floats]:
        """Return Omega_0 and the bound on its error, for the given number of strings."""
        omega, error = (np.tile(row, (strings, 1)) for row in (self.automaton.initial, self.initial_slack))
        if self.automaton.epsilon is None:
            return omega, error
        n, k = self.automaton.states, self.automaton.semiring
        identity = k.identity(n, exact=self.automaton.exact)[None]
        return self.closed(omega, error, identity, upper(identity), np.zeros((1, n, n)))

    def step(self, omega: Weights, error: Floats, symbols: NDArray[np.intp]) -> tuple[Weights, Floats]:
        """Return Omega_{i+1} and the bound on its error, from Omega_i and its bound."""
        k = self.automaton.semiring
        if self.automaton.epsilon is not None:
            matrices = self.automaton.matrices[symbols]
            return self.closed(omega, error, matrices, self.sizes[symbols], self.slack[symbols])
        terms = k.times(omega[:, :, None], self.automaton.matrices[symbols])
        after = k.sum(terms, axis=1)
        return after, self._error(omega, error, self.sizes[symbols], self.slack[symbols], terms, after)

    def closed(
        self, omega: Weights, error: Floats, matrices: Weights, sizes: Floats, slack: Floats
    ) -> tuple[Weights, Floats]:
        """Return Omega M E* and the bound on its error; M has shape ``(strings or 1, n, n)``.

        Epsilon transitions lead to higher states. The states are therefore computed in increasing order. The
        value of a state is one sum, in any order, over its transitions in M and its epsilon transitions.
        """
        k, n = self.automaton.semiring, self.automaton.states
        after, off = np.empty_like(omega), np.empty_like(error)

        def column(symbol: Weights, epsilon: Weights, q: int) -> Weights:
            below = np.broadcast_to(epsilon[None, :q, q], (len(symbol), q))
            return np.concatenate([symbol[:, :, q], below], axis=1)[:, :, None]

        for q in range(n):
            every = np.concatenate([omega, after[:, :q]], axis=1)
            errors = np.concatenate([error, off[:, :q]], axis=1)
            terms = k.times(every[:, :, None], column(matrices, self.epsilon, q))
            value = k.sum(terms, axis=1)
            weights, deviations = column(sizes, self.epsilon_sizes, q), column(slack, self.epsilon_slack, q)
            after[:, q] = value[:, 0]
            off[:, q] = self._error(every, errors, weights, deviations, terms, value)[:, 0]
        return after, off

    def blocks(self, batch: Batch) -> Iterator[RoundingBlock]:
        """Yield the Forward vectors of all prefixes in a batch; for speed, a block contains several steps."""
        groups = len(np.atleast_2d(self.automaton.initial))
        first_matrices = np.arange(groups) * (len(self.automaton.matrices) // groups)
        omega, error = self.start(len(batch))
        vectors, active, numbers = [(omega, error)], [len(batch)], omega.size

        def block(end: int) -> RoundingBlock:
            omegas, errors = zip(*vectors, strict=True)
            steps = np.repeat(np.arange(end - len(active), end), active)
            strings = np.concatenate([np.arange(length) for length in active])
            return RoundingBlock(steps, strings, np.concatenate(omegas), np.concatenate(errors))

        for t, (length, symbols) in enumerate(batch.steps(), start=1):
            if numbers > NUMBERS_AT_ONCE:
                yield block(t)
                vectors, active, numbers = [], [], 0
            rows = length * groups
            matrices = (symbols[:, None] + first_matrices).ravel()
            omega, error = self.step(omega[:rows], error[:rows], matrices)
            vectors.append((omega, error))
            active.append(length)
            numbers += omega.size
        yield block(batch.codes.shape[1] + 1)

    def read_out(
        self, omega: Weights, error: Floats, units: NDArray[np.intp] | None = None
    ) -> tuple[Weights, Floats]:
        """Return the scores of Forward vectors (Peng et al. 2018, eq. 3c), and bounds on their errors.

        If the final weights have a row for each unit, ``units`` selects the row for each vector.
        """
        k = self.automaton.semiring
        parts = self.automaton.final, self.final_sizes, self.final_slack
        final, sizes, off = parts if units is None else (part[units] for part in parts)
        terms = k.times(omega, final)
        value = k.sum(terms, axis=1)
        column, slack = np.atleast_2d(sizes)[:, :, None], np.atleast_2d(off)[:, :, None]
        return value, self._error(omega, error, column, slack, terms[:, :, None], value[:, None])[:, 0]

    def _error(
        self, omega: Weights, error: Floats, weights: Floats, slack: Floats, terms: Weights, sums: Weights
    ) -> Floats:
        """Return a bound on the error of the sums over q' of omega(q') (x) weights(q', q).

        The bound covers both the errors of the operands and rounding.
        """
        raise NotImplementedError

    def _bounded(self, largest: Floats, total: Floats) -> Floats:
        """Return the bound ``total``, or infinity if an intermediate result might have overflowed."""
        return np.where(largest + total < self.format.largest / 4, total, np.inf)


class RealSteps(_Steps):
    """Steps of sums of products, in any order."""

    def _error(
        self, omega: Weights, error: Floats, weights: Floats, slack: Floats, terms: Weights, sums: Weights
    ) -> Floats:
        size = upper(omega)
        largest, heaviest = size + error, weights + slack
        # test each factor, because the product itself may underflow
        there = (largest != 0)[:, :, None] & (heaviest != 0)
        exact = ((weights == 1) & (slack == 0)) | ((size == 1) & (error == 0))[:, :, None]
        rounded = there & ~exact
        additions = np.maximum(np.add.reduce(there, axis=1, keepdims=True, dtype=np.intp) - 1, 0)
        roundings = rounded + np.maximum(additions - 1, 0)
        products = largest[:, :, None] * heaviest
        inherited = error[:, :, None] * weights + largest[:, :, None] * slack
        own = products * self.format.gamma(roundings) + self.format.tiny * rounded
        before_last = np.add.reduce(inherited + self.twice * own, axis=1)
        last = self.twice * self.format.unit * (additions[:, 0] > 0) * (upper(sums) + before_last)
        # Partial sums may exceed the sum, so give no bound if one could have overflowed.
        return self._bounded(np.add.reduce(products, axis=1), (before_last + last) * _OUTWARD)


class MaxPlusSteps(_Steps):
    """Steps of maxima of sums of two numbers; only the sums round."""

    def _error(
        self, omega: Weights, error: Floats, weights: Floats, slack: Floats, terms: Weights, sums: Weights
    ) -> Floats:
        # -infinity is exact: such a term is never the maximum, regardless of the error of its other summand.
        alive = np.asarray(terms != -np.inf, dtype=bool)
        size = upper(omega)
        left, right = ((size + error) != 0)[:, :, None], (weights + slack) != 0
        length = np.where(alive, upper(terms), 0.0)
        carried = np.where(alive, error[:, :, None] + slack, 0.0)
        # a sum with a zero is exact
        own = (left & right & alive) * (self.format.unit * (length + carried) + self.format.tiny)
        off = (carried + self.twice * own) * _OUTWARD
        near = np.where(alive, _nearest(terms), 0.0)
        # Only terms that may be the largest can change the maximum; float64 approximates the terms.
        reach = off + length * 2.0**-40
        least = np.where(alive, near - reach, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
        # -infinity plus an overflow is NaN
        overflowed = np.isinf(error)[:, :, None] | np.isinf(slack)
        off = np.where(overflowed, np.inf, off)
        total = np.where(overflowed | (alive & ~(near + reach < least)), off, 0.0).max(axis=1, initial=0.0)
        return self._bounded(
            np.where(alive, size[:, :, None] + weights + carried, 0.0).max(axis=1, initial=0.0), total
        )


def _nearest(values: Weights) -> Floats:
    if values.dtype != object:
        return np.asarray(values, dtype=np.float64)
    signs = np.where(np.asarray(values < 0, dtype=bool), -1.0, 1.0)
    return signs * upper(values)


STEPS: dict[Semiring, type[_Steps]] = {REAL: RealSteps, MAX_PLUS: MaxPlusSteps}
"""The semirings with rounding bounds."""
