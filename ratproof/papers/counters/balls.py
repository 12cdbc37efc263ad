"""The step of a network with a cell state in ball arithmetic (python-flint): each number is a ball that holds the
true value, whatever is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq
from numpy.typing import NDArray

from automata.aliases import Floats
from ratproof.papers.certification.balls import Balls, exact, product, union
from ratproof.papers.counters.numbers import CounterNumbers

HALF = arb(0.5)


class BallStep:
    """The network at the precision ``flint.ctx.prec``, on boxes or points.

    Args:
        numbers: the network.
        saturated: with saturated gates.
    """

    def __init__(self, numbers: CounterNumbers, saturated: bool = False) -> None:
        self.n, self.saturated = numbers, saturated
        self.U, self.P = exact(numbers.U), exact(numbers.P)
        self.w, self.v = exact(numbers.w), exact(numbers.v[None])[0]
        self.S = None if numbers.S is None else exact(numbers.S).T
        self.tau = arb(1) if numbers.temperature is None else arb(fmpq(*numbers.temperature.as_integer_ratio()))
        bias = exact(numbers.b) + exact(numbers.c)
        maps = product(exact(numbers.W), exact(numbers.embedding.T))
        self.reads = maps.T + bias

    def read(self, tokens: Sequence[int]) -> Balls:
        """W x + b + c of the least ball for each gate that holds those of all the tokens."""
        rows: Balls = self.reads[tokens[0]]
        for token in tokens[1:]:
            rows = union(rows, self.reads[token])
        return rows

    def inside(self, h: Balls) -> Balls:
        """U h, shape ``(4 d,)``."""
        return product(self.U, h[:, None])[:, 0]

    def gates(self, pre: Balls, c: Balls) -> tuple[Balls, Balls, Balls]:
        """f, m = i g, and the output gate's pre-activation before its peephole, each ``(d,)``."""
        i, f, g, o = np.split(pre, 4)
        f = self._sigmoid(f + scaled(self.P[1], c))
        return f, multiply(self._sigmoid(i + scaled(self.P[0], c)), self._tanh(g)), o

    def output(self, o: Balls, c: Balls) -> Balls:
        """U after a step, from the new c."""
        return multiply(self._sigmoid(o + scaled(self.P[2], c)), each(squash, c))

    def mix(self, u: Balls) -> Balls:
        """The next h, from u: s_l + sum_i alpha_i (s_i - s_l), which holds for every l."""
        if self.S is None:
            return u
        middles = [float(value.mid()) for value in u]
        label = int((np.array(middles) @ self.n.S).argmax())
        apart = self.S - self.S[label]
        gaps = (apart @ u) / self.tau
        low = [gap.lower().exp() for gap in gaps]
        high = [gap.upper().exp() for gap in gaps]
        h = self.S[label].copy()
        for i in range(len(gaps)):
            if i == label:
                continue
            least = low[i] / (low[i] + sum((high[j] for j in range(len(gaps)) if j != i), arb(0)))
            most = high[i] / (high[i] + sum((low[j] for j in range(len(gaps)) if j != i), arb(0)))
            h = h + multiply(np.array([least.union(most)] * len(h), dtype=object), apart[i])
        return np.asarray(h)

    def logit(self, h: Balls, c: Balls) -> arb:
        """The classifier's, after the end token."""
        f, m, o = self.gates(self.inside(h) + self.reads[self.n.end], c)
        u = self.output(o, multiply(f, c) + m)
        return sum(self.w * u, self.v)

    def _sigmoid(self, x: Balls) -> Balls:
        return each(lambda v: self._gate(v, sigmoid, 0), x)

    def _tanh(self, x: Balls) -> Balls:
        return each(lambda v: self._gate(v, lambda end: end.tanh(), -1), x)

    def _gate(self, x: arb, soft: Callable[[arb], arb], least: int) -> arb:
        """A gate's value; with saturated gates it may jump at -1/2 and 1/2."""
        return self._end(x.lower(), soft, least).union(self._end(x.upper(), soft, least))

    def _end(self, x: arb, soft: Callable[[arb], arb], least: int) -> arb:
        if self.saturated and x > HALF:
            return arb(1)
        return arb(least) if self.saturated and x < -HALF else soft(x)


def sigmoid(x: arb) -> arb:
    """1 / (1 + exp(-x))."""
    return 1 / (1 + (-x).exp())


def squash(x: arb) -> arb:
    """The hyperbolic tangent over a ball, which may be infinite."""
    return x.lower().tanh().union(x.upper().tanh())


def scaled(p: Balls, c: Balls) -> Balls:
    """Peepholes times cells: zero where there is no peephole, whatever the cell."""
    return each(lambda a, b: arb(0) if a == 0 else a * b, p, c)


def multiply(one: Balls, other: Balls) -> Balls:
    """Products of intervals: a ball's own product of two wide balls is wider. Zero times infinity is zero."""
    return each(_product, one, other)


def _product(a: arb, b: arb) -> arb:
    if a.is_exact() and b.is_exact() or not (a.is_finite() and b.is_finite()):
        return arb(0) if a == 0 or b == 0 else a * b
    ends = [x * y for x in (a.lower(), a.upper()) for y in (b.lower(), b.upper())]
    return ends[0].union(ends[1]).union(ends[2]).union(ends[3])


def each(function: Callable[..., Any], *arrays: Balls) -> Balls:
    """The function of each entry."""
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)


def hulls(corners: Floats) -> Balls:
    """Balls that hold the intervals ``(2, d)``."""
    return each(lambda a, b: arb(float(a)).union(arb(float(b))), corners[0], corners[1])
