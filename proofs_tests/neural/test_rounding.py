"""Tests of the gates' error bounds: their single assumption is measured in ball arithmetic."""

import math
from contextlib import contextmanager
from fractions import Fraction

import flint
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from automata.rounding.formats import held_in
from neural import rounding
from neural.example_6 import Example6
from neural.rcnn import RCNN
from neural.rounding import FUNCTION_ROUNDINGS, format_of
from neural.rrnn_f import RRNNF
from neural.scrn import SCRN
from neural.tracked import RULES, RunningErrorTensor, apply, operation_of, tracking

DTYPES = [torch.float32, torch.float64]
SPREAD = torch.cat(
    [torch.linspace(-120, 120, 4001), torch.logspace(-30, 2, 500), -torch.logspace(-30, 2, 500)]
)


def ball(value):
    exact = Fraction(value)
    return flint.arb(flint.fmpq(exact.numerator, exact.denominator))


def true_sigmoid(x):
    return 1 / (1 + (-ball(x)).exp())


def true_tanh(x):
    return ball(x).tanh()


def true_log_sigmoid(x):
    return -(1 + (-ball(x)).exp()).log()


FUNCTIONS = [
    (torch.sigmoid, true_sigmoid),
    (torch.tanh, true_tanh),
    (torch.nn.functional.logsigmoid, true_log_sigmoid),
]
FUNCTION_NAMES = ["sigmoid", "tanh", "logsigmoid"]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("function", "truth"), FUNCTIONS, ids=FUNCTION_NAMES)
def test_elementary_functions_are_within_the_assumed_units_in_the_last_place(dtype, function, truth):
    """Compare torch on this machine with ball arithmetic of 400 bits, at more than five thousand points."""
    kind = format_of(dtype)
    inputs = SPREAD.to(dtype)
    worst = 0.0
    with flint.ctx.workprec(400):
        for x, y in zip(inputs.tolist(), function(inputs).tolist(), strict=True):
            true = truth(x)
            difference = abs(ball(y) - true)
            if bool(difference <= ball(kind.tiny)):
                continue
            worst = max(worst, float((difference / abs(true)).mid()) / kind.unit)
    assert worst <= FUNCTION_ROUNDINGS


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sine_and_cosine_are_within_their_bounds(dtype, name):
    kind = format_of(dtype)
    inputs = SPREAD.to(dtype)
    values = getattr(torch, name)(inputs)
    bounds = rounding.circular(values, torch.zeros(inputs.shape).double(), kind)
    with flint.ctx.workprec(400):
        for x, y, bound in zip(inputs.tolist(), values.tolist(), bounds.tolist(), strict=True):
            assert bool(abs(ball(y) - getattr(ball(x), name)()) <= ball(bound))


numbers = st.floats(-8, 8, width=32)


@pytest.mark.parametrize("nonlinearity", ["tanh", "identity"])
@given(
    st.lists(st.sampled_from([-31.0, -5.0, 0.5, 31.0, 1e9, -1e9, 3e7, -3e7, 1e4]), min_size=2, max_size=12),
    st.randoms(use_true_random=False),
)
def test_gates_whose_large_terms_cancel_stay_within_the_bound(nonlinearity, weights, random):
    """The order of summation then decides whether a gate is closed, half open or open, and the bound must
    cover it.
    """
    one = Example6(len(weights), 1, nonlinearity=nonlinearity, bias=False)
    other = Example6(len(weights), 1, nonlinearity=nonlinearity, bias=False)
    shuffled = random.sample(weights, len(weights))
    with torch.no_grad():
        for layer, row in ((one, weights), (other, shuffled)):
            for p in layer.parameters():
                p.copy_(torch.tensor([row]))
    v = torch.ones(1, len(weights))
    f, u, g, w = (float(x.detach()) for layer in (one, other) for x in layer.gates(v).values())
    for layer in (one, other):
        (slack,) = layer.deviations(v)
        assert abs(f - g) <= slack.matrices[0, 1, 1]
        assert abs(u - w) <= slack.matrices[0, 0, 1]


def test_a_gate_that_depends_on_the_order_of_summation_is_within_the_bound():
    """Adding -62 to 1e9 changes the result or not, depending on the order: the sigmoid is 1/2 or 1e-28."""
    gates = {}
    for row in ([-31.0, -31.0, 1e9, -1e9], [1e9, -31.0, -31.0, -1e9]):
        layer = Example6(4, 1, bias=False)
        with torch.no_grad():
            layer.forget.weight.copy_(torch.tensor([row]))
            # Sum from left to right, because the order of a matrix product depends on the machine.
            z = torch.zeros(())
            for term in row:
                z = z + term
            gates[float(torch.sigmoid(z))] = layer.deviations(torch.ones(1, 4))[0].matrices[0, 1, 1]
    assert max(gates) - min(gates) > 0.4
    assert all(slack >= max(gates) - min(gates) for slack in gates.values())


def test_the_bound_of_ordinary_gates_is_a_few_dozen_roundings():
    """A much larger bound would make the comparison meaningless: for 16 inputs of size 1 it is below 200 unit
    roundoffs.
    """
    torch.manual_seed(0)
    layer = Example6(16, 4)
    for slack in layer.deviations(torch.randn(8, 16)):
        assert slack.matrices.max() < 200 * 2.0**-24


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(("function", "truth"), FUNCTIONS, ids=FUNCTION_NAMES)
@given(st.floats(-90, 90, width=32), st.floats(0, 2, width=32), st.floats(-1, 1, width=32))
def test_a_function_of_an_inexact_argument_is_within_its_bound(dtype, function, truth, x, error, share):
    """The true argument is anywhere within the error; another evaluation's argument may be on the
    other side.
    """
    kind = format_of(dtype)
    (value,) = (function(torch.tensor([x], dtype=dtype)),)
    (carried,) = RULES[operation_of(function)](
        RunningErrorTensor(torch.tensor([x], dtype=dtype), torch.tensor([error], dtype=torch.float64))
    ).error
    other = RULES[operation_of(function)](
        RunningErrorTensor(
            torch.tensor([x - share * error], dtype=dtype), torch.tensor([2 * error + 1e-4]).double()
        )
    )
    with flint.ctx.workprec(400):
        difference = abs(ball(float(value)) - truth(Fraction(x) + Fraction(share) * Fraction(error)))
        assert bool(difference <= ball(float(carried)))
        assert bool(difference <= ball(float(other.error)) + ball(kind.tiny))


def true_affine(row, offset, x):
    return sum((Fraction(w) * Fraction(v) for w, v in zip(row, x, strict=True)), Fraction(offset))


COMPOSITES = {
    "example-6": (
        lambda a, b: (1 - torch.sigmoid(a)) * torch.tanh(b),
        lambda a, b: (1 - true_sigmoid(a)) * true_tanh(b),
    ),
    "t-gru": (lambda a, b: a * torch.tanh(b), lambda a, b: ball(a) * true_tanh(b)),
    "sum": (
        lambda a, b: torch.sigmoid(a) + b - torch.nn.functional.logsigmoid(a),
        lambda a, b: true_sigmoid(a) + ball(b) - true_log_sigmoid(a),
    ),
    "moved": (
        lambda a, b: (
            torch.cat([torch.stack([a, b]), torch.stack([b, b])])[0].expand(1, 1) * torch.tanh(b)[..., :1]
        ),
        lambda a, b: ball(a) * true_tanh(b),
    ),
}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", COMPOSITES)
@given(st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6), numbers, numbers)
def test_composites_are_within_their_bounds_of_the_true_values(dtype, name, triples, one, two):
    """The error bound that the rules give for a formula covers its difference from ball arithmetic."""
    computed, truth = COMPOSITES[name]
    x = torch.tensor([[v for v, _, _ in triples]], dtype=dtype)
    rows = [[w for _, w, _ in triples], [w for _, _, w in triples]]
    maps = [
        (torch.tensor([row], dtype=dtype), torch.tensor([b], dtype=dtype))
        for row, b in zip(rows, (one, two), strict=True)
    ]
    with flint.ctx.workprec(400):
        tracked = computed(*(torch.nn.functional.linear(RunningErrorTensor.exact(x), *m) for m in maps))
        plain = computed(*(torch.nn.functional.linear(x, *m) for m in maps))
        assert tracked.value.tolist() == plain.tolist()
        true = truth(*(true_affine(row, b, x[0].tolist()) for row, b in zip(rows, (one, two), strict=True)))
        assert bool(abs(ball(float(plain)) - true) <= ball(float(tracked.error)))


def test_sums_and_differences_add_the_errors_of_their_operands():
    exact, off = (
        RunningErrorTensor(torch.tensor([1.0]), torch.tensor([e], dtype=torch.float64)) for e in (0.0, 0.5)
    )
    for tracked in (
        exact + off,
        off + exact,
        exact - off,
        off - exact,
        1 - off,
        1 + off,
        torch.ones(1) - off,
        torch.add(exact, off),
    ):
        assert 0.5 <= float(tracked.error) < 0.5001
    assert float((off + off).error) >= 1
    assert float((off - exact).value) == float((1 - off).value) == 0


@pytest.mark.parametrize(
    ("layer", "entries"),
    [
        (RRNNF(2, 1), [("final", (1,)), ("final", (2,)), ("initial", (3,))]),
        (RCNN(2, 1, decay="constant"), [("matrices", (0, 1, 1))]),
        (SCRN(2, 1, alpha=None), [("matrices", (0, 1, 1))]),
    ],
    ids=["rrnn-f", "rcnn", "scrn"],
)
def test_gates_without_inputs_include_the_error_of_the_sigmoid(layer, entries):
    (slack,) = layer.deviations(torch.ones(1, 2))
    for part, index in entries:
        assert 0 < getattr(slack, part)[index] < 100 * 2.0**-24


def test_values_of_parameters_alone_are_tracked_within_the_context():
    p = torch.nn.Parameter(torch.tensor([0.3, -2.0]))
    with tracking():
        gates = [torch.sigmoid(p), 1 - torch.sigmoid(p), torch.sigmoid(p).expand(3, 2), 1 - p]
    assert all(isinstance(gate, RunningErrorTensor) and bool((gate.error > 0).all()) for gate in gates)
    assert gates[2].error.shape == (3, 2)
    assert not isinstance(torch.sigmoid(p), RunningErrorTensor)


def test_parameters_are_moved_identically_within_the_context():
    p = torch.nn.Parameter(torch.tensor([[0.3, -2.0]]))
    moves = [
        lambda: torch.cat([p, p]),
        lambda: p[0],
        lambda: p.unsqueeze(0).flatten(),
        lambda: p.transpose(0, 1),
        lambda: p.new_zeros(2, 3),
    ]
    for move in moves:
        with tracking():
            moved = move()
        assert moved.tolist() == move().tolist()


def test_an_operation_without_a_rule_is_refused():
    x = RunningErrorTensor.exact(torch.ones(2))
    for function in (torch.erf, torch.floor, torch.sin, lambda t: torch.addmm(t, t, t)):
        with pytest.raises(TypeError, match="no rule bounds its error"):
            function(x)
        with tracking(), pytest.raises(TypeError, match="no rule bounds its error"):
            function(x.value)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_a_format_is_torchs(dtype):
    kind, info = format_of(dtype), torch.finfo(dtype)
    assert (kind.unit, kind.tiny, kind.largest) == (info.eps / 2, info.tiny, info.max)
    values = torch.randn(1000, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * 1e3
    assert held_in(values.numpy(), kind).tolist() == values.to(dtype).double().tolist()


def test_values_that_are_not_floats_are_refused():
    with pytest.raises(ValueError, match="must be torch"):
        format_of(torch.int64)


def true_softplus(x):
    return (1 + ball(x).exp()).log()


def true_silu(x):
    return ball(x) * true_sigmoid(x)


OF_ONE = {
    "exp": (torch.exp, lambda x: ball(x).exp(), (-85, 85)),
    "softplus": (torch.nn.functional.softplus, true_softplus, (-85, 85)),
    "silu": (torch.nn.functional.silu, true_silu, (-85, 85)),
    "sqrt": (torch.sqrt, lambda x: ball(x).sqrt(), (0, 1e4)),
    "log": (torch.log, lambda x: ball(x).log(), (2.0**-14, 1e4)),
    "relu": (torch.relu, lambda x: ball(max(x, 0)), (-85, 85)),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", OF_ONE)
@given(st.data())
def test_functions_of_gates_are_within_their_bounds_of_the_true_values(name, dtype, data):
    """The true argument is anywhere within the error, which is relative to the argument."""
    function, truth, (least, most) = OF_ONE[name]
    x = torch.tensor([data.draw(st.floats(least, most, width=32))], dtype=dtype)
    assume(bool(least <= x <= most))
    part = data.draw(st.sampled_from((0.0, 2.0**-20, 2.0**-6, 0.25)))
    error = part * abs(float(x))
    share = Fraction(data.draw(st.floats(-1, 1, width=32)))
    tracked = function(RunningErrorTensor(x, torch.tensor([error], dtype=torch.float64)))
    with flint.ctx.workprec(400):
        true = truth(Fraction(float(x)) + share * Fraction(error))
        if math.isfinite(float(tracked.value)) and math.isfinite(float(tracked.error)):
            assert bool(abs(ball(float(tracked.value)) - true) <= ball(float(tracked.error)))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32], ids=str)
@given(st.integers(0, 2**32 - 1), st.sampled_from((0.0, 2.0**-10)))
def test_sums_products_and_convolutions_are_within_their_bounds_of_float64(dtype, seed, off):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)

    def some(*shape):
        value = draw(*shape).to(dtype)
        errors = off * torch.rand(shape, generator=generator, dtype=torch.float64)
        signs = torch.rand(shape, generator=generator).round() * 2 - 1
        return RunningErrorTensor(value, errors), value.double() + signs * errors

    (a, exact_a), (b, exact_b), (c, exact_c) = some(2, 3, 4), some(2, 4, 3), some(2, 3, 4)
    weight = draw(3, 1, 3).to(dtype)
    conv = torch.nn.functional.conv1d
    options = {"padding": 2, "groups": 3}
    for tracked, exact in (
        (a @ b, exact_a @ exact_b),
        (a.cumsum(1), exact_a.cumsum(1)),
        (a.sum(dim=-1), exact_a.sum(dim=-1)),
        (conv(a, weight, **options), conv(exact_a, weight.double(), **options)),
        (a / (c * c + 1), exact_a / (exact_c * exact_c + 1)),
    ):
        assert bool(((tracked.value.double() - exact).abs() <= tracked.error).all())
        assert bool((tracked.error <= 200 * (2.0**-8 if dtype is torch.bfloat16 else 2.0**-9)).all())


UNITS = {torch.float32: (Fraction(1, 2**24), Fraction(1, 2**126))} | {
    torch.float64: (Fraction(1, 2**53), Fraction(1, 2**1022))
}
UNITS_IN_THE_LAST_PLACE = 4  # the assumed maximum error of elementary functions
PRODUCT_UNITS = {"highest": Fraction(0), "high": Fraction(1, 2**10), "medium": Fraction(1, 2**7)}
errors = st.sampled_from([0.0, 2.0**-30, 2.0**-10, 0.25, 3.0, 20.0])


def gamma(r, u):
    return r * u / (1 - r * u)


def is_bound(bound, derived):
    """Return whether the bound is at least the derived one, and larger by at most one part in a billion."""
    return derived <= Fraction(float(bound)) <= derived * (1 + Fraction(1, 10**9))


@contextmanager
def matrix_products_in(precision):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("precision", PRODUCT_UNITS)
@given(st.lists(st.tuples(numbers, numbers, errors), min_size=1, max_size=5), st.none() | numbers)
def test_the_bound_of_an_affine_map_is_the_derived_one(dtype, precision, triples, bias):
    u, tiny = UNITS[dtype]
    p = PRODUCT_UNITS[precision] if dtype is torch.float32 else 0
    weights, inputs, off = ([Fraction(part) for part in parts] for parts in zip(*triples, strict=True))
    carried = sum(abs(w) * e for w, e in zip(weights, off, strict=True))
    size = sum(abs(w * x) for w, x in zip(weights, inputs, strict=True)) + carried + abs(Fraction(bias or 0))
    terms, reduced = len(triples) + 1, 2 * p + p**2
    derived = carried + size * (gamma(terms + 1, u) * (1 + reduced) + reduced) + terms * tiny
    weight = torch.tensor([[w for w, _, _ in triples]], dtype=dtype)
    offset = None if bias is None else torch.tensor([bias], dtype=dtype)
    x = torch.tensor([[x for _, x, _ in triples]], dtype=dtype)
    error = torch.tensor([[e for _, _, e in triples]], dtype=torch.float64)
    with matrix_products_in(precision):
        assert is_bound(rounding.affine(weight, offset, x, error), derived)
        assert is_bound(
            torch.nn.functional.linear(RunningErrorTensor(x, error), weight, offset).error, derived
        )
        assert is_bound(
            torch.nn.functional.linear(RunningErrorTensor(x, error), weight, bias=offset).error, derived
        )


def test_unknown_matrix_precision_counts_as_the_lowest(monkeypatch):
    def unknown():
        raise RuntimeError("mixed settings")

    monkeypatch.setattr(torch, "get_float32_matmul_precision", unknown)
    assert rounding.reduction(format_of(torch.float32)) == 2 * 2.0**-7 + 2.0**-14
    assert rounding.reduction(format_of(torch.float64)) == 0


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@given(numbers, errors, numbers, errors)
def test_the_bounds_of_products_and_sums_are_the_derived_ones(dtype, a, a_error, b, b_error):
    u, tiny = UNITS[dtype]
    one, other = (
        RunningErrorTensor(torch.tensor([x], dtype=dtype), torch.tensor([e]).double())
        for x, e in ((a, a_error), (b, b_error))
    )
    x, y, e, f = map(Fraction, (a, b, a_error, b_error))
    product = abs(x) * f + abs(y) * e + e * f + gamma(2, u) * (abs(x) + e) * (abs(y) + f) + tiny
    assert is_bound((one * other).error, product)
    for result in (one + other, one - other):
        value = abs(Fraction(float(result.value)))
        assert is_bound(result.error, e + f + gamma(2, u) * (value + e + f) + tiny)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@given(st.floats(-30, 30, width=32) | st.sampled_from([-800.0, -200.0, 200.0, 800.0]), errors)
def test_the_bounds_of_functions_are_the_derived_ones(dtype, x, error):
    """The slopes are at most 1/4 and e^(2 error) times the value for the sigmoid, at most 1 and e^(2 error)
    times the size for its logarithm, and at most 1 for tanh.
    """
    u, tiny = UNITS[dtype]
    e, relative = Fraction(error), gamma(2 * UNITS_IN_THE_LAST_PLACE + 1, u)
    argument = RunningErrorTensor(torch.tensor([x], dtype=dtype), torch.tensor([error]).double())
    with flint.ctx.workprec(400):
        for function, steepest, most in (
            (torch.sigmoid, Fraction(1, 4), 1),
            (torch.nn.functional.logsigmoid, Fraction(1), None),
            (torch.tanh, None, 2),
        ):
            result = function(argument)
            value = abs(Fraction(float(result.value)))
            slope = ball(1)
            if steepest is not None:
                slope = ball(value * (1 + relative) + tiny) * ball(2 * e).exp()
                slope = ball(steepest) if bool(slope >= ball(steepest)) else slope
            carried = ball(e) * slope
            derived = carried + ball(relative) * (ball(value) + carried) + ball(tiny)
            if most is not None and bool(derived >= most):
                assert float(result.error) == most
                continue
            bound = ball(float(result.error))
            assert bool(derived <= bound) and bool(bound <= derived * ball(1 + Fraction(1, 10**9)))


MOVED = [
    (torch.cat, lambda t: ([t, t], 1)),
    (torch.stack, lambda t: ([t, t],)),
    (torch.nn.functional.embedding, lambda t: (torch.tensor([1, 0, 1]), t)),
    (torch.Tensor.__getitem__, lambda t: (t, (slice(1, None), 0))),
    (torch.Tensor.expand, lambda t: (t, 4, 2, 3)),
    (torch.Tensor.unsqueeze, lambda t: (t, 1)),
    (torch.Tensor.squeeze, lambda t: (t,)),
    (torch.Tensor.reshape, lambda t: (t, 3, 2)),
    (torch.Tensor.flatten, lambda t: (t,)),
    (torch.Tensor.unflatten, lambda t: (t, 1, (3, 1))),
    (torch.Tensor.transpose, lambda t: (t, 0, 1)),
]


@pytest.mark.parametrize(("function", "arguments"), MOVED, ids=[f.__name__ for f, _ in MOVED])
def test_errors_move_with_their_numbers(function, arguments):
    numbered = torch.arange(6.0).reshape(2, 3)
    moved = apply(function, arguments(RunningErrorTensor(numbered, numbered.double())), {})
    assert moved.value.tolist() == moved.error.tolist() == function(*arguments(numbered)).tolist()


def test_errors_are_indexed_with_their_values():
    numbered = torch.arange(6.0).reshape(2, 3)
    rows = apply(torch.Tensor.unbind, (RunningErrorTensor(numbered, numbered.double()),), {})
    assert [row.error.tolist() for row in rows] == [row.value.tolist() for row in rows] == numbered.tolist()


def test_untracked_values_are_exact():
    off = RunningErrorTensor(torch.ones(1), torch.ones(1).double())
    assert torch.cat([torch.ones(1), off]).error.tolist() == [0, 1]
    assert torch.stack([off, torch.ones(1)]).error.tolist() == [[1], [0]]


TWO_NUMBERS = [
    *(torch.add, torch.Tensor.add, torch.Tensor.__add__, torch.Tensor.__radd__, torch.sub, torch.Tensor.sub),
    *(torch.Tensor.__sub__, torch.rsub, torch.Tensor.__rsub__, torch.mul, torch.Tensor.mul),
    *(torch.Tensor.__mul__, torch.Tensor.__rmul__),
]


# A function's str contains its address.
NAMES = [f"{i} {function.__name__}" for i, function in enumerate(TWO_NUMBERS)]


@pytest.mark.parametrize("function", TWO_NUMBERS, ids=NAMES)
def test_an_error_of_either_operand_propagates_to_the_result(function):
    """The operands are 2 and 5, and one of them is off by 1/2."""
    two, five = torch.tensor([2.0]), torch.tensor([5.0])
    for errors_of in ((0.5, 0.0), (0.0, 0.5)):
        pair = [
            RunningErrorTensor(x, torch.tensor([e]).double())
            for x, e in zip((two, five), errors_of, strict=True)
        ]
        result = RULES[operation_of(function)](*pair)
        assert float(result.value) == float(function(two, five))
        factor = {2.0: 5, 5.0: 2}[float(pair[errors_of.index(0.5)].value)] if "mul" in str(function) else 1
        assert 0.5 * factor <= float(result.error) < 0.5 * factor + 1e-5


def test_errors_of_a_weight_and_a_bias_propagate_to_the_linear_map():
    exact, off = (
        RunningErrorTensor(torch.ones(2, 2), torch.full((2, 2), e, dtype=torch.float64)) for e in (0.0, 0.5)
    )
    one = RunningErrorTensor(torch.ones(2), torch.full((2,), 0.5, dtype=torch.float64))
    for weight, bias, least in ((off, None, 1), (exact, one, 0.5), (off, one, 1.5)):
        mapped = torch.nn.functional.linear(exact, weight, bias)
        assert mapped.value.tolist() == [[2.0 if bias is None else 3.0] * 2] * 2
        assert bool((mapped.error >= least).all()) and bool((mapped.error < least + 1e-5).all())


def test_options_of_a_sum_may_be_passed_by_position():
    x = RunningErrorTensor.exact(torch.ones(2, 3))
    assert x.sum(-1, True).shape == x.sum(dim=-1, keepdim=True).shape == (2, 1)
    assert x.sum(-1).shape == (2,)


@given(st.data())
def test_tracked_interpolations_norms_and_products_bound_float32(data):
    """They are compared with float64, for values with known errors."""
    numbers = st.floats(-4, 4, width=32)

    def drawn(*shape):
        size = math.prod(shape)
        values = data.draw(st.lists(numbers, min_size=size, max_size=size))
        return torch.tensor(values, dtype=torch.float32).reshape(shape)

    a, b, weight, matrix = drawn(2, 3), drawn(2, 3), drawn(2, 3).sigmoid(), drawn(3, 2)
    off = 2.0**-10
    moved = (a.double() + off, b.double() - off)
    near = [RunningErrorTensor(part, torch.full(part.shape, off, dtype=torch.float64)) for part in (a, b)]
    for of_tracked, exact in (
        (torch.lerp(near[0], near[1], weight), torch.lerp(*moved, weight.double())),
        (torch.linalg.vector_norm(near[0], dim=-1), torch.linalg.vector_norm(moved[0], dim=-1)),
        (near[0] @ matrix, moved[0] @ matrix.double()),
        (-near[0], -moved[0]),
    ):
        assert bool(((of_tracked.value.double() - exact).abs() <= of_tracked.error + 1e-12).all())
        assert bool((of_tracked.error < 0.1).all())
