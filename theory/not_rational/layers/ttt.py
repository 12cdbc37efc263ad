"""TTT-Linear (Sun et al. 2024), one token for each step.

The state is the weight matrix of a model that learns by gradient descent: f(x; W) = x + LN(W x). The gradient
is not linear in W because of the normalisation. With one unit, the normalised vector is 0, so the cell needs
at least two units.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, ONE, PER_UNIT, SQUARE, TOKEN, Cell
from theory.not_rational.vectors import (
    State,
    Vector,
    Weights,
    column,
    dot,
    each,
    outer,
    plus,
    read,
    rows,
    scaled,
    times,
)


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute W_t by one gradient step on |f(k_t; W) - v_t|^2 at W_{t-1}, and o_t = f(q_t; W_t).

    The learning rate is eta. The state contains W_t - W_0, so that it is initially zero.
    """
    learnt, _ = state
    q, k, v = (column(w[f"W_{name}"], x) for name in "qkv")
    hat, deviation = _normalised(w, learnt, k, a)
    error = plus(k, times(w["scale"], hat), w["shift"], scaled(-1, v))
    slope = scaled(
        2, times(w["scale"], error)
    )  # derivative of the loss with respect to the normalised vector
    level, along = _mean(slope, a), _mean(times(slope, hat), a)
    centred = plus(slope, [-1 * level] * len(k), scaled(-1 * along, hat))
    gradient = [a.quotient(z, deviation) for z in centred]  # derivative with respect to W k
    learnt = plus(learnt, scaled(-1 * w["eta"][x], outer(gradient, k)))
    hat, _ = _normalised(w, learnt, q, a)
    return learnt, plus(q, times(w["scale"], hat), w["shift"])


def _normalised(w: Weights, learnt: Vector, x: Vector, a: Arithmetic) -> tuple[Vector, Any]:
    """Return the normalised W x and its standard deviation, the root of the variance plus eps."""
    z = plus(read(w["W_0"], x), [dot(row, x) for row in rows(learnt, len(x))])
    z = plus(z, [-1 * _mean(z, a)] * len(z))
    deviation = a.root(_mean(times(z, z), a) + w["eps"])
    return each(lambda number: a.quotient(number, deviation), z), deviation


def _mean(vector: Vector, a: Arithmetic) -> Any:
    return a.number(Fraction(1, len(vector))) * sum(vector)


CELL = Cell(
    "ttt",
    "TTT-Linear, one token per step (Sun et al. 2024)",
    step,
    {
        "W_q": INPUT,
        "W_k": INPUT,
        "W_v": INPUT,
        "W_0": SQUARE,
        "scale": PER_UNIT,
        "shift": PER_UNIT,
        "eta": TOKEN,
        "eps": ONE,
    },
    ("W", "o"),
    "o",
    extents={"W": SQUARE},
    positive=("eta", "eps"),
    fewest=2,
)
