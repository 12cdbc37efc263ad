"""mLSTM (Beck et al. 2024): its memory and normaliser are automata, and its h is their quotient."""

from __future__ import annotations

from fractions import Fraction

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, SQUARE, TOKEN, Cell
from theory.not_rational.vectors import State, Weights, column, dot, each, outer, plus, rows, scaled, times


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute C_t = f C_{t-1} + i v_t k_t^T, n_t = f n_{t-1} + i k_t and the hidden state h_t.

    h_t = sigmoid(o_t) C_t q_t / max(1, |n_t^T q_t|). The gates i = exp(i_t) and f = sigmoid(f_t) depend only
    on the letter.
    """
    memory, n, _ = state
    q, k, v = (column(w[f"W_{name}"], x) for name in "qkv")
    i, f, o = a.exp(w["i"][x]), a.sigmoid(w["f"][x]), each(a.sigmoid, column(w["W_o"], x))
    memory = plus(scaled(f, memory), scaled(i, outer(v, k)))
    n = plus(scaled(f, n), scaled(i, k))
    read = dot(n, q)
    below = a.maximum(a.maximum(read, -1 * read), a.number(Fraction(1)))
    return memory, n, times(o, [a.quotient(dot(row, q), below) for row in rows(memory, len(k))])


CELL = Cell(
    "mlstm",
    "mLSTM, the hidden state h (Beck et al. 2024)",
    step,
    {"W_q": INPUT, "W_k": INPUT, "W_v": INPUT, "W_o": INPUT, "i": TOKEN, "f": TOKEN},
    ("C", "n", "h"),
    "h",
    extents={"C": SQUARE},
    seed=44,  # with seed 41, the maximum is often 1, and then h is an automaton
)
