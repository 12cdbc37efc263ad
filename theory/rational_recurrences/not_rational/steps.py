"""One step of each cell, over any arithmetic: from the weights, the state and a letter's number, the next
state.

A letter is a one-hot vector, so W x is a column of W. The biases are added, and a product by a vector is unit
by unit. A matrix named ``U_f`` reads the state before, for the gate f.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theory.rational_recurrences.not_rational.arithmetic import Arithmetic

Vector = Sequence[Any]
State = tuple[Vector, ...]
Weights = Mapping[str, Any]
ZERO = Fraction(0)


def elman(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """h_t = tanh(W_h x_t + b_h + U_h h_{t-1})."""
    (linear,) = elman_linear(w, state, x, a)
    return (_each(a.tanh, linear),)


def elman_linear(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """h_t = W_h x_t + b_h + U_h h_{t-1}: the paper's Corollary 14 says that it is rational."""
    (h,) = state
    return (_gate(w, "h", x, h),)


def lstm(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """c_t = f_t c_{t-1} + i_t g_t and h_t = o_t tanh(c_t), where all four gates read h_{t-1}."""
    c, h = state
    i, f, o = (_each(a.sigmoid, _gate(w, gate, x, h)) for gate in "ifo")
    c = _sum(_times(f, c), _times(i, _each(a.tanh, _gate(w, "g", x, h))))
    return c, _times(o, _each(a.tanh, c))


def gru(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """h_t = z_t h_{t-1} + (1 - z_t) tanh(W_n x_t + b_n + r_t (U_m h_{t-1} + b_m)), where r_t and z_t read
    h_{t-1}.
    """
    (h,) = state
    r, z = (_each(a.sigmoid, _gate(w, gate, x, h)) for gate in "rz")
    inner = _times(r, _sum(_read(w["U_m"], h), w["b_m"]))
    return (_mix(z, h, _each(a.tanh, _sum(_column(w["W_n"], x), w["b_n"], inner))),)


def sru(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """c_t = f_t c_{t-1} + (1 - f_t) W_u x_t, where f_t = sigmoid(W_f x_t + b_f) reads the letter only."""
    (c,) = state
    f = _each(a.sigmoid, _sum(_column(w["W_f"], x), w["b_f"]))
    return (_mix(f, c, _column(w["W_u"], x)),)


def sru_feedback(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """The same, where f_t = sigmoid(W_f x_t + b_f + v_f c_{t-1})."""
    (c,) = state
    f = _each(a.sigmoid, _sum(_column(w["W_f"], x), w["b_f"], _times(w["v_f"], c)))
    return (_mix(f, c, _column(w["W_u"], x)),)


def rcnn(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Equations 14a and 14b, with lambda_t = sigmoid(W_l x_t + b_l + U_l c2_{t-1}) and u_j = (1 - lambda_t)
    W_j x_t.
    """
    c1, c2 = state
    decay = _each(a.sigmoid, _gate(w, "l", x, c2))
    return _mix(decay, c1, _column(w["W_1"], x)), _mix(decay, c2, _times(c1, _column(w["W_2"], x)))


def rcnn_unigram(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """Equation 14a alone, with lambda_t = sigmoid(W_l x_t + b_l + U_l c_{t-1})."""
    (c,) = state
    return (_mix(_each(a.sigmoid, _gate(w, "l", x, c)), c, _column(w["W_1"], x)),)


def scrn(w: Weights, state: State, x: int, a: Arithmetic) -> State:
    """s_t = alpha s_{t-1} + (1 - alpha) W_s x_t, the context; h_t = sigmoid(W_h x_t + P_h s_t + U_h h_{t-1}),
    the hidden units.
    """
    s, h = state
    s = _mix([w["alpha"]] * len(s), s, _column(w["W_s"], x))
    return s, _each(a.sigmoid, _sum(_column(w["W_h"], x), _read(w["P_h"], s), _read(w["U_h"], h)))


def _gate(w: Weights, gate: str, x: int, h: Vector) -> Vector:
    """W_gate x + b_gate + U_gate h."""
    return _sum(_column(w[f"W_{gate}"], x), w[f"b_{gate}"], _read(w[f"U_{gate}"], h))


def _column(matrix: Sequence[Vector], x: int) -> Vector:
    return [row[x] for row in matrix]


def _read(matrix: Sequence[Vector], vector: Vector) -> Vector:
    return [sum(_times(row, vector)) for row in matrix]


def _sum(*vectors: Vector) -> Vector:
    return [sum(parts) for parts in zip(*vectors, strict=True)]


def _times(one: Vector, other: Vector) -> Vector:
    return [u * v for u, v in zip(one, other, strict=True)]


def _mix(f: Vector, c: Vector, u: Vector) -> Vector:
    """f c + (1 - f) u."""
    return _sum(_times(f, c), [(1 - p) * q for p, q in zip(f, u, strict=True)])


def _each(function: Callable[[Any], Any], vector: Vector) -> Vector:
    return [function(z) for z in vector]
