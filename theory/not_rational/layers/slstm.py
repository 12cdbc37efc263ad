"""sLSTM (Beck et al. 2024) with its stabiliser; all gates read h."""

from __future__ import annotations

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import INPUT, PER_UNIT, SQUARE, Cell
from theory.not_rational.vectors import State, Weights, affine, each, plus, scaled, times


def step(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute c_t = f' c_{t-1} + i z, n_t = f' n_{t-1} + i and h_t = o c_t / n_t, stabilised by m_t.

    m_t = max(log f + m_{t-1}, i~), i = exp(i~ - m_t) and f' = exp(log f + m_{t-1} - m_t), with f =
    sigmoid(f~), o = sigmoid(o~) and z = tanh(z~). The factor of m_t in c_t and n_t cancels in h_t.
    """
    c, n, m, h = state
    log_i = affine(w, "i", x, h)
    f, o = (each(a.sigmoid, affine(w, gate, x, h)) for gate in "fo")
    kept = plus(each(a.log, f), m)
    m = [a.maximum(*pair) for pair in zip(kept, log_i, strict=True)]
    i, f = (each(a.exp, plus(log, scaled(-1, m))) for log in (log_i, kept))
    c = plus(times(f, c), times(i, each(a.tanh, affine(w, "z", x, h))))
    n = plus(times(f, n), i)
    return c, n, m, times(o, [a.quotient(*pair) for pair in zip(c, n, strict=True)])


CELL = Cell(
    "slstm",
    "sLSTM, the hidden state h (Beck et al. 2024)",
    step,
    {
        f"{kind}_{gate}": shape
        for gate in "ifzo"
        for kind, shape in (("W", INPUT), ("U", SQUARE), ("b", PER_UNIT))
    },
    ("c", "n", "m", "h"),
    "h",
)
