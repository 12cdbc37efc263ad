"""Ball arithmetic (python-flint) for one box at a time.

Balls contain the exact value including all rounding, so the result is a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.soft_networks.floats import FloatBoxes, multipliers
from ratproof.certification.soft_networks.numbers import Numbers

BITS = 64
Balls = NDArray[Any]
"""An array of ``flint.arb``."""


class BallBox:
    """A box of alphas intersected with the simplex, whose corners are floats.

    Attributes:
        floats: The same box, as a batch of one.
        middle: An exact point; because of rounding, it may lie slightly outside the simplex and the box.
        down, up: The ends of alpha - middle, for each entry.
        rest: A ball that contains the sum of the entries of alpha - middle, and 0.

    The interval [down, up] contains 0, so the box contains the whole segment from ``middle`` to alpha, as the
    mean-value theorem requires.
    """

    def __init__(self, low: Floats, high: Floats) -> None:
        self.floats = FloatBoxes(low[None], high[None])
        self.middle = exact(self.floats.middle[0])
        self.down = each(lambda v: v.min(arb(0)), exact(low) - self.middle)
        self.up = each(lambda v: v.max(arb(0)), exact(high) - self.middle)
        self.rest = (arb(1) - sum(self.middle, arb(0))).union(arb(0))


class BallArithmetic:
    """The arithmetic of balls, on one box.

    It implements :class:`~ratproof.certification.soft_networks.arithmetic.EnclosureArithmetic`.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        gates = len(numbers.b) // len(numbers.S)
        self.tau = arb(fmpq(*numbers.temperature.as_integer_ratio()))
        self.S, self.c = exact(numbers.S), [exact(part) for part in np.split(numbers.c, gates)]
        self.US = [product(exact(part), self.S) for part in np.split(numbers.U, gates)]
        self.w = exact(numbers.w)[None, :]
        self._read: dict[int, Balls] = {}

    @cached_property
    def _input(self) -> tuple[Balls, Balls]:
        return exact(self.numbers.W), exact(self.numbers.b)

    def read(self, token: int, gate: int) -> Balls:
        """Return W x + b, the input part of a gate's preactivation, for the token's embedding x."""
        if token not in self._read:
            W, b = self._input
            self._read[token] = W @ exact(self.numbers.embedding[token]) + b
        return np.split(self._read[token], len(self.c))[gate]

    def times_middle(self, matrix: Balls, box: BallBox) -> Balls:
        """Return the product of a matrix and the middle point of the box."""
        return np.asarray(matrix @ box.middle)

    def scale_rows(self, vector: Balls, matrix: Balls) -> Balls:
        """Return the matrix with each row multiplied by the corresponding entry of the vector."""
        if any(matrix is known for known in (self.S, *self.US)):  # balls of almost no width
            return vector[:, None] * matrix
        return self.multiply(vector[:, None], matrix)

    def multiply(self, one: Balls, other: Balls) -> Balls:
        """Return elementwise products from the balls' ends; the product of two wide balls would be wider."""
        low, high = each(lambda v: v.lower(), one), each(lambda v: v.upper(), one)
        least, most = each(lambda v: v.lower(), other), each(lambda v: v.upper(), other)
        return union(union(low * least, low * most), union(high * least, high * most))

    def reach(self, middle: Balls, slope: Balls, box: BallBox) -> Balls:
        """Return ``middle`` plus the range of slope (alpha - box.middle) for all alpha in the box.

        Let delta = alpha - box.middle, and let g be a row of ``slope``. The entries of delta sum to a value
        in ``box.rest``. Therefore, sum_i g_i delta_i is in sum_i (g_i - m) delta_i + m rest for every m. The
        bound is rigorous for every m, so m is optimised in float arithmetic.
        """
        low, high = lower(slope), upper(slope)
        lows, highs = -multipliers(-high, -low, box.floats)[0], multipliers(low, high, box.floats)[0]
        sums = []
        for m in map(exact, (lows, highs)):
            off = slope - m[:, None]
            sums.append(union(off * box.down, off * box.up).sum(axis=1) + m * box.rest)
        least, most = sums
        return middle + each(lambda one, other: one.lower().union(other.upper()), least, most)

    def sigmoid(self, x: Balls) -> Balls:
        """Return 1 / (1 + exp(-x))."""
        return _monotone(x, lambda v: 1 / (1 + (-v).exp()))

    def tanh(self, x: Balls) -> Balls:
        """Return the hyperbolic tangent."""
        return _monotone(x, lambda v: v.tanh())

    def sigmoid_slope(self, s: Balls) -> Balls:
        """Return s (1 - s), the derivative of the sigmoid where its value is s."""
        return _hill(s, lambda v: v * (1 - v), arb(0.5))

    def tanh_slope(self, t: Balls) -> Balls:
        """Return 1 - t^2, the derivative of tanh where its value is t."""
        return _hill(t, lambda v: 1 - v * v, arb(0))

    def centroid_differences(self, label: int) -> Balls:
        """Return the differences s_i - s_label between centroids and the label's, shape ``(k, d)``."""
        return (self.S - self.S[:, [label]]).T

    def apply(self, matrix: Balls, vector: Balls) -> Balls:
        """Return the product of a matrix and a vector."""
        return np.asarray(matrix @ vector)

    def times_slope(self, matrix: Balls, slope: Balls) -> Balls:
        """Return the product of a matrix and a matrix of slopes."""
        return product(matrix, slope)

    def divide_by_temperature(self, value: Balls) -> Balls:
        """Return the value divided by the temperature."""
        return np.asarray(value / self.tau)

    def softmax(self, gaps: Balls) -> Balls:
        """Return exp(gap_i) / sum_j exp(gap_j)."""
        return softmax(gaps)

    def average(self, alpha: Balls, slope: Balls) -> Balls:
        """Return the row vector sum_i alpha_i slope[i], shape ``(1, k)``."""
        return product(alpha[None, :], slope)

    def meet(self, one: Balls, other: Balls) -> Balls:
        """Return the elementwise intersection."""
        return each(lambda a, b: a.intersection(b), one, other)

    def classify(self, u: Balls) -> Balls:
        """Return the classifier's logit w u + v, shape ``(1,)``."""
        return np.asarray(self.w @ u + exact(self.numbers.v[None]))

    def distances(self, u: Balls) -> Balls:
        """Return the distances |u - s_i| from u to the centroids s_i, shape ``(k,)``."""
        differences = u[:, None] - self.S
        return each(lambda v: v.sqrt(), (differences * differences).sum(axis=0))

    def unit_vectors(self, u: Balls) -> Balls:
        """Return the unit vectors (s_i - u) / |u - s_i| from u to the centroids s_i, shape ``(k, d)``.

        The entries for a centroid are [-1, 1] if u may be at this centroid.
        """
        differences = (self.S - u[:, None]).T
        # not abs(v).lower(), which is negative if v may be 0
        least = np.array([sum((v.abs_lower() ** 2 for v in row), arb(0)).sqrt() for row in differences])
        most = np.array([sum((v.abs_upper() ** 2 for v in row), arb(0)).sqrt() for row in differences])
        every = arb(0, 1)
        directions = [
            [every] * len(row) if not near > 0 else [(v / near.union(far)).intersection(every) for v in row]
            for row, near, far in zip(differences, least, most, strict=True)
        ]
        return np.array(directions)

    def pick(self, values: Balls, label: int) -> Balls:
        """Return the entry or the row at the label, shape ``(1,)`` or ``(1, d)``."""
        return np.asarray(values[[label]])


def softmax(gaps: Balls) -> Balls:
    """Return exp(gap_i) / sum_j exp(gap_j), which increases with gap_i and decreases with the others."""
    low = np.array([gap.lower().exp() for gap in gaps])
    high = np.array([gap.upper().exp() for gap in gaps])
    return union(low / (low + _others(high)), high / (high + _others(low)))


def exact(values: Floats) -> Balls:
    """Return floats as balls of radius 0."""
    return np.asarray(np.frompyfunc(lambda v: arb(float(v)), 1, 1)(values), dtype=object)


def union(one: Balls, other: Balls) -> Balls:
    """Return the smallest balls that contain both arguments, elementwise."""
    return each(lambda a, b: a.union(b), one, other)


def product(one: Balls, other: Balls) -> Balls:
    """Return a matrix product."""
    entries = arb_mat(*one.shape, one.ravel().tolist()) * arb_mat(*other.shape, other.ravel().tolist())
    return np.array(entries.entries(), dtype=object).reshape(one.shape[0], other.shape[1])


def lower(values: Balls) -> Floats:
    """Return the lower ends of the balls, rounded to the nearest floats."""
    return np.asarray(each(lambda v: float(v.lower()), values), dtype=np.float64)


def upper(values: Balls) -> Floats:
    """Return the upper ends of the balls, rounded to the nearest floats."""
    return np.asarray(each(lambda v: float(v.upper()), values), dtype=np.float64)


def _others(values: Balls) -> Balls:
    """Return, for each entry, the sum of all other entries, computed without a cancelling subtraction."""
    zero = [arb(0)]
    before = np.array(zero + np.cumsum(values).tolist()[:-1], dtype=object)
    behind = np.array(zero + np.cumsum(values[::-1]).tolist()[:-1], dtype=object)[::-1]
    return np.asarray(before + behind)


def each(function: Callable[..., object], *arrays: Balls) -> Balls:
    """Apply the function to each entry."""
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)


def _monotone(x: Balls, function: Callable[[arb], arb]) -> Balls:
    """Apply an increasing function to each ball."""
    return each(lambda v: function(v.lower()).union(function(v.upper())), x)


def _hill(x: Balls, function: Callable[[arb], arb], top: arb) -> Balls:
    """Apply a function that increases up to ``top`` and then decreases, to each ball."""

    def over(v: arb) -> arb:
        ends = function(v.lower()).union(function(v.upper()))
        return ends.union(function(top)) if v.overlaps(top) else ends

    return each(over, x)
