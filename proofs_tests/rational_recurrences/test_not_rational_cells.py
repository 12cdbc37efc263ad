"""Tests of the cells that are not automata: they have torch's equations, and balls contain exact results."""

import operator
from dataclasses import replace
from fractions import Fraction

import flint
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import InputError
from ratproof.certification.not_rational.matrix import first_strings, hankel
from theory.not_rational.arithmetic import BALLS, FLOATS, Arithmetic
from theory.not_rational.cells import CELLS, cell_named
from theory.not_rational.weights import from_json, some

ROUNDINGS = flint.arb(2) ** -53 * 16
"""Bound on 16 roundings of float64; no sum in this file has 16 terms, and tanh and exp are off by a few
units.
"""


class Rounded:
    """A ball that contains the result of every float64 evaluation, with sums in any order."""

    def __init__(self, ball):
        self.ball = ball

    def __add__(self, other):
        terms = [self.ball, rounded(other).ball]
        return Rounded(sum(terms) + sum(abs(term) for term in terms) * ROUNDINGS * flint.arb(0, 1))

    def __mul__(self, other):
        return inflated(self.ball * rounded(other).ball)

    def __rsub__(self, other):
        return self * -1 + other

    __radd__, __rmul__ = __add__, __mul__


def rounded(value):
    return value if isinstance(value, Rounded) else Rounded(flint.arb(value))


def inflated(ball):
    return Rounded(ball + abs(ball) * ROUNDINGS * flint.arb(0, 1))


FLOAT64 = Arithmetic(
    lambda w: inflated(BALLS.number(w)),
    lambda x: inflated(BALLS.sigmoid(x.ball)),
    lambda x: inflated(BALLS.tanh(x.ball)),
)


def torch_cell(weighted_cell):
    """Return torch's cell with the same weights, with the gates in torch's order."""
    d, letters = weighted_cell.units, len(weighted_cell.letters)
    w = {name: torch.tensor(value, dtype=torch.float64) for name, value in weighted_cell.over(float).items()}
    kind, gates = {
        "elman": (torch.nn.RNNCell, "h"),
        "lstm": (torch.nn.LSTMCell, "ifgo"),
        "gru": (torch.nn.GRUCell, "rzn"),
    }[weighted_cell.cell.name]
    module = kind(letters, d, dtype=torch.float64)
    hidden = gates.replace("n", "m")
    with torch.no_grad():
        module.weight_ih.copy_(torch.cat([w[f"W_{g}"] for g in gates]))
        module.weight_hh.copy_(torch.cat([w[f"U_{g}"] for g in hidden]))
        module.bias_ih.copy_(torch.cat([w[f"b_{g}"] for g in gates]))
        module.bias_hh.copy_(
            torch.cat([w[f"b_{g}"] if g == "m" else torch.zeros(d, dtype=torch.float64) for g in hidden])
        )
    return module


def torch_state(module, weighted_cell, word):
    """Return all vectors of the state after the word, with c before h."""
    letters = torch.eye(len(weighted_cell.letters), dtype=torch.float64)
    state = None
    with torch.no_grad():
        for letter in word:
            state = module(letters[weighted_cell.letters.index(letter)], state)
    return [v.tolist() for v in (reversed(state) if isinstance(state, tuple) else [state])]


def state_after(weighted_cell, word, arithmetic):
    weights, state = weighted_cell.over(arithmetic.number), weighted_cell.start(arithmetic)
    for letter in word:
        state = weighted_cell.cell.step(weights, state, weighted_cell.letters.index(letter), arithmetic)
    return state


@pytest.mark.parametrize("name", ["elman", "lstm", "gru"])
@settings(max_examples=40)
@given(st.integers(1, 3), st.integers(0, 10**6), st.text("abc", min_size=1, max_size=6))
def test_the_equations_are_those_of_torch(name, d, seed, word):
    cell = some(CELLS[name], d, "abc", seed)
    module = torch_cell(cell)
    for ours, theirs in zip(state_after(cell, word, FLOAT64), torch_state(module, cell, word), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one.ball.contains(flint.arb(other)), (one.ball, other)
            assert one.ball.rad() < 1e-9


@pytest.mark.parametrize(
    ("name", "one", "other"), [("lstm", "i", "f"), ("lstm", "f", "o"), ("lstm", "g", "i"), ("gru", "r", "z")]
)
def test_swapped_gates_differ_from_torch(name, one, other):
    cell = some(CELLS[name], 2, "ab", 3)
    gates = {one: other, other: one}
    swapped = replace(
        cell, weights={n: cell.weights[f"{n[0]}_{gates.get(n[2], n[2])}"] for n in cell.weights}
    )
    ours = [v.ball for v in state_after(swapped, "ab", FLOAT64)[0]]
    theirs = torch_state(torch_cell(cell), cell, "ab")[0]
    assert not any(ball.contains(flint.arb(value)) for ball, value in zip(ours, theirs, strict=True))


def softsign(z):
    return z / (1 + abs(z))


def rational(number, maximum):
    """Return the functions with which a cell's step maps rational numbers to rational numbers."""
    return Arithmetic(
        number,
        sigmoid=lambda z: (1 + softsign(z)) / 2,
        tanh=softsign,
        exp=lambda z: 1 + z * z,
        log=lambda z: z - 1,
        root=lambda z: 1 + z,
        quotient=operator.truediv,
        maximum=maximum,
    )


EXACT, IN_BALLS = rational(lambda w: w, max), rational(BALLS.number, BALLS.maximum)


@pytest.mark.parametrize("name", CELLS)
@settings(max_examples=15)
@given(st.integers(1, 2), st.integers(0, 10**6), st.integers(1, 7), st.integers(24, 200))
def test_balls_contain_the_exact_determinant_of_a_cell_with_rational_functions(name, d, seed, size, bits):
    cell = some(CELLS[name], max(d, CELLS[name].fewest), "ab", seed)
    size = min(size, 3) if name == "ttt" else size  # a step makes numbers ten times longer
    strings = first_strings("ab", size, CELLS[name].counts)
    exact = hankel(cell, 0, strings, strings, EXACT)
    oracle = flint.fmpq_mat([[flint.fmpq(v.numerator, v.denominator) for v in row] for row in exact]).det()
    with flint.ctx.workprec(bits):
        ball = flint.arb_mat(hankel(cell, 0, strings, strings, IN_BALLS)).det()
    with flint.ctx.workprec(1 << 14):  # with few bits the fraction itself would be an inexact ball
        assert ball.contains(oracle)
        assert oracle != 0 or ball.contains(0)


@pytest.mark.parametrize("name", CELLS)
def test_floats_are_near_the_balls(name):
    cell = some(CELLS[name], 2)
    for ball, value in zip(state_after(cell, "abba", BALLS), state_after(cell, "abba", FLOATS), strict=True):
        assert [float(b.mid()) for b in ball] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", CELLS)
def test_weights_are_restored_from_json(name):
    import json

    cell = some(CELLS[name], 2, "abc", 5)
    assert from_json(CELLS[name], json.dumps(cell.to_json()), "w.json") == cell


def test_invalid_arguments_of_a_cell():
    good = some(CELLS["elman"], 2)
    for weights, says in [
        ({**good.weights, "U_h": [[1, 2]]}, "elman: U_h must have shape"),
        ({**good.weights, "U_h": [[1, 2], [3]]}, "elman: U_h must have shape"),
        ({**good.weights, "U_h": Fraction(1)}, "elman: U_h must have shape"),
        ({n: w for n, w in good.weights.items() if n != "b_h"}, "b_h is missing"),
        ({**good.weights, "V": [1]}, "V. is unknown"),
    ]:
        with pytest.raises(InputError, match=says):
            replace(good, weights=weights)
    for letters in ((), ("a", "a")):
        with pytest.raises(InputError, match="at least one unit, and distinct letters"):
            replace(good, letters=letters)
    attention, ttt = some(CELLS["linear-attention"]), some(CELLS["ttt"])
    with pytest.raises(InputError, match="linear-attention: the numbers of W_k must be positive"):
        replace(attention, weights={**attention.weights, "W_k": [[Fraction(1), Fraction(0)]]})
    with pytest.raises(InputError, match="ttt: the number of units must be at least 2, got 1"):
        some(CELLS["ttt"], 1)
    assert ttt.units == 2
    with pytest.raises(InputError, match="elmo"):
        cell_named("elmo")
