"""RWKV-4 (Peng et al. 2023): the quotient wkv, with one channel for each unit."""

from __future__ import annotations

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, PER_UNIT, Cell
from theory.not_rational.vectors import State, Weights, column, each, plus, scaled, times


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute wkv_t = (a_{t-1} + exp(u + k_t) v_t) / (b_{t-1} + exp(u + k_t)).

    The sums are a_t = exp(-w) a_{t-1} + exp(k_t) v_t and b_t = exp(-w) b_{t-1} + exp(k_t).
    """
    above, below, _ = state
    k, v = column(w["W_k"], x), column(w["W_v"], x)
    here, kept, later = each(a.exp, plus(w["u"], k)), each(a.exp, scaled(-1, w["w"])), each(a.exp, k)
    quotients = zip(plus(above, times(here, v)), plus(below, here), strict=True)
    output = [a.quotient(*pair) for pair in quotients]
    return plus(times(kept, above), times(later, v)), plus(times(kept, below), later), output


CELL = Cell(
    "rwkv-4",
    "RWKV-4, the quotient wkv (Peng et al. 2023)",
    step,
    {"w": PER_UNIT, "u": PER_UNIT, "W_k": INPUT, "W_v": INPUT},
    ("a", "b", "o"),
    "o",
    positive=("w",),
)
