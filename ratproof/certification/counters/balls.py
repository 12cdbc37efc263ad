"""The step of a network with a cell state in ball arithmetic (python-flint).

Each number is a ball that contains the true value, including all rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from flint import arb, fmpq

from automata.aliases import Floats
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.soft_networks.balls import Balls, each, exact, product, softmax, union

HALF = arb(0.5)
Ends: TypeAlias = tuple[Balls, Balls]
"""The lower and the upper ends of the cell's values, as balls."""


class BallStep:
    """The network at the precision ``flint.ctx.prec``, on boxes or points.

    Args:
        numbers: The network.
        saturated: Whether the gates are saturated.
    """

    def __init__(self, numbers: CounterNumbers, saturated: bool = False) -> None:
        self.n, self.saturated = numbers, saturated
        self.U, self.P = exact(numbers.U), exact(numbers.P)
        self.w, self.v = exact(numbers.w), exact(numbers.v[None])[0]
        self.S = None if numbers.S is None else exact(numbers.S).T
        self.tau = (
            arb(1) if numbers.temperature is None else arb(fmpq(*numbers.temperature.as_integer_ratio()))
        )
        bias = exact(numbers.b) + exact(numbers.c)
        maps = product(exact(numbers.W), exact(numbers.embedding.T))
        self.reads = maps.T + bias

    def read(self, tokens: Sequence[int]) -> Balls:
        """Return balls that contain W x + b + c for each token's embedding x, shape ``(4 d,)``."""
        rows: Balls = self.reads[tokens[0]]
        for token in tokens[1:]:
            rows = union(rows, self.reads[token])
        return rows

    def inside(self, h: Balls) -> Balls:
        """Return U h, the recurrent part of the gates' preactivations, shape ``(4 d,)``."""
        return product(self.U, h[:, None])[:, 0]

    def gates(self, pre: Balls, c: Ends) -> tuple[Ends, Ends, Balls]:
        """Return f and m of the next cell state c' = f c + m, and o, the output gate's preactivation.

        ``pre`` has the preactivations of all gates without peepholes, and c is the cell state. f and m = i g
        are the lower and upper ends of intervals. o has no peephole either. Each array has shape ``(d,)``.
        """
        i, f, g, o = np.split(pre, 4)
        zero = np.array([arb(0)] * len(g), dtype=object)
        i_ends, f_ends = (self._gate(x, row, c, sigmoid, 0) for x, row in ((i, self.P[0]), (f, self.P[1])))
        return f_ends, multiply(i_ends, self._gate(g, zero, c, arb.tanh, -1)), o

    def output(self, o: Balls, c: Ends) -> Balls:
        """Return the recurrent component's output u: the output gate times tanh(c).

        ``o`` is the gate's preactivation without the peephole, and c is the new cell state.
        """
        squashed = each(arb.tanh, c[0]), each(arb.tanh, c[1])
        return union(*multiply(self._gate(o, self.P[2], c, sigmoid, 0), squashed))

    def mix(self, u: Balls) -> Balls:
        """Return the next h from the recurrent component's output u.

        Without centroids, h = u. With centroids s_i of probabilities alpha_i, h = sum_i alpha_i s_i. The sum
        is computed as s_l + sum_i alpha_i (s_i - s_l) for one l.
        """
        if self.S is None:
            return u
        middles = [float(value.mid()) for value in u]
        label = int((np.array(middles) @ self.n.S).argmax())
        differences = self.S - self.S[label]
        gaps = (differences @ u) / self.tau
        alpha = softmax(gaps)
        h = self.S[label].copy()
        for i in range(len(gaps)):
            if i != label:
                h = h + differences[i] * alpha[i]
        return np.asarray(h)

    def logit(self, h: Balls, c: Ends) -> arb:
        """Return the classifier's logit after the end token."""
        f, m, o = self.gates(self.inside(h) + self.reads[self.n.end], c)
        return sum(self.w * self.output(o, carried(f, m, c)), self.v)

    def _gate(self, x: Balls, peepholes: Balls, c: Ends, soft: Callable[[arb], arb], least: int) -> Ends:
        """Return an interval that contains the gate's value; a saturated gate is a step function."""

        def end(v: arb, p: arb, far: arb, near: arb) -> arb:
            return self._end(v if p == 0 else v + p * (near if p > 0 else far), soft, least)

        low, high = c
        return each(end, each(arb.lower, x), peepholes, high, low), each(
            end, each(arb.upper, x), peepholes, low, high
        )

    def _end(self, x: arb, soft: Callable[[arb], arb], least: int) -> arb:
        if self.saturated and x > HALF:
            return arb(1)
        if self.saturated and x < -HALF:
            return arb(least)
        # the gate may be on either side of its step
        if self.saturated and (x.overlaps(HALF) or x.overlaps(-HALF)):
            return arb(least).union(arb(1))
        return soft(x)


def sigmoid(x: arb) -> arb:
    """Return 1 / (1 + exp(-x))."""
    return 1 / (1 + (-x).exp())


def carried(f: Ends, m: Ends, c: Ends) -> Ends:
    """Return the interval of the next cell state f c + m, where f >= 0; c may be infinite if f = 0."""

    def end(small: arb, large: arb, cell: arb, more: arb) -> arb:
        factor = small if cell >= 0 else large if cell <= 0 else small.union(large)
        return more + (arb(0) if factor == 0 else factor * cell)

    return each(end, f[0], f[1], c[0], m[0]), each(end, f[1], f[0], c[1], m[1])


def multiply(one: Ends, other: Ends) -> Ends:
    """Return products of intervals.

    They are computed from the endpoints, because the radius of a ball has few bits.
    """
    products = [each(arb.__mul__, a, b) for a in one for b in other]
    least, most = products[0], products[0]
    for more in products[1:]:
        least, most = each(arb.min, least, more), each(arb.max, most, more)
    return least, most


def between(corners: Floats) -> Balls:
    """Return balls that contain the finite intervals with these corners, of shape ``(2, d)``."""
    return union(*ends(corners))


def ends(corners: Floats) -> Ends:
    """Return the corners of intervals, of shape ``(2, d)``, as exact balls; corners may be infinite."""
    return exact(corners[0]), exact(corners[1])
