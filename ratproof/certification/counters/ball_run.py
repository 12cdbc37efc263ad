"""A counter on one string, in balls: its decision, beyond doubt of rounding."""

from __future__ import annotations

from collections.abc import Sequence

import flint
import numpy as np
from flint import arb

from ratproof.certification.counters.balls import BallStep, Ends, carried
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.soft_networks.balls import Balls, exact

PRECISIONS = (128, 512, 2048)
"""Bits, tried one after another until the decision is certain."""


def decision(numbers: CounterNumbers, tokens: Sequence[int], saturated: bool = False) -> bool | None:
    """Whether the network accepts, the soft one or the one with saturated gates; ``None`` where the highest
    precision does not tell.
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
    """The state before the first symbol."""
    zero = np.array([arb(0)] * step.n.d, dtype=object)
    h, c = exact(step.n.first_h), (zero, zero)
    return after(step, h, c, step.n.start) if step.n.start_token else (h, c)


def after(step: BallStep, h: Balls, c: Ends, token: int) -> tuple[Balls, Ends]:
    """The state after one more token."""
    f, m, o = step.gates(step.inside(h) + step.reads[token], c)
    c = carried(f, m, c)
    return step.mix(step.output(o, c)), c
