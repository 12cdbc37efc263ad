"""Steps of the cells over any arithmetic.

A step maps the weights, the state and a letter's index to the next state.

A letter is a one-hot vector, so W x is a column of W. The product of two vectors is elementwise. For a gate
f, ``W_f`` is the matrix of the letter, ``U_f`` the matrix of the previous state, and ``b_f`` the bias.
"""

from __future__ import annotations

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.vectors import State, Weights, affine, column, each, mix, plus, read, times


def elman(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute h_t = tanh(W_h x_t + b_h + U_h h_{t-1})."""
    (linear,) = elman_linear(w, state, x, a)
    return (each(a.tanh, linear),)


def elman_linear(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute h_t = W_h x_t + b_h + U_h h_{t-1}, which is rational by Corollary 14 of Peng et al. 2018."""
    (h,) = state
    return (affine(w, "h", x, h),)


def lstm(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute c_t = f_t c_{t-1} + i_t g_t and h_t = o_t tanh(c_t); all four gates read h_{t-1}."""
    c, h = state
    i, f, o = (each(a.sigmoid, affine(w, gate, x, h)) for gate in "ifo")
    c = plus(times(f, c), times(i, each(a.tanh, affine(w, "g", x, h))))
    return c, times(o, each(a.tanh, c))


def gru(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute h_t = z_t h_{t-1} + (1 - z_t) tanh(W_n x_t + b_n + r_t (U_m h_{t-1} + b_m)).

    r_t and z_t read h_{t-1}.
    """
    (h,) = state
    r, z = (each(a.sigmoid, affine(w, gate, x, h)) for gate in "rz")
    inner = times(r, plus(read(w["U_m"], h), w["b_m"]))
    return (mix(z, h, each(a.tanh, plus(column(w["W_n"], x), w["b_n"], inner))),)


def sru(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute c_t = f_t c_{t-1} + (1 - f_t) W_u x_t, with f_t = sigmoid(W_f x_t + b_f)."""
    (c,) = state
    f = each(a.sigmoid, plus(column(w["W_f"], x), w["b_f"]))
    return (mix(f, c, column(w["W_u"], x)),)


def sru_feedback(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute the SRU's step with f_t = sigmoid(W_f x_t + b_f + v_f c_{t-1})."""
    (c,) = state
    f = each(a.sigmoid, plus(column(w["W_f"], x), w["b_f"], times(w["v_f"], c)))
    return (mix(f, c, column(w["W_u"], x)),)


def rcnn(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute equations 14a and 14b of Peng et al. 2018.

    lambda_t = sigmoid(W_l x_t + b_l + U_l c2_{t-1}) and u_j = (1 - lambda_t) W_j x_t.
    """
    c1, c2 = state
    decay = each(a.sigmoid, affine(w, "l", x, c2))
    return mix(decay, c1, column(w["W_1"], x)), mix(decay, c2, times(c1, column(w["W_2"], x)))


def rcnn_unigram(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute only equation 14a, with lambda_t = sigmoid(W_l x_t + b_l + U_l c_{t-1})."""
    (c,) = state
    return (mix(each(a.sigmoid, affine(w, "l", x, c)), c, column(w["W_1"], x)),)


def scrn(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Compute the context units s_t and the hidden units h_t.

    s_t = alpha s_{t-1} + (1 - alpha) W_s x_t, and h_t = sigmoid(W_h x_t + P_h s_t + U_h h_{t-1}).
    """
    s, h = state
    s = mix([w["alpha"]] * len(s), s, column(w["W_s"], x))
    return s, each(a.sigmoid, plus(column(w["W_h"], x), read(w["P_h"], s), read(w["U_h"], h)))
