"""Tests of error bounds that hold for every order of evaluation: each rule's value and derivative."""

import pytest
import torch
from torch.nn import functional

from automata.rounding.formats import FLOAT32, FLOAT64
from neural.any_order import RULES, ReorderingBound, derivatives, evaluating
from neural.tracked import RunningErrorTensor, operation_of

FUNCTIONS = {
    "linear": lambda a, b: functional.linear(a, b[:, :3]),
    "matmul": lambda a, b: (a[:, None] @ b[:, None].mT).flatten(1),
    "sum": lambda a, b: torch.sum(a * b, -1, keepdim=True) + (a - b).sum(0),
    "cumsum": lambda a, b: torch.cumsum(a, dim=0) * b,
    "sigmoid": lambda a, b: torch.sigmoid(a) * b,
    "tanh": lambda a, b: torch.tanh(a * b),
    "log_sigmoid": lambda a, b: functional.logsigmoid(a) * b,
    "softplus": lambda a, b: functional.softplus(a) + b,
    "silu": lambda a, b: functional.silu(a) * b,
    "exp": lambda a, b: a.exp() - b,
    "log": lambda a, b: (a * a + 1).log() * b,
    "sqrt": lambda a, b: torch.sqrt(a * a + 1) * b,
    "linalg_vector_norm": lambda a, b: torch.linalg.vector_norm(a + b, 2, -1) + torch.linalg.vector_norm(a),
    "softmax": lambda a, b: (functional.softmax(a, -1) + b.softmax(0)) * b,
    "mean": lambda a, b: a.mean(-1, keepdim=True) * b.mean((0, 1)),
    "einsum": lambda a, b: torch.einsum("ij,jk->ki", a, b) + torch.einsum("ij, j -> i", a, b[0]),
    "normalize": lambda a, b: functional.normalize(a, dim=-1) * b,
    "pow": lambda a, b: a**2 * b.pow(3),
    "square": lambda a, b: a.square() * b,
    "rsqrt": lambda a, b: (a * a + 1).rsqrt() * b,
    "cos": lambda a, b: torch.cos(a * b) * b,
    "sin": lambda a, b: torch.sin(a * b) * b,
    "logaddexp": lambda a, b: torch.logaddexp(a, b) * b,
    "amax": lambda a, b: a.amax(-1, keepdim=True) * b + b.amax(0) + torch.amax(a, (0, 1)) + b.amax(()),
    "minimum": lambda a, b: torch.minimum(a, b) * b,
    "clamp": lambda a, b: a.clamp(min=0.1) * torch.clamp(b, -1.0, max=0.3),
    "relu": lambda a, b: functional.relu(a) * b,
    "abs": lambda a, b: (a * b).abs(),
    "maximum": lambda a, b: torch.maximum(a, b) * b,
    "lerp": lambda a, b: torch.lerp(a, b, torch.sigmoid(b)),
    "neg": lambda a, b: -a * b,
    "add": lambda a, b: a + b * 2,
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: 1 - a * b,
    "mul": lambda a, b: a * b * a,
    "div": lambda a, b: a / (1 + b * b),
}


def values(seed, dtype=torch.float32):
    """Return two random matrices with values that are exact in float32."""
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(3, 3, generator=generator).to(dtype).requires_grad_() for _ in range(2)]


def test_every_rule_is_tested():
    assert {*FUNCTIONS} == {*RULES}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_value_and_its_derivatives_are_within_bounds_that_are_a_few_roundings(name, seed):
    function = FUNCTIONS[name]
    leaves = [ReorderingBound.leaf(x, FLOAT32) for x in values(seed)]
    with evaluating(FLOAT32):
        result = function(*leaves)
    bars = derivatives([(result, torch.ones(result.shape))], leaves)
    for dtype, share in ((torch.float64, 1e-6), (torch.float32, 1.0)):
        own = values(seed, dtype)
        value = function(*own)
        for computed, bound in zip(
            (value, *torch.autograd.grad(value.sum(), own)), (result, *bars), strict=True
        ):
            error = (computed.double() - bound.value).abs()
            assert (error <= share * bound.bound() + 1e-14).all()
            assert (bound.bound() <= 1e-3).all()


def test_a_tensor_with_bounds_has_the_size_of_its_value():
    x = torch.ones(2, 3)
    for bounded in (ReorderingBound.leaf(x, FLOAT32), RunningErrorTensor.exact(x)):
        assert bounded.size() == (2, 3) and bounded.size(-1) == 3


@pytest.mark.parametrize("function", [torch.zeros_like, torch.ones_like])
def test_zeros_and_ones_in_the_shape_of_a_tensor_are_exact(function):
    x = torch.full((2, 3), 0.1)
    for bounded in (ReorderingBound.leaf(x, FLOAT32), RunningErrorTensor.exact(x)):
        constant = function(bounded)
        assert isinstance(constant, torch.Tensor) and torch.equal(constant, function(bounded.value))
        assert torch.equal(bounded.new_ones(2), torch.ones(2, dtype=bounded.value.dtype))


def test_an_operation_without_a_rule_is_refused():
    x = ReorderingBound.leaf(torch.ones(2), FLOAT32)
    with pytest.raises(TypeError, match="fft_fft is not supported: no rule bounds its error"):
        torch.fft.fft(x)
    with pytest.raises(AttributeError, match="erfinv is not supported"):
        x.erfinv()
    for refused, match in (
        (lambda: torch.matmul(x, x), "matmul of a vector is not supported"),
        (lambda: x**0.5, "a power other than 1 to 8 is not supported"),
        (lambda: torch.einsum("i,i", x, x), "einsum with the equation i,i is not supported"),
        (lambda: functional.normalize(x, p=1, dim=0), "a norm other than the 2-norm is not supported"),
        (lambda: torch.linalg.vector_norm(x, 1), "a norm other than the 2-norm is not supported"),
        (lambda: functional.softmax(x, 0, dtype=torch.float64), "softmax in another dtype is not supported"),
        (lambda: torch.softmax(x, 0, torch.float64), "softmax in another dtype is not supported"),
    ):
        with pytest.raises(TypeError, match=match):
            refused()
    assert operation_of(torch.matmul) in RULES


def test_the_slope_of_softplus_has_a_bound_above_20_where_torch_returns_1():
    x = torch.tensor([19.0, 20.5, 25.0], dtype=torch.float64, requires_grad=True)
    leaf = ReorderingBound.leaf(x, FLOAT64)
    with evaluating(FLOAT64):
        result = functional.softplus(leaf)
    (slope,) = derivatives([(result, torch.ones(3))], [leaf])
    (computed,) = torch.autograd.grad(functional.softplus(x).sum(), x)
    assert ((computed - slope.value).abs() <= slope.bound()).all()
    assert slope.bound()[0] < 1e-12 and slope.bound().max() < 1e-8


LARGE, MINUS_INFINITY = torch.tensor([1e30]), torch.tensor([-torch.inf])
PERHAPS_NAN = {
    "cosine of an overflow": lambda big, minus: torch.cos(big * big),
    "sigmoid of a difference of overflows": lambda big, minus: torch.sigmoid(big * big - big * big),
    "tanh of a sum of overflows": lambda big, minus: torch.tanh(
        functional.linear(torch.cat([big, big])[None], torch.cat([big, -big])[None])
    ),
    "-infinity plus an overflow": lambda big, minus: torch.clamp(minus + big * big, min=0.0),
    "an underflow times -infinity": lambda big, minus: torch.exp(torch.sigmoid(big * 0 - 104) * minus),
    "-infinity times an underflow": lambda big, minus: torch.exp(minus * torch.sigmoid(big * 0 - 104)),
    "a matrix product of an underflow and -infinity": lambda big, minus: torch.exp(
        torch.sigmoid(big * 0 - 104)[None] @ minus[None]
    ),
}


@pytest.mark.parametrize("name", PERHAPS_NAN)
def test_a_result_that_may_be_nan_in_float32_has_no_bound(name):
    assert PERHAPS_NAN[name](LARGE, MINUS_INFINITY).isnan().all()
    with evaluating(FLOAT32):
        result = PERHAPS_NAN[name](*(ReorderingBound.leaf(x, FLOAT32) for x in (LARGE, MINUS_INFINITY)))
    assert result.value.isfinite().all() and result.bound().isinf().all()


def test_the_rectifier_of_minus_infinity_is_0():
    with evaluating(FLOAT32):
        result = functional.relu(ReorderingBound.leaf(MINUS_INFINITY, FLOAT32))
    assert result.value == 0 and result.bound() < 1e-30


def test_a_derivative_of_an_interpolation_may_be_computed_from_either_form():
    """With a weight near 0, 1 - (1 - weight) has an error of half a unit of 1, not of the weight."""
    weights = torch.linspace(1e-6, 1e-3, 1_001)
    a, b, weight = (
        ReorderingBound.leaf(x, FLOAT32) for x in (torch.ones(1_001), torch.zeros(1_001), weights)
    )
    result = RULES["lerp"](a, b, weight)
    (slope,) = derivatives([(result, torch.ones(1_001))], [b])
    assert ((1 - (1 - weights)).double() - slope.value).abs().le(slope.bound()).all()
    assert (slope.bound() < 1e-5).all()
