"""MesaNet (von Oswald et al. 2025): the product of an automaton and the inverse of another one."""

from __future__ import annotations

from typing import Any

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, PER_UNIT, SQUARE, TOKEN, Cell
from theory.not_rational.vectors import State, Vector, Weights, column, dot, outer, plus, rows, scaled


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute G_t = f G_{t-1} + i v_t k_t^T, H_t = f H_{t-1} + i k_t k_t^T and G_t (H_t + diag(w))^-1 q_t.

    The last of these is the output. The gates f and i are sigmoids of values that depend only on the letter.
    The weights w are positive.
    """
    g, h, _ = state
    q, k, v = (column(w[f"W_{name}"], x) for name in "qkv")
    f, i = a.sigmoid(w["f"][x]), a.sigmoid(w["i"][x])
    g, h = plus(scaled(f, g), scaled(i, outer(v, k))), plus(scaled(f, h), scaled(i, outer(k, k)))
    matrix = [
        [z + (w["w"][j] if j == i else 0) for j, z in enumerate(row)] for i, row in enumerate(rows(h, len(q)))
    ]
    solution = solved(matrix, q, a)
    return g, h, [dot(row, solution) for row in rows(g, len(q))]


def solved(matrix: list[list[Any]], right: Vector, a: Arithmetic) -> Vector:
    """Return the solution x of ``matrix`` x = ``right``, by elimination without pivoting.

    The matrix must be positive definite.
    """
    (pivot, *row), *below = matrix
    first, *rest = right
    if not below:
        return [a.quotient(first, pivot)]
    factors = [a.quotient(line[0], pivot) for line in below]
    smaller = [
        [z - m * y for z, y in zip(line[1:], row, strict=True)]
        for line, m in zip(below, factors, strict=True)
    ]
    others = solved(smaller, [z - m * first for z, m in zip(rest, factors, strict=True)], a)
    return [a.quotient(first - dot(row, others), pivot), *others]


CELL = Cell(
    "mesa-net",
    "MesaNet, with exact solutions (von Oswald et al. 2025)",
    step,
    {"W_q": INPUT, "W_k": INPUT, "W_v": INPUT, "f": TOKEN, "i": TOKEN, "w": PER_UNIT},
    ("G", "H", "o"),
    "o",
    extents={"G": SQUARE, "H": SQUARE},
    positive=("w",),
)
