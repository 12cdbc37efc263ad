"""Equation 5 in ball arithmetic.

The mixture h = sum_i alpha_i s_i is irrational, but its most probable centroid is decidable. A ball
(``flint.arb``) contains the true value. If two similarities' balls overlap, the string is rerun with twice
the bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import flint

from theory.reading import Recurrence
from theory.state_regularized.shared.limits import transition_table
from theory.state_regularized.shared.networks import Vector, distance
from theory.weights import Weights

FIRST_BITS, MOST_BITS = 64, 1024


class UnsettledMixture(ValueError):
    """Raised if 1,024 bits do not distinguish two similarities, which may be equal."""


@dataclass(frozen=True)
class Mixed:
    """The state of a soft run.

    Attributes:
        string: the symbols read so far.
        label: the most probable centroid, from 1.
        h: the mixture, in ball arithmetic.
        bits: the precision.
    """

    string: str
    label: int
    h: Vector
    bits: int


def ball(value: Any) -> Any:
    """Convert a weight to a ball."""
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def scores(w: Weights, h: Vector, x: str) -> Vector:
    """Return the similarities b of the centroids for a mixture h and a symbol x, in ball arithmetic.

    The cell is that of :mod:`theory.state_regularized.shared.networks`.
    """
    one = flint.arb(1)
    u = []
    for row, b in zip(w.U, w.W[x], strict=True):
        z = sum((ball(v) * n for v, n in zip(row, h, strict=True)), start=ball(b))
        u.append(z.min(one).max(-one))
    if w.eq == 2:
        return tuple(
            sum((a * ball(s) for a, s in zip(u, row, strict=True)), start=flint.arb(0)) for row in w.S
        )
    return tuple(-distance(tuple(u), tuple(map(ball, s))) for s in w.S)


def distribution(b: Vector, inverse_temperature: Any) -> Vector:
    """Return alpha = softmax(b / tau), in ball arithmetic.

    Each component is 1 / (1 + the sum of exp((b_j - b_i) / tau) over j != i). A quotient of exponentials
    would enlarge the ball of the largest component with each symbol.
    """

    def component(i: int) -> Any:
        others = (n for j, n in enumerate(b) if j != i)
        return 1 / sum((((n - b[i]) * inverse_temperature).exp() for n in others), start=flint.arb(1))

    return tuple(map(component, range(len(b))))


def settled(b: Vector) -> int | None:
    """Return the index, counted from 1, of the ball above all others; ``None`` if there is no such ball."""
    return next(
        (
            i
            for i, n in enumerate(b, start=1)
            if all(n > other for j, other in enumerate(b, start=1) if j != i)
        ),
        None,
    )


def start(w: Weights) -> Mixed:
    """Return the state before the first symbol, at the first centroid."""
    return Mixed("", 1, tuple(map(ball, w.S[0])), FIRST_BITS)


def step(w: Weights, now: Mixed, x: str) -> Mixed:
    """Return the state after one symbol, computed with as many bits as needed.

    Raises:
        UnsettledMixture: If the most probable centroid is undecided at the maximum precision.
    """
    after = _step(w, now, x)
    bits = now.bits
    while after is None:
        bits *= 2
        if bits > MOST_BITS:
            raise UnsettledMixture(
                f"after {now.string + x!r} two centroids seem to be equally probable: {w.describe()}"
            )
        again: Mixed | None = Mixed("", 1, start(w).h, bits)
        for symbol in now.string + x:
            again = None if again is None else _step(w, again, symbol)
        after = again
    return after


def _step(w: Weights, now: Mixed, x: str) -> Mixed | None:
    with flint.ctx.workprec(now.bits):
        b = scores(w, now.h, x)
        label = settled(b)
        if label is None:
            return None
        alpha = distribution(b, ball(w.m) * flint.arb(2).log())
        h = tuple(
            sum((a * ball(s[i]) for a, s in zip(alpha, w.S, strict=True)), start=flint.arb(0))
            for i in range(len(w.S[0]))
        )
        return Mixed(now.string + x, label, h, now.bits)


def out(w: Weights, now: Mixed) -> tuple[Any, ...]:
    """Return the one-hot vector of the most probable centroid."""
    return tuple(w.over.one if j == now.label else w.over.zero for j in range(1, w.n + 1))


mixture = Recurrence(start=start, step=step, out=out)


# An undecided step must not refute the claim that the mixture follows the DFA. Therefore, the mixture counts
# as following the DFA from the first undecided step on.


def step_or_doubt(w: Weights, now: Mixed, x: str) -> Mixed:
    """Return the state after one symbol; if centroids may be equally probable, follow the DFA.

    From such a step on, the run follows the DFA and ``bits`` is 0.
    """
    if now.bits:
        try:
            return step(w, now, x)
        except UnsettledMixture:
            pass
    return Mixed(now.string + x, transition_table(w)[now.label, x], now.h, 0)


mixture_in_doubt = Recurrence(start=start, step=step_or_doubt, out=out)
