"""Gated slot attention (Zhang et al. 2024): the slots are automata, and a softmax reads them."""

from __future__ import annotations

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, SQUARE, Cell
from theory.not_rational.vectors import State, Vector, Weights, column, dot, each, outer, plus, rows


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute K_t = diag(alpha_t) K_{t-1} + (1 - alpha_t) k_t^T, V_t likewise, and V_t^T softmax(K_t q_t).

    The last of these is the output. The gate alpha_t is a sigmoid with a component for each slot. There are
    as many slots as units.
    """
    keys, values, _ = state
    q, k, v = (column(w[f"W_{name}"], x) for name in "qkv")
    alpha = each(a.sigmoid, column(w["W_a"], x))

    def written(memory: Vector, number: Vector) -> Vector:
        kept = [f * z for f, row in zip(alpha, rows(memory, len(q)), strict=True) for z in row]
        return plus(kept, outer([1 - f for f in alpha], number))

    keys, values = written(keys, k), written(values, v)
    weights = [a.exp(dot(row, q)) for row in rows(keys, len(q))]
    read = [dot(weights, values[unit :: len(q)]) for unit in range(len(q))]
    return keys, values, [a.quotient(number, sum(weights)) for number in read]


CELL = Cell(
    "gsa",
    "gated slot attention, with as many slots as units (Zhang et al. 2024)",
    step,
    {"W_q": INPUT, "W_k": INPUT, "W_v": INPUT, "W_a": INPUT},
    ("K", "V", "o"),
    "o",
    extents={"K": SQUARE, "V": SQUARE},
    fewest=2,  # the softmax over one slot is 1, and then o is an automaton
)
