"""The decision of a network with a cell state on one string, in ball arithmetic with all rounding errors."""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np
from flint import arb

from ratproof.certification.counters.balls import BallStep, Ends, carried
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.soft_networks.balls import Balls, exact

PRECISIONS = (128, 512, 2048)
"""Precisions in bits, tried in turn until the decision is certain."""


def decision(numbers: CounterNumbers, tokens: Sequence[int], saturated: bool = False) -> bool | None:
    """Return whether the network accepts the string of these tokens, with soft or saturated gates.

    Return ``None`` if the decision is not certain at the highest precision.
    """
    for bits in PRECISIONS:
        with flint.ctx.workprec(bits):
            step = BallStep(numbers, saturated)
            h, c = first(step)
            for token in tokens:
                h, c = after(step, h, c, token)
            logit = step.logit(h, c)
        if logit > 0 or logit < 0:
            return bool(logit > 0)
    return None


def first(step: BallStep) -> tuple[Balls, Ends]:
    """Return h, as balls, and the interval of c before the first symbol."""
    zero = np.array([arb(0)] * step.n.d, dtype=object)
    h, c = exact(step.n.first_h), (zero, zero)
    return after(step, h, c, step.n.start) if step.n.start_token else (h, c)


def after(step: BallStep, h: Balls, c: Ends, token: int) -> tuple[Balls, Ends]:
    """Return h, as balls, and the interval of c after one more token."""
    f, m, o = step.gates(step.inside(h) + step.reads[token], c)
    c = carried(f, m, c)
    return step.mix(step.output(o, c)), c
