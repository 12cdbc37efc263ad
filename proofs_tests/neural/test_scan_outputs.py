"""Tests of the outputs of gated layers in one pass, against torch's separate passes and their gradients."""

import math

import mpmath
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from neural import scan
from neural.scan import outputs
from proofs_tests.neural.operations import (
    each_backend,
    in_c,
    require_known,
    require_same_compiled_and_exported,
)

D = torch.float64
FORMS = {
    "tanh": (lambda c: outputs.tanh(c), lambda c: c.tanh()),
    "tanh of a product": (lambda c, z: outputs.tanh(c, z), lambda c, z: (z.sigmoid() * c).tanh()),
    "gated": (lambda c, z: outputs.gated_tanh(c, z), lambda c, z: z.sigmoid() * c.tanh()),
    "highway": (outputs.gated_tanh, lambda c, z, x: z.sigmoid() * c.tanh() + (1 - z.sigmoid()) * x),
}
each_form = pytest.mark.parametrize(("form", "expected"), FORMS.values(), ids=FORMS)
numbers = st.sampled_from([0.0, -0.0, 5e-324, -1e-310, 400.0, -1e300]) | st.floats(-30, 30)


def arguments(form, numbers=None, size=7, **options):
    count = {"tanh": 1, "highway": 3}.get(next(name for name, two in FORMS.items() if two[0] is form), 2)
    if numbers is None:
        return [torch.randn(size, 3, dtype=D, **options) for _ in range(count)]
    return [torch.tensor(numbers[i::count][: len(numbers) // count], dtype=D) for i in range(count)]


def error_bound(eps, right, values) -> torch.Tensor:
    """Return a bound on the error of an output for a unit roundoff.

    The sigmoid s is off by at most 4 units, tanh by 3, and each sum and product by half a unit. In total,
    this is less than 9 |s tanh c| + (5 s + 2) |x| units. Without a highway, it is 9 times the output, because
    tanh does not increase relative errors.
    """
    if len(values) < 3:
        return 9 * eps * right.abs()
    c, z, x = values
    s = z.sigmoid()
    return eps * (9 * (s * c.tanh()).abs() + (5 * s + 2) * x.abs())


@each_backend
@each_form
@given(drawn=st.lists(numbers, min_size=3, max_size=60))
def test_an_output_equals_torchs_own_passes(form, expected, backend, drawn):
    values = arguments(form, drawn)
    right, limits = expected(*values), torch.finfo(D)
    with scan.use(backend):
        difference = (form(*values) - right).abs()
    # Torch's own passes also round.
    assert (difference <= 2 * error_bound(limits.eps, right, values) + limits.smallest_normal).all()


@each_form
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@in_c
def test_low_precision_outputs_are_rounded_once_more(form, expected, dtype):
    torch.manual_seed(1)
    values = [(4 * x).to(dtype) for x in arguments(form, size=3001)]
    result, wide = form(*values), [x.double() for x in values]
    right = expected(*wide)
    bound = error_bound(torch.finfo(torch.float32).eps, right, wide)
    bound = bound + (torch.finfo(dtype).eps * (right.abs() + bound) if dtype is torch.bfloat16 else 0)
    assert result.dtype == dtype
    assert ((result.double() - right).abs() <= bound).all()


@in_c
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_the_tanh_in_c_is_within_three_ulps(dtype):
    require_tanh_within_three_ulps("c++", dtype)


def require_tanh_within_three_ulps(backend, dtype):
    near = 1e-5 * torch.randn(99, generator=torch.Generator().manual_seed(0))
    far, zeros = torch.linspace(-25, 25, 1501), torch.tensor([0.0, -0.0])
    x = torch.cat([far, torch.linspace(-1, 1, 999), near, zeros]).to(dtype)
    with scan.use(backend):
        ours = outputs.tanh(x).tolist()
    for value, result in zip(x.tolist(), ours, strict=True):
        right = mpmath.tanh(mpmath.mpf(value))
        unit = torch.finfo(dtype).eps * 2.0 ** (int(mpmath.frexp(right)[1]) - 1)
        assert abs(result - right) <= 3 * unit and math.copysign(1, result) == math.copysign(1, value), value


@in_c
def test_infinity_and_nan_agree_with_tanh():
    require_tanh_of_infinity_and_nan("c++")


def require_tanh_of_infinity_and_nan(backend):
    with scan.use(backend):
        ours = outputs.tanh(torch.tensor([torch.inf, -torch.inf, torch.nan]))
    assert ours[:2].tolist() == [1, -1] and ours[2].isnan()


@each_backend
@each_form
def test_gradients_match_differences_and_are_differentiable(form, expected, backend):
    torch.manual_seed(2)
    values = arguments(form, requires_grad=True)
    with scan.use(backend):
        assert torch.autograd.gradcheck(form, values, check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(form, values)
    total = lambda c: form(c, *(x.detach() for x in values[1:])).sin().sum()
    twice = torch.func.jacrev(torch.func.jacrev(total))(values[0].detach())
    torch.testing.assert_close(torch.func.hessian(total)(values[0].detach()), twice)


@each_form
def test_compiled_exported_and_transformed_results_are_equal(form, expected):
    torch.manual_seed(3)
    values = arguments(form)

    network = lambda *values: form(*(2 * x for x in values))
    require_same_compiled_and_exported(network, values)
    positions = tuple(range(len(values)))
    gradient = torch.func.grad(lambda *one: network(*one).sum(), argnums=positions)
    each = torch.func.vmap(gradient, in_dims=1, out_dims=1)(*values)
    wanted = torch.func.grad(lambda *one: expected(*(2 * x for x in one)).sum(), argnums=positions)(*values)
    for ours, right in zip(each, wanted, strict=True):
        torch.testing.assert_close(ours, right)


@each_form
def test_torch_knows_the_operators(form, expected):
    values = arguments(form)
    name = {1: outputs.TANH, 2: outputs.TANH_OF_PRODUCT, 3: outputs.PRODUCT_WITH_TANH}[len(values)]
    require_known(outputs.OUTPUT, *(*values, None, None)[:3], name)


def test_dtypes_and_shapes_combine_as_in_torch():
    c, z = torch.zeros(4, 3), torch.zeros(3, dtype=D)
    assert outputs.tanh(c, z).dtype == D and outputs.tanh(c, z).shape == (4, 3)
    with pytest.raises(InputError, match="must have a floating-point dtype"):
        outputs.tanh(torch.zeros(3, dtype=torch.int64))
