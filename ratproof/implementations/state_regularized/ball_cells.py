"""The cells of state-regularized networks in ball arithmetic, independent of torch.

They follow Wang & Niepert 2019, section 3, equations 2, 3 and 6 to 8. The GRU follows torch's equations. The
results enclose the exact value of a cell whose parameters are these floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import flint
import numpy as np
from flint import arb

PRECISION = 128
Ball = Any
"""A ``flint.arb``."""
Vector = list[Ball]


def ball(value: float) -> Ball:
    """Return the exact value of a float as a ball."""
    return arb(float(value))


def similarities(
    kind: str, similarity: str, parameters: Mapping[str, Any], h: Vector, c: Vector | None, x: Vector
) -> Vector:
    """Return b, the similarities of the cell's output u to the centroids, in ball arithmetic.

    Args:
        kind: ``"sr-elman"``, ``"sr-gru"``, ``"sr-lstm"`` or ``"sr-lstm-p"``.
        similarity: ``"dot"`` (equation 2) or ``"euclidean"`` (equation 3).
        parameters: The parameters of one cell, keyed by their names in its ``state_dict``.
        h: The hidden state.
        c: The cell state, if the cell has one.
        x: The input.
    """
    with flint.ctx.workprec(PRECISION):
        d = len(h)
        read = affine(parameters, "part.input", x)
        hidden_part = affine(parameters, "part.hidden", h)
        gates = [(read[i : i + d], hidden_part[i : i + d]) for i in range(0, len(read), d)]
        u = STEPS[kind](gates, h, c, parameters)
        centroids = np.asarray(parameters["component.centroids"]).T
        if similarity == "dot":
            return [total(a * ball(s) for a, s in zip(u, row, strict=True)) for row in centroids]
        return [-total((a - ball(s)) ** 2 for a, s in zip(u, row, strict=True)).sqrt() for row in centroids]


def affine(parameters: Mapping[str, Any], name: str, values: Vector) -> Vector:
    """Return W v + b."""
    weight = np.asarray(parameters[f"{name}.weight"])
    bias = parameters.get(f"{name}.bias", np.zeros(len(weight)))
    return [
        total((ball(w) * v for w, v in zip(row, values, strict=True)), ball(b))
        for row, b in zip(weight, bias, strict=True)
    ]


def total(terms: Any, start: Ball = None) -> Ball:
    return sum(terms, start=arb(0) if start is None else start)


def sigmoid(v: Ball) -> Ball:
    """Return 1 / (1 + exp(-v)), which stays within [0, 1] for any radius of the ball."""
    return arb(1) / (1 + (-v).exp())


def sums(gate: tuple[Vector, Vector]) -> Vector:
    """Return the gate's preactivation: the sum of its two linear maps."""
    return [a + b for a, b in zip(*gate, strict=True)]


Gates = Sequence[tuple[Vector, Vector]]
"""The input part W x + b and the recurrent part U h + b' of each gate."""


def elman(gates: Gates, h: Vector, c: Vector | None, parameters: Mapping[str, Any]) -> Vector:
    """Return the output u = tanh(W x + U h + b) of an Elman cell."""
    return [v.tanh() for v in sums(gates[0])]


def gru(gates: Gates, h: Vector, c: Vector | None, parameters: Mapping[str, Any]) -> Vector:
    """Return the output u = (1 - z) n + z h of a GRU cell, with n = tanh(W x + b + r (U h + b'))."""
    r, z = (list(map(sigmoid, sums(gate))) for gate in gates[:2])
    n = [(a + g * b).tanh() for g, a, b in zip(r, *gates[2], strict=True)]
    return [(1 - g) * new + g * old for g, new, old in zip(z, n, h, strict=True)]


def lstm(gates: Gates, h: Vector, c: Vector | None, parameters: Mapping[str, Any]) -> Vector:
    """Return the output u = o tanh(c') of an LSTM cell, with c' = f c + i g."""
    nothing = [arb(0)] * len(h)
    return _lstm(gates, c, nothing, nothing, nothing)


def lstm_p(gates: Gates, h: Vector, c: Vector | None, parameters: Mapping[str, Any]) -> Vector:
    """Return the output u of an LSTM cell with peepholes.

    The gates i and f read c (equations 6 and 7), and o reads c' (equation 8).
    """
    return _lstm(gates, c, *([ball(p) for p in row] for row in np.asarray(parameters["part.peepholes"])))


def _lstm(gates: Gates, c: Any, see_i: Vector, see_f: Vector, see_o: Vector) -> Vector:
    in_i, in_f, in_g, in_o = map(sums, gates)
    i = [sigmoid(v + p * m) for v, p, m in zip(in_i, see_i, c, strict=True)]
    f = [sigmoid(v + p * m) for v, p, m in zip(in_f, see_f, c, strict=True)]
    after = [a * m + b * v.tanh() for a, m, b, v in zip(f, c, i, in_g, strict=True)]
    return [sigmoid(v + p * m) * m.tanh() for v, p, m in zip(in_o, see_o, after, strict=True)]


STEPS: dict[str, Callable[[Gates, Vector, Vector | None, Mapping[str, Any]], Vector]] = {
    "sr-elman": elman,
    "sr-gru": gru,
    "sr-lstm": lstm,
    "sr-lstm-p": lstm_p,
}
"""The function that computes u, keyed by the kind of the cell."""
