"""Linear attention with its normaliser (Katharopoulos et al. 2020): a quotient of two automata."""

from __future__ import annotations

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, SQUARE, Cell
from theory.not_rational.vectors import State, Weights, column, columns, dot, outer, plus


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute S_t = S_{t-1} + k_t v_t^T, z_t = z_{t-1} + k_t and o_t = S_t^T q_t / z_t^T q_t.

    The feature map phi is already applied to q and k.
    """
    memory, z, _ = state
    q, k, v = (column(w[f"W_{name}"], x) for name in "qkv")
    memory, z = plus(memory, outer(k, v)), plus(z, k)
    below = dot(q, z)
    return memory, z, [a.quotient(dot(q, s), below) for s in columns(memory, len(v))]


CELL = Cell(
    "linear-attention",
    "linear attention with its normaliser, keys and queries after phi (Katharopoulos et al. 2020)",
    step,
    {"W_q": INPUT, "W_k": INPUT, "W_v": INPUT},
    ("S", "z", "o"),
    "o",
    extents={"S": SQUARE},
    positive=("W_q", "W_k"),
    counts=True,
)
