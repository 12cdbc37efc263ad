"""Float intervals without directed rounding, on many boxes at once.

They are fast and are used in the search for boxes. They are not rigorous.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.certification.soft_networks.numbers import Numbers

Operand: TypeAlias = "FloatInterval | Floats | float"
"""The other operand of a sum or product with an interval."""


@dataclass(frozen=True)
class FloatInterval:
    """An array of intervals from lo to hi."""

    lo: Floats
    hi: Floats

    def __add__(self, other: Operand) -> FloatInterval:
        ends = as_interval(other)
        return FloatInterval(self.lo + ends.lo, self.hi + ends.hi)

    __radd__ = __add__

    def __neg__(self) -> FloatInterval:
        return FloatInterval(-self.hi, -self.lo)

    def __sub__(self, other: Operand) -> FloatInterval:
        return self + -as_interval(other)

    def __rsub__(self, other: Operand) -> FloatInterval:
        return as_interval(other) + -self

    def __mul__(self, value: Operand) -> FloatInterval:
        other = as_interval(value)
        if other.lo is other.hi:
            low, high = self.lo * other.lo, self.hi * other.lo
            return FloatInterval(np.minimum(low, high), np.maximum(low, high))
        if self.lo is self.hi:
            return other.__mul__(self)
        ends = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return FloatInterval(np.minimum.reduce(ends), np.maximum.reduce(ends))

    __rmul__ = __mul__

    def __getitem__(self, index: Any) -> FloatInterval:
        return FloatInterval(self.lo[index], self.hi[index])


def as_interval(value: Operand) -> FloatInterval:
    """Return an interval, from an interval or from numbers."""
    if isinstance(value, FloatInterval):
        return value
    array = np.asarray(value, dtype=np.float64)
    return FloatInterval(array, array)


class FloatBoxes:
    """Boxes of mixtures alpha (probabilities of k centroids), each intersected with the simplex.

    Attributes:
        low, high: The corners of P boxes, shape ``(P, k)``.
        middle: A point of each box whose entries sum to 1.
    """

    def __init__(self, low: Floats, high: Floats) -> None:
        self.low, self.high = low, high
        spare = (high - low).sum(axis=-1, keepdims=True)
        share = np.divide(
            1 - low.sum(axis=-1, keepdims=True), spare, out=np.zeros_like(spare), where=spare > 0
        )
        self.middle = low + np.clip(share, 0, 1) * (high - low)
        self.down, self.up = (low - self.middle)[:, None, :], (high - self.middle)[:, None, :]


class FloatArithmetic:
    """The arithmetic of floats, on P boxes at once.

    It implements :class:`~ratproof.certification.soft_networks.arithmetic.EnclosureArithmetic`.
    """

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        n = numbers
        self.tau = n.tau
        gates = len(n.b) // len(n.S)
        self.S = as_interval(n.S)
        self.c = [as_interval(part) for part in np.split(n.c, gates)]
        self.US = [as_interval(part @ n.S) for part in np.split(n.U, gates)]
        self.w = as_interval(n.w[None, None, :])
        self._read = np.stack(np.split(n.embedding @ n.W.T + n.b, gates, axis=1))

    def read(self, token: NDArray[np.int64], gate: int) -> FloatInterval:
        """Return W x + b, the input part of a gate's preactivation, for each token's embedding x."""
        return as_interval(self._read[gate][token])

    def times_middle(self, matrix: FloatInterval, box: FloatBoxes) -> FloatInterval:
        """Return the products of a matrix and the middle points of the boxes."""
        return as_interval(box.middle @ matrix.lo.T)

    def scale_rows(self, vector: FloatInterval, matrix: FloatInterval) -> FloatInterval:
        """Return the matrix with each row multiplied by the corresponding entry of the vector."""
        return vector[..., None] * matrix

    def multiply(self, one: FloatInterval, other: FloatInterval) -> FloatInterval:
        """Return elementwise products."""
        return one * other

    def reach(self, middle: FloatInterval, slope: FloatInterval, box: FloatBoxes) -> FloatInterval:
        """Return ``middle`` plus the range of slope (alpha - box.middle) for all alpha in the box."""
        low, high = np.broadcast_arrays(slope.lo, slope.hi)
        return FloatInterval(middle.lo - _largest(-high, -low, box), middle.hi + _largest(low, high, box))

    def sigmoid(self, x: FloatInterval) -> FloatInterval:
        """Return 1 / (1 + exp(-x))."""
        return _monotone(x, lambda v: 0.5 * (1 + np.tanh(0.5 * v)))

    def tanh(self, x: FloatInterval) -> FloatInterval:
        """Return the hyperbolic tangent."""
        return _monotone(x, np.tanh)

    def sigmoid_slope(self, s: FloatInterval) -> FloatInterval:
        """Return s (1 - s), the derivative of the sigmoid where its value is s."""
        ends = s.lo * (1 - s.lo), s.hi * (1 - s.hi)
        top = np.where((s.lo <= 0.5) & (s.hi >= 0.5), 0.25, np.maximum(*ends))
        return FloatInterval(np.minimum(*ends), top)

    def tanh_slope(self, t: FloatInterval) -> FloatInterval:
        """Return 1 - t^2, the derivative of tanh where its value is t."""
        ends = 1 - t.lo**2, 1 - t.hi**2
        return FloatInterval(np.minimum(*ends), np.where((t.lo <= 0) & (t.hi >= 0), 1.0, np.maximum(*ends)))

    def centroid_differences(self, label: NDArray[np.int64]) -> FloatInterval:
        """Return the differences s_i - s_label between centroids and each label's, shape ``(P, k, d)``."""
        S = self.numbers.S.T
        return as_interval(S[None] - S[label][:, None])

    def apply(self, matrix: FloatInterval, vector: FloatInterval) -> FloatInterval:
        """Return the products of matrices ``(P, k, d)`` and vectors ``(P, d)``, whose entries are points."""
        return as_interval(np.einsum("pkd,pd->pk", matrix.lo, vector.lo))

    def times_slope(self, matrix: FloatInterval, slope: FloatInterval) -> FloatInterval:
        """Return the products of a matrix and slopes of shape ``(P, d, k)``."""
        mid, rad = _mid_rad(matrix)
        inner, spread = _mid_rad(slope)
        middle = mid @ inner
        off = np.abs(mid) @ spread + (rad @ (np.abs(inner) + spread) if matrix.lo is not matrix.hi else 0)
        return FloatInterval(middle - off, middle + off)

    def divide_by_temperature(self, value: FloatInterval) -> FloatInterval:
        """Return the value divided by the temperature."""
        return FloatInterval(value.lo / self.tau, value.hi / self.tau)

    def softmax(self, gaps: FloatInterval) -> FloatInterval:
        """Return exp(gap_i) / sum_j exp(gap_j), shape ``(P, k)``."""
        shift = gaps.hi.max(axis=-1, keepdims=True)
        low, high = np.exp(gaps.lo - shift), np.exp(gaps.hi - shift)
        others = 1 - np.eye(low.shape[-1])  # the sum minus one entry would cancel
        with np.errstate(invalid="ignore"):
            return FloatInterval(
                np.nan_to_num(low / (low + high @ others), nan=0),
                np.nan_to_num(high / (high + low @ others), nan=1),
            )

    def average(self, alpha: FloatInterval, slope: FloatInterval) -> FloatInterval:
        """Return the row vectors sum_i alpha_i slope[i], shape ``(P, 1, k)``."""
        parts = alpha[..., None] * slope
        return FloatInterval(parts.lo.sum(axis=-2, keepdims=True), parts.hi.sum(axis=-2, keepdims=True))

    def meet(self, one: FloatInterval, other: FloatInterval) -> FloatInterval:
        """Return the elementwise intersection."""
        return FloatInterval(
            np.clip(np.maximum(one.lo, other.lo), 0, 1), np.clip(np.minimum(one.hi, other.hi), 0, 1)
        )

    def classify(self, u: FloatInterval) -> FloatInterval:
        """Return the classifier's logits w u + v at points u, shape ``(P, 1)``."""
        return as_interval((u.lo @ self.numbers.w + self.numbers.v)[:, None])

    def distances(self, u: FloatInterval) -> FloatInterval:
        """Return the distances |u - s_i| from points u to the centroids s_i, shape ``(P, k)``."""
        return as_interval(np.linalg.norm(u.lo[:, None, :] - self.numbers.S.T, axis=-1))

    def unit_vectors(self, u: FloatInterval) -> FloatInterval:
        """Return the unit vectors (s_i - u) / |u - s_i| from u to the centroids s_i, shape ``(P, k, d)``.

        The entries for a centroid are [-1, 1] if u may be at this centroid.
        """
        differences = as_interval(self.numbers.S.T) - u[:, None, :]
        away = np.maximum(np.maximum(differences.lo, -differences.hi), 0)
        near = np.sqrt((away**2).sum(axis=-1, keepdims=True))
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (differences.lo / near, differences.hi / near)
            far = np.sqrt(
                (np.maximum(np.abs(differences.lo), np.abs(differences.hi)) ** 2).sum(axis=-1, keepdims=True)
            )
            low = np.where(differences.lo >= 0, differences.lo / far, ends[0])
            high = np.where(differences.hi <= 0, differences.hi / far, ends[1])
        return FloatInterval(
            np.clip(np.nan_to_num(low, nan=-1), -1, 1), np.clip(np.nan_to_num(high, nan=1), -1, 1)
        )

    def pick(self, values: FloatInterval, label: NDArray[np.int64]) -> FloatInterval:
        """Return each box's entry or row at its label, shape ``(P, 1)`` or ``(P, 1, d)``."""
        return values[np.arange(len(label)), label][:, None]


class Points:
    """An evaluation of the network on points alpha, shape ``(P, k)``, in float64."""

    def __init__(self, numbers: Numbers) -> None:
        self.n = numbers
        self._read = numbers.embedding @ numbers.W.T + numbers.b

    def u(self, h: Floats, token: int) -> Floats:
        """Return the cell's output u for the states ``h`` and a token, shape ``(P, d)``."""
        n, d = self.n, len(self.n.S)
        read, inside = self._read[token], h @ n.U.T + n.c
        if n.kind == "sr-elman":
            return np.asarray(np.tanh(read + inside))
        r, z = (
            0.5 * (1 + np.tanh(0.5 * (read[g * d : g * d + d] + inside[:, g * d : g * d + d])))
            for g in (0, 1)
        )
        new = np.tanh(read[2 * d :] + r * inside[:, 2 * d :])
        return np.asarray(new + z * (h - new))

    def mix(self, u: Floats) -> Floats:
        """Return the next mixture alpha for the cell's output u, shape ``(P, k)``."""
        n = self.n
        b = (
            u @ n.S
            if n.similarity == "dot"
            else -np.stack([np.linalg.norm(u - s, axis=1) for s in n.S.T], axis=1)
        )
        logits = (b - b.max(axis=-1, keepdims=True)) / n.tau
        weights = np.exp(logits)
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))

    def first(self) -> Floats:
        """Return alpha before the first symbol, shape ``(1, k)``."""
        if not self.n.start_token:
            return np.eye(self.n.k)[:1]
        return self.mix(self.u(np.zeros((1, len(self.n.S))), self.n.start))

    def step(self, alpha: Floats, token: int) -> Floats:
        """Return the mixtures alpha after the token, shape ``(P, k)``."""
        return self.mix(self.u(alpha @ self.n.S.T, token))

    def steps(self, alpha: Floats, tokens: NDArray[np.int64]) -> Floats:
        """Return the mixtures alpha after one token per row, shape ``(P, k)``."""
        after = np.empty_like(alpha)
        for token in np.unique(tokens):
            after[tokens == token] = self.step(alpha[tokens == token], int(token))
        return after

    def accepts(self, alpha: Floats) -> Floats:
        """Return the classifier's logits after the end token, shape ``(P,)``; a positive logit accepts."""
        return np.asarray(self.u(alpha @ self.n.S.T, self.n.end) @ self.n.w + self.n.v)


def _monotone(x: FloatInterval, function: Callable[[Floats], Floats]) -> FloatInterval:
    low = function(x.lo)
    return FloatInterval(low, low if x.hi is x.lo else function(x.hi))


def _mid_rad(x: FloatInterval) -> tuple[Floats, Floats]:
    return 0.5 * (x.lo + x.hi), 0.5 * (x.hi - x.lo)


def multipliers(low: Floats, high: Floats, box: FloatBoxes) -> Floats:
    """Return, for each row g of a slope, a number m that tightens the bound on sum_i g_i delta_i over a box.

    delta = alpha - box.middle sums to 0, so the sum equals sum_i (g_i - m) delta_i, which is bounded instead.
    To maximise the sum, alpha takes its upper bound at the largest g_i first, until its entries sum to 1. The
    best m is the g_i at which this stops.
    """
    mid = np.broadcast_to(0.5 * (low + high), np.broadcast_shapes(low.shape, box.up.shape))
    order = np.argsort(-mid, axis=-1, kind="stable")
    capacity = np.cumsum(
        np.take_along_axis(np.broadcast_to(box.up - box.down, mid.shape), order, axis=-1), axis=-1
    )
    last = np.argmax(capacity >= -box.down.sum(axis=-1, keepdims=True) * (1 - 1e-12), axis=-1)[..., None]
    multiplier = np.take_along_axis(mid, np.take_along_axis(order, last, axis=-1), axis=-1)
    return np.asarray(multiplier[..., 0])


def _largest(low: Floats, high: Floats, box: FloatBoxes) -> Floats:
    """Return an upper bound of sum_i g_i (alpha - box.middle)_i over the box, for each row g of the slope."""
    off = multipliers(low, high, box)[..., None]
    return np.asarray(np.maximum((high - off) * box.up, (low - off) * box.down).sum(axis=-1))
