"""Hypotheses that several claims about gated units share."""

from __future__ import annotations

MEMORYLESS = (
    "The gates are memoryless: f_t and u_t depend on the symbol x_t alone, not on the state before it."
)
C_0 = "The network starts in c_0 = 0, or the automaton in lambda(q_1) = c_0. The paper does not say it."
OUTPUT = "The score is c_t: the output gate and tanh (h_t = tanh(o_t c_t)) come after the recurrence."
