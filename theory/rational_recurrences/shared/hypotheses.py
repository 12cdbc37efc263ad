"""Hypotheses that several claims about gated units share."""

from __future__ import annotations

MEMORYLESS = "The gates are memoryless: f_t and u_t depend only on the symbol x_t, not on the previous state."
C_0 = (
    "The network starts in c_0 = 0, or the automaton has the initial weight lambda(q_1) = c_0. The paper does"
    " not state this."
)
OUTPUT = "The score is c_t: the output gate and tanh are applied after the recurrence (h_t = tanh(o_t c_t))."
ANY_GATES = (
    "The gates are any functions of the symbol. In the paper they are a sigmoid, or a function g, of an"
    " affine map of an embedding; the torch layers compute these."
)
