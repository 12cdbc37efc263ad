"""The gates' error bounds: the one assumption is measured in ball arithmetic, and what follows from it holds."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neural import rounding
from neural.example_6 import Example6
from neural.rounding import FUNCTION_ROUNDINGS, format_of

DTYPES = [torch.float32, torch.float64]
SPREAD = torch.cat([torch.linspace(-120, 120, 4001), torch.logspace(-30, 2, 500), -torch.logspace(-30, 2, 500)])


def ball(value):
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def true_sigmoid(x):
    return 1 / (1 + (-ball(x)).exp())


def true_tanh(x):
    return ball(x).tanh()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("function", "truth"), [(torch.sigmoid, true_sigmoid), (torch.tanh, true_tanh)], ids=["sigmoid", "tanh"])
def test_elementary_functions_are_within_the_assumed_units_in_the_last_place(dtype, function, truth):
    """Over five thousand points, torch on this machine against ball arithmetic of 200 bits."""
    kind = format_of(dtype)
    inputs = SPREAD.to(dtype)
    worst = 0.0
    flint.ctx.prec, before = 200, flint.ctx.prec
    try:
        for x, y in zip(inputs.tolist(), function(inputs).tolist(), strict=True):
            true = truth(x)
            apart = abs(ball(y) - true)
            if bool(apart <= ball(kind.tiny)):
                continue
            worst = max(worst, float((apart / abs(true)).mid()) / kind.unit)
    finally:
        flint.ctx.prec = before
    assert worst <= FUNCTION_ROUNDINGS


numbers = st.floats(-8, 8, width=32)


@pytest.mark.parametrize("nonlinearity", ["tanh", "identity"])
@given(
    st.lists(st.sampled_from([-31.0, -5.0, 0.5, 31.0, 1e9, -1e9, 3e7, -3e7, 1e4]), min_size=2, max_size=12),
    st.randoms(use_true_random=False),
)
def test_gates_whose_large_terms_cancel_stay_within_the_deviation(nonlinearity, weights, random):
    """The order of summation then decides whether a gate is shut, half open or open: the bound has to say so."""
    one = Example6(len(weights), 1, nonlinearity=nonlinearity, bias=False)
    other = Example6(len(weights), 1, nonlinearity=nonlinearity, bias=False)
    shuffled = random.sample(weights, len(weights))
    with torch.no_grad():
        for layer, row in ((one, weights), (other, shuffled)):
            for p in layer.parameters():
                p.copy_(torch.tensor([row]))
    v = torch.ones(1, len(weights))
    f, u, g, w = (float(x.detach()) for made in (one, other) for x in made.gates(v))
    for layer in (one, other):
        (slack,) = layer.deviations(v)
        assert abs(f - g) <= slack.matrices[0, 1, 1]
        assert abs(u - w) <= slack.matrices[0, 0, 1]


def test_a_gate_that_is_shut_in_one_order_and_half_open_in_another_is_within_the_deviation():
    """-62 drowns beside 1e9, or does not: the sigmoid is 1e-28, or 1/2."""
    gates = {}
    for row in ([-31.0, -31.0, 1e9, -1e9], [1e9, -31.0, -31.0, -1e9]):
        layer = Example6(4, 1, bias=False)
        with torch.no_grad():
            layer.forget.weight.copy_(torch.tensor([row]))
            # summed from left to right, whatever order this machine's matrix product takes
            z = torch.zeros(())
            for term in row:
                z = z + term
            gates[float(torch.sigmoid(z))] = layer.deviations(torch.ones(1, 4))[0].matrices[0, 1, 1]
    assert max(gates) - min(gates) > 0.4
    assert all(slack >= max(gates) - min(gates) for slack in gates.values())


def test_the_deviation_of_ordinary_gates_is_a_few_dozen_roundings():
    """Else nothing would be compared: for 16 inputs of size 1 the bound is below 200 unit roundoffs."""
    torch.manual_seed(0)
    layer = Example6(16, 4)
    for slack in layer.deviations(torch.randn(8, 16)):
        assert slack.matrices.max() < 200 * 2.0**-24


@pytest.mark.parametrize("nonlinearity", ["tanh", "identity"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@given(st.integers(1, 40), st.randoms(use_true_random=False), st.floats(0.1, 20))
def test_gates_summed_in_another_order_stay_within_the_deviation(dtype, nonlinearity, width, random, size):
    """The same products, each input and its weights in another place: another order of summation."""
    torch.manual_seed(random.getrandbits(30))
    one = Example6(width, 3, nonlinearity=nonlinearity, dtype=dtype)
    with torch.no_grad():
        for p in one.parameters():
            p.mul_(size)
    v = torch.randn(5, width, dtype=dtype)
    order = torch.randperm(width)
    other = Example6(width, 3, nonlinearity=nonlinearity, dtype=dtype)
    other.load_state_dict({k: p[:, order] if p.dim() == 2 else p for k, p in one.state_dict().items()})
    (f, u), (g, w) = one.gates(v), torch.stack([torch.stack(other.gates(row)) for row in v[:, order]]).unbind(1)
    for unit, slack in enumerate(one.deviations(v)):
        assert ((f - g)[:, unit].double().abs().detach().numpy() <= slack.matrices[:, 1, 1]).all()
        assert ((u - w)[:, unit].double().abs().detach().numpy() <= slack.matrices[:, 0, 1]).all()


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30), numbers)
def test_an_affine_map_is_within_its_bound_of_the_truth(pairs, bias):
    weight = torch.tensor([[w for w, _ in pairs]], dtype=torch.float32)
    inputs = torch.tensor([[x for _, x in pairs]], dtype=torch.float32)
    offset = torch.tensor([bias], dtype=torch.float32)
    true = Fraction(bias) + sum(Fraction(w) * Fraction(x) for w, x in pairs)
    computed = Fraction(float(torch.nn.functional.linear(inputs, weight, offset)))
    assert abs(computed - true) <= Fraction(float(rounding.affine(weight, offset, inputs)))


def test_reduced_precision_products_have_a_larger_bound():
    weight, inputs = torch.ones(1, 4), torch.ones(1, 4)
    full = float(rounding.affine(weight, None, inputs))
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        assert float(rounding.affine(weight, None, inputs)) > 100 * full
    finally:
        torch.set_float32_matmul_precision(before)


def test_half_precision_is_refused():
    with pytest.raises(ValueError, match="where torch"):
        format_of(torch.float16)
