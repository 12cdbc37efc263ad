"""Forward steps with bounds on their rounding errors, over the real and the max-plus semiring.

``automata/rounding/bounds.py`` accumulates these steps.

>>> from automata.semirings import MAX_PLUS
>>> from automata.wfsa import WFSA
>>> third = WFSA(MAX_PLUS, [0], [0], {"a": [[1 / 3]]})
>>> steps = MaxPlusSteps(StackedAutomata.of([third], [third]), FLOAT64, None)
>>> once = steps.step(np.array([[1.0]]), np.zeros((1, 1)), np.array([0]))
>>> bool(once[1] >= 2.0**-53)
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats, Weights
from automata.errors import InputError, ShapeError
from automata.rounding.formats import FLOAT64, Format, representation_error, upper
from automata.semirings import MAX_PLUS, REAL, Semiring
from automata.strings import Batch
from automata.wfsa import WFSA

# The bounds themselves are computed in float64; a step's own rounding errors are far below this factor.
_OUTWARD = 1 + 2.0**-40
NUMBERS_AT_ONCE = 2**16
"""Number of vector components that :meth:`_Steps.scores` reads out together, for speed."""


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
class _Factors:
    """The weights of a step or of a sum, and what their rounding depends on; all of one shape.

    Attributes:
        weights: the weights tau.
        sizes: their magnitudes, rounded up.
        slack: bounds on their errors.
        heaviest: bounds on the magnitudes of the weights of the computation.
        nonzero: whether the weight of the computation may differ from zero.
        one: whether it is exactly 1, so that a product with it is not rounded.
    """

    weights: Weights
    sizes: Floats
    slack: Floats
    heaviest: Floats
    nonzero: NDArray[np.bool_]
    one: NDArray[np.bool_]

    @staticmethod
    def of(weights: Weights, slack: Floats) -> _Factors:
        """Return the factors with these weights and bounds on their errors."""
        sizes = upper(weights)
        heaviest = sizes + slack
        return _Factors(weights, sizes, slack, heaviest, heaviest != 0, (sizes == 1) & (slack == 0))

    def __getitem__(self, rows: Any) -> _Factors:
        return _Factors(
            self.weights[rows],
            self.sizes[rows],
            self.slack[rows],
            self.heaviest[rows],
            self.nonzero[rows],
            self.one[rows],
        )


@dataclass(frozen=True)
class StackedAutomata:
    """Automata of equal size, each with its own symbols.

    Attributes:
        semiring, exact, states: shared by all.
        matrices: shape ``(groups * symbols, n, n)``.
        initial: shape ``(groups, n)``.
        final: one row for each unit, shape ``(units, n)``.
        epsilon: ``None``, or shape ``(groups, n, n)``.
    """

    semiring: Semiring
    exact: bool
    states: int
    matrices: Weights
    initial: Weights
    final: Weights
    epsilon: Weights | None

    @staticmethod
    def of(groups: Sequence[WFSA], units: Sequence[WFSA]) -> StackedAutomata:
        """Return the matrices and initial weights of ``groups`` with the final weights of ``units``."""
        first = groups[0]
        epsilon = [automaton.epsilon for automaton in groups if automaton.epsilon is not None]
        return StackedAutomata(
            first.semiring,
            first.exact,
            first.states,
            np.concatenate([automaton.matrices for automaton in groups]),
            np.stack([automaton.initial for automaton in groups]),
            np.stack([automaton.final for automaton in units]),
            np.stack(epsilon) if epsilon else None,
        )


class _Steps:
    """The weights of automata, their magnitudes and errors, and one step of Forward on them."""

    def __init__(self, automata: StackedAutomata, computed_in: Format, deviation: Deviation | None) -> None:
        self.semiring, self.exact, self.states = automata.semiring, automata.exact, automata.states
        self.format = computed_in
        # A float64 reference rounds as often as the computation that it is compared with, so count both.
        self.twice = 1.0 if automata.exact else 1 + FLOAT64.unit / computed_in.unit
        self.gammas = computed_in.gamma(np.arange(2.0 * automata.states + 1))  # a sum has at most 2 n terms
        matrices, epsilon = automata.matrices, automata.epsilon
        self.initial, final = automata.initial, automata.final
        slack, final_slack = (representation_error(part, computed_in) for part in (matrices, final))
        self.initial_slack = representation_error(self.initial, computed_in)
        self.symbols = len(matrices) // len(self.initial)
        if deviation is not None:
            if deviation.matrices.shape != matrices.shape:
                raise ShapeError(
                    f"deviation.matrices must have shape {matrices.shape}, got {deviation.matrices.shape}"
                )
            slack = slack + deviation.matrices
            self.initial_slack = self.initial_slack + deviation.initial
            final_slack = final_slack + (0.0 if deviation.final is None else deviation.final)
        self.final = _Factors.of(final[:, :, None], final_slack[:, :, None])
        self.columns: list[_Factors] | None = None
        if epsilon is None:
            self.matrices = _Factors.of(matrices, slack)
            return
        assert deviation is not None and deviation.epsilon is not None
        off = representation_error(epsilon, computed_in) + deviation.epsilon
        self.columns = _columns(matrices, slack, epsilon, off)
        identity = np.repeat(
            self.semiring.identity(self.states, exact=self.exact)[None], len(epsilon), axis=0
        )
        self.first_columns = _columns(identity, np.zeros(identity.shape), epsilon, off)

    def start(self, strings: int) -> tuple[Weights, Floats]:
        """Return Omega_0 and the bound on its error, for the given number of strings."""
        omega, error = (np.tile(rows, (strings, 1)) for rows in (self.initial, self.initial_slack))
        if self.columns is None:
            return omega, error
        return self.closed(omega, error, self.first_columns, np.tile(np.arange(len(self.initial)), strings))

    def step(self, omega: Weights, error: Floats, matrices: NDArray[np.intp]) -> tuple[Weights, Floats]:
        """Return Omega_{i+1} and the bound on its error, from Omega_i and its bound."""
        if self.columns is not None:
            return self.closed(omega, error, self.columns, matrices)
        factors = self.matrices[matrices]
        terms = self.semiring.times(omega[:, :, None], factors.weights)
        after = self.semiring.sum(terms, axis=1)
        return after, self._error(omega, error, factors, terms, after)

    def closed(
        self, omega: Weights, error: Floats, columns: list[_Factors], matrices: NDArray[np.intp]
    ) -> tuple[Weights, Floats]:
        """Return Omega M E* and the bound on its error; ``matrices`` selects the M of each row.

        Epsilon transitions lead to higher states. The states are therefore computed in increasing order. The
        value of a state is one sum, in any order, over its transitions in M and its epsilon transitions.
        """
        n = self.states
        # the vectors before the symbol, then those of the states computed so far
        every, errors = (np.concatenate([part, np.empty_like(part)], axis=1) for part in (omega, error))
        for q in range(n):
            factors = columns[q][matrices]
            before, off = every[:, : n + q], errors[:, : n + q]
            terms = self.semiring.times(before[:, :, None], factors.weights)
            value = self.semiring.sum(terms, axis=1)
            every[:, n + q] = value[:, 0]
            errors[:, n + q] = self._error(before, off, factors, terms, value)[:, 0]
        return every[:, n:], errors[:, n:]

    def scores(self, batch: Batch, members: Sequence[int]) -> tuple[Weights, Floats]:
        """Return the scores of all prefixes in a batch, and bounds on their errors.

        Both have shape ``(strings, longest + 1, units)``.

        Args:
            batch: the strings.
            members: the group of each unit.
        """
        groups, units = len(self.initial), len(members)
        first_matrices = np.arange(groups) * self.symbols
        values = np.zeros((len(batch), batch.codes.shape[1] + 1, units), dtype=self.initial.dtype)
        bounds = np.zeros(values.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            omega, error = self.start(len(batch))
            vectors, active, numbers = [(omega, error)], [len(batch)], omega.size

            def read_out(end: int) -> None:
                omegas, errors = map(np.concatenate, zip(*vectors, strict=True))
                steps = np.repeat(np.arange(end - len(active), end), active)
                strings = np.concatenate([np.arange(length) for length in active])
                rows = (np.arange(len(steps))[:, None] * groups + members).ravel()
                unit_of = np.tile(np.arange(units), len(steps))
                value, bound = self._read_out(omegas[rows], errors[rows], unit_of)
                values[strings, steps] = value.reshape(len(steps), units)
                bounds[strings, steps] = bound.reshape(len(steps), units)

            for t, (length, symbols) in enumerate(batch.steps(), start=1):
                if numbers > NUMBERS_AT_ONCE:
                    read_out(t)
                    vectors, active, numbers = [], [], 0
                rows = length * groups
                matrices = (symbols[:, None] + first_matrices).ravel()
                omega, error = self.step(omega[:rows], error[:rows], matrices)
                vectors.append((omega, error))
                active.append(length)
                numbers += omega.size
            read_out(batch.codes.shape[1] + 1)
        return values, np.where(np.isnan(bounds), np.inf, bounds)

    def _read_out(self, omega: Weights, error: Floats, units: NDArray[np.intp]) -> tuple[Weights, Floats]:
        """Return the scores of Forward vectors (Peng et al. 2018, eq. 3c), and bounds on their errors.

        ``units`` selects the final weights for each vector.
        """
        factors = self.final[units]
        terms = self.semiring.times(omega[:, :, None], factors.weights)
        value = self.semiring.sum(terms, axis=1)
        return value[:, 0], self._error(omega, error, factors, terms, value)[:, 0]

    def _error(
        self, omega: Weights, error: Floats, factors: _Factors, terms: Weights, sums: Weights
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
        self, omega: Weights, error: Floats, factors: _Factors, terms: Weights, sums: Weights
    ) -> Floats:
        size = upper(omega)
        largest = (size + error)[:, :, None]
        # test each factor, because the product itself may underflow
        there = (largest != 0) & factors.nonzero
        rounded = there & ~(factors.one | ((size == 1) & (error == 0))[:, :, None])
        additions = np.maximum(np.add.reduce(there, axis=1, keepdims=True, dtype=np.intp) - 1, 0)
        roundings = rounded + np.maximum(additions - 1, 0)
        products = largest * factors.heaviest
        inherited = error[:, :, None] * factors.sizes + largest * factors.slack
        own = products * self.gammas[roundings] + self.format.tiny * rounded
        before_last = np.add.reduce(inherited + self.twice * own, axis=1)
        last = self.twice * self.format.unit * (additions[:, 0] > 0) * (upper(sums) + before_last)
        # Partial sums may exceed the sum, so give no bound if one could have overflowed.
        return self._bounded(np.add.reduce(products, axis=1), (before_last + last) * _OUTWARD)


class MaxPlusSteps(_Steps):
    """Steps of maxima of sums of two numbers; only the sums round."""

    def _error(
        self, omega: Weights, error: Floats, factors: _Factors, terms: Weights, sums: Weights
    ) -> Floats:
        slack = factors.slack
        # -infinity is exact: such a term is never the maximum, regardless of the error of its other summand.
        alive = np.asarray(terms != -np.inf, dtype=bool)
        size = upper(omega)
        left = ((size + error) != 0)[:, :, None]
        length = np.where(alive, upper(terms), 0.0)
        carried = np.where(alive, error[:, :, None] + slack, 0.0)
        # a sum with a zero is exact
        own = (left & factors.nonzero & alive) * (self.format.unit * (length + carried) + self.format.tiny)
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
            np.where(alive, size[:, :, None] + factors.sizes + carried, 0.0).max(axis=1, initial=0.0), total
        )


def _columns(matrices: Weights, slack: Floats, epsilon: Weights, off: Floats) -> list[_Factors]:
    """Return, for each state q, the weights into q: from all states by M, then by epsilon from lower states.

    ``slack`` and ``off`` bound the errors of the matrices of all groups, and of each group's epsilon
    transitions.
    """
    each = len(matrices) // len(epsilon)
    epsilon, off = (np.repeat(part, each, axis=0) for part in (epsilon, off))

    def column(first: Weights, second: Weights, q: int) -> Weights:
        return np.concatenate([first[:, :, q], second[:, :q, q]], axis=1)[:, :, None]

    states = range(epsilon.shape[1])
    return [_Factors.of(column(matrices, epsilon, q), column(slack, off, q)) for q in states]


def _nearest(values: Weights) -> Floats:
    if values.dtype != object:
        return np.asarray(values, dtype=np.float64)
    signs = np.where(np.asarray(values < 0, dtype=bool), -1.0, 1.0)
    return signs * upper(values)


STEPS: dict[Semiring, type[_Steps]] = {REAL: RealSteps, MAX_PLUS: MaxPlusSteps}
"""The semirings with rounding bounds."""


def require_bounds(automaton: WFSA, deviation: Deviation | None) -> None:
    """Raise InputError if no rounding bound is known for an automaton with this deviation."""
    if automaton.semiring not in STEPS:
        known = " or ".join(k.name for k in STEPS)
        raise InputError(f"rounding bounds: the semiring must be {known}, got {automaton.semiring.name}")
    if automaton.has_epsilon:
        if deviation is None or deviation.epsilon is None:
            raise InputError(
                "rounding bounds: the automaton must not have epsilon transitions; remove them exactly"
            )
        if bool((automaton.epsilon_table.columns <= automaton.epsilon_table.rows).any()):
            raise InputError("rounding bounds: every epsilon transition must lead to a higher-numbered state")
