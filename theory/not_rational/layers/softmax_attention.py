"""Softmax attention of one head in one layer (Vaswani et al. 2017), with a causal mask.

Over an alphabet, there is one query for each letter. The state therefore consists of the two sums of the
softmax for each query, instead of all keys and values.
"""

from __future__ import annotations

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, TOKEN, Cell
from theory.not_rational.vectors import State, Weights, column, dot, outer, plus, rows


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute o_t = sum_i exp(q_t^T k_i) v_i / sum_i exp(q_t^T k_i), with i from 1 to t.

    Each token is added to both sums of every letter's query. The output is the quotient of the sums for the
    current letter. The keys include a factor such as 1 / sqrt(d).
    """
    above, below, _ = state
    k, v = column(w["W_k"], x), column(w["W_v"], x)
    fresh = [a.exp(dot(column(w["W_q"], y), k)) for y in range(len(below))]
    above, below = plus(above, outer(fresh, v)), plus(below, fresh)
    return above, below, [a.quotient(number, below[x]) for number in rows(above, len(v))[x]]


CELL = Cell(
    "softmax-attention",
    "softmax attention, one causal head in one layer (Vaswani et al. 2017)",
    step,
    {"W_q": INPUT, "W_k": INPUT, "W_v": INPUT},
    ("a", "b", "o"),
    "o",
    extents={"a": ("letters", "units"), "b": TOKEN},
    counts=True,
)
