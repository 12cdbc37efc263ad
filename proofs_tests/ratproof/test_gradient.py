"""Tests that the evidence ``gradient`` detects an error in any part of a gradient, and that its
bounds hold.
"""

import json
import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.errors import InputError
from automata.rounding.formats import FLOAT32, FLOAT64
from automata.semirings import MAX_PLUS, REAL
from neural import scan
from neural.any_order import ReorderingBound, derivatives
from neural.scan import loops
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.gradient import GradientComparison, _may_overflow
from ratproof.implementations.implementation import Layer
from ratproof.implementations.layer_strategies import networks
from ratproof.implementations.table import side_named
from ratproof.ladder.rungs.gradient import gradient
from theory.registry import claims

BACKWARD = loops.scan_backward
numbers = st.sampled_from([0.0, 1.0, -1.0, 1e-30, 1e30]) | st.floats(-4, 4, width=32)


def at(index, change):
    """Return a backward pass in which the gradient at this index is changed."""

    def changed(*arguments):
        results = list(BACKWARD(*arguments))
        results[index] = change(results[index], *arguments)
        return tuple(results)

    return changed


PLANTED = {
    "c_t in place of c_{t-1}": at(0, lambda df, g, f, u, c, s, k: df * 0 + BACKWARD(g, f, u, c, s, k)[1] * c),
    "nothing flows back": at(1, lambda du, g, *rest: g.clone()),
    "a thousandth too much flows back": at(1, lambda du, g, *rest: g + 1.001 * (du - g)),
    "no gradient for c_0": at(2, lambda dc, *rest: 0 * dc),
    "a sign": at(0, lambda df, *rest: -df),
}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("claim, kind", [("corollary-10-t-rnn", "t-rnn"), ("corollary-10-scrn", "scrn")])
def test_a_wrong_gradient_is_refuted(monkeypatch, claim, kind, planted):
    monkeypatch.setattr(loops, "scan_backward", planted)
    wrong = claims()[claim]
    with scan.use("torch"), pytest.raises(Disagreement):
        gradient(wrong, wrong.variant("corrected"), Layer(kind, "float32"), wrong.effort)


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("index", [0, 1])
def test_a_wrong_gradient_of_a_fused_gate_is_refuted(monkeypatch, index):
    def planted(*arguments):
        results = list(BACKWARD(*arguments))
        if arguments[-1] == "gated":
            results[index] = results[index] * 1.001
        return tuple(results)

    monkeypatch.setattr(loops, "scan_backward", planted)
    claim = claims()["model-b"]
    with scan.use("torch"), pytest.raises(Disagreement):
        gradient(claim, claim.variant("corrected"), Layer("rrnn-b", "float32"), claim.effort)


def test_gradients_are_promised_if_layers_implement_a_variant():
    for claim in claims().values():
        for variant in claim.variants:
            has = bool(claim.layers_of(variant)) and claim.differentiable
            assert ("gradient" in variant.kinds) == has, (claim.name, variant.name)


@settings(max_examples=10)
@given(networks("ab", "rrnn-f", "model-f", "corrected", "float32", "cpu", start=st.just(0.5)), st.data())
def test_a_saved_comparison_of_gradients_gives_the_same_result(network, data):
    one = GradientComparison.of(network, data.draw(st.integers(0, 99)))
    claim = claims()["model-f"]
    text = json.loads(json.dumps(one.to_json()))
    other = side_named(text.pop("way")).from_json(claim, claim.variant("corrected"), text)
    strings = ["", "ab", "b"]
    for (a, *mine), (b, *theirs) in zip(one.pairs(strings), other.pairs(strings), strict=True):
        assert a == b and all((x == y).all() for x, y in zip(mine, theirs, strict=True))
    with pytest.raises(InputError, match="seed must be a non-negative integer, got -1"):
        GradientComparison.from_json(claim, claim.variant("corrected"), text | {"seed": -1})


@given(st.lists(numbers, min_size=3, max_size=3), st.permutations(range(3)))
def test_a_bound_holds_for_sums_of_products_in_any_order(values, order):
    """In float32, the bound holds for x y + y z + z x and its derivative with respect to x.

    It holds for every order of the sum, and if a factor is taken out of the sum.
    """
    x, y, z = (ReorderingBound.leaf(torch.tensor([v], dtype=torch.float32), FLOAT32) for v in values)
    total = x * y + y * z + z * x
    (slope,) = derivatives([(total, torch.ones(1))], [x])
    a, b, c = (torch.tensor([v], dtype=torch.float32) for v in values)
    terms = [a * b, b * c, c * a]
    one, two, three = (terms[i] for i in order)
    exact = [Fraction(float(v)) for v in (a, b, c)]
    true = exact[0] * exact[1] + exact[1] * exact[2] + exact[2] * exact[0]
    for number, truth, computed in (
        (total, true, [one + two + three, a * (b + c) + b * c]),
        (slope, exact[1] + exact[2], [b + c, c + b]),
    ):
        bound = float(number.bound())
        assert bound == float("inf") or all(
            abs(Fraction(float(each)) - truth) <= Fraction(bound) * 2 for each in computed
        )


def test_each_of_two_possible_maxima_may_have_any_share_of_the_derivative():
    x, y = (ReorderingBound.leaf(torch.tensor([v]), FLOAT64) for v in (1.0, 1.0))
    for slope in derivatives([(x.maximum(y), torch.ones(1))], [x, y]):
        assert float(slope.value) == 0.5 and 0.5 <= float(slope.bound()) < 0.51
    clear = ReorderingBound.leaf(torch.tensor([1.5]), FLOAT64)
    one, other = derivatives([(x.maximum(clear), torch.ones(1))], [x, clear])
    assert float(one.value) == 0 and float(one.bound()) < 1e-300 and float(other.value) == 1


@pytest.mark.parametrize(
    ("scores", "weight", "semiring", "may"),
    [
        ([1.0, 2.0], 50.0, REAL, False),  # a NaN gradient is an error
        ([1.0, math.nan], 1.0, REAL, True),
        ([1.0, -math.inf], 1.0, REAL, True),
        ([1.0, -math.inf], 1.0, MAX_PLUS, False),  # the semiring's zero
        ([1.0, math.inf], 1.0, MAX_PLUS, True),
        ([1e30], 1e9, REAL, True),  # may overflow in the backward pass
    ],
)
def test_a_gradient_is_excused_only_if_values_may_overflow(scores, weight, semiring, may):
    assert _may_overflow(torch.tensor(scores), [torch.tensor([weight, -math.inf])], semiring) == may
