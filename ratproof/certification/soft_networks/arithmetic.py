"""The interface of interval arithmetic in which a step of a network is enclosed.

It has two implementations: :class:`~ratproof.certification.soft_networks.floats.FloatArithmetic`, which is
fast and not rigorous, on many boxes at once; and
:class:`~ratproof.certification.soft_networks.balls.BallArithmetic`, which is rigorous, on one box.
"""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

from ratproof.certification.soft_networks.numbers import Numbers


class Enclosure(Protocol):
    """An array of intervals, with elementwise operations."""

    def __add__(self, other: Self, /) -> Self: ...

    def __sub__(self, other: Self, /) -> Self: ...

    def __mul__(self, other: Self, /) -> Self: ...

    def __rsub__(self, other: int, /) -> Self: ...


V = TypeVar("V", bound=Enclosure)
"""An array of enclosures: :class:`~ratproof.certification.soft_networks.floats.FloatInterval`, or an array of
balls."""
BoxT = TypeVar("BoxT")
"""Boxes of mixtures alpha, in the arithmetic's own type."""
PlaceT = TypeVar("PlaceT")
"""Labels or tokens: a single index, or one index per box."""
BoxT_contra = TypeVar("BoxT_contra", contravariant=True)
PlaceT_contra = TypeVar("PlaceT_contra", contravariant=True)


class EnclosureArithmetic(Protocol[V, BoxT_contra, PlaceT_contra]):
    """A network's matrices, and the operations of a step on enclosures.

    Attributes:
        S: The centroids as columns.
        US: The product U S for each gate.
        c: The hidden bias c for each gate.
        w: The classifier's weights, as a row.
    """

    numbers: Numbers
    S: V
    US: list[V]
    c: list[V]
    w: V

    def read(self, token: PlaceT_contra, gate: int) -> V:
        """Return W x + b, the input part of a gate's preactivation, for the token's embedding x."""

    def times_middle(self, matrix: V, box: BoxT_contra) -> V:
        """Return the product of a matrix and the middle point of the box."""

    def scale_rows(self, vector: V, matrix: V) -> V:
        """Return the matrix with each row multiplied by the corresponding entry of the vector."""

    def multiply(self, one: V, other: V) -> V:
        """Return elementwise products."""

    def reach(self, middle: V, slope: V, box: BoxT_contra) -> V:
        """Return ``middle`` plus the range of slope (alpha - box.middle) for all alpha in the box."""

    def sigmoid(self, x: V) -> V:
        """Return 1 / (1 + exp(-x))."""

    def tanh(self, x: V) -> V:
        """Return the hyperbolic tangent."""

    def sigmoid_slope(self, s: V) -> V:
        """Return s (1 - s), the derivative of the sigmoid where its value is s."""

    def tanh_slope(self, t: V) -> V:
        """Return 1 - t^2, the derivative of tanh where its value is t."""

    def centroid_differences(self, label: PlaceT_contra) -> V:
        """Return the differences s_i - s_label between each centroid s_i and the label's, as rows."""

    def apply(self, matrix: V, vector: V) -> V:
        """Return the product of a matrix and a vector, whose entries are points instead of wide intervals."""

    def times_slope(self, matrix: V, slope: V) -> V:
        """Return the product of a matrix and a matrix of slopes."""

    def divide_by_temperature(self, value: V) -> V:
        """Return the value divided by tau."""

    def softmax(self, gaps: V) -> V:
        """Return exp(gap_i) / sum_j exp(gap_j)."""

    def average(self, alpha: V, slope: V) -> V:
        """Return the row vector sum_i alpha_i slope[i]."""

    def meet(self, one: V, other: V) -> V:
        """Return the elementwise intersection."""

    def classify(self, u: V) -> V:
        """Return the classifier's logit w u + v."""

    def distances(self, u: V) -> V:
        """Return the Euclidean distances |u - s_i| to all centroids."""

    def unit_vectors(self, u: V) -> V:
        """Return the unit vectors (s_i - u) / |u - s_i| from u to the centroids s_i, as rows.

        The entries for a centroid are [-1, 1] if u may be at this centroid.
        """

    def pick(self, values: V, label: PlaceT_contra) -> V:
        """Return, for each box, the entry or the row at its label, with an axis of length 1 in its place."""
