"""Tests that products with matrices in Triton, on a GPU or in the interpreter, match torch's loops."""

import importlib.util
from unittest.mock import patch

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from neural import scan
from neural.isan import ISAN
from neural.scan import matrix_scan
from neural.scan.matrices import loops, on_gpu, operators
from proofs_tests.automata.examples import examples, few
from proofs_tests.neural import test_matrix_scan
from proofs_tests.neural.test_matrix_scan import drawn, minus, require_logarithms_within_their_bound

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.usefixtures("where_triton_runs"),
]
D = torch.float64
SEMIRINGS = ["real", "max_plus", "max_times", "log"]
WARNS = "ignore:invalid value:RuntimeWarning"  # the interpreter uses NumPy, which warns about infinities
each_semiring = pytest.mark.parametrize("semiring", SEMIRINGS)
each_type = pytest.mark.parametrize(
    "dtype, tile", [(torch.float32, on_gpu.TILE), (D, 2048)], ids=["float32-whole", "float64-tiles"]
)
"""A matrix of 17 states in one tile, or in tiles of a few columns and rows."""
FEW_COUNTS = tuple(map(st.sampled_from, ((1, 3), (1, 3, 17), (0, 1, 3), (1, 3))))
"""Numbers of matrices, states, steps and sequences."""


def exact_numbers(semiring):
    """Draw values whose sums and products over three steps of 17 states do not round in float32."""
    numbers = st.integers(-2, 2).map(lambda k: k / 2)
    return numbers | minus if semiring in ("max_plus", "log") else numbers


def states_and_gradients(run, values, semiring, weights=None):
    """Return the states, and the gradients of a weighted sum of all finite states.

    The gradients are those with respect to the matrices, the initial state and the offsets.
    """
    matrices, symbols, *rest = values
    own, start, offsets = (None if x is None else x.clone().requires_grad_() for x in (matrices, *rest))
    states = run(own, symbols, start, offsets, semiring)
    if weights is None:
        weights = torch.arange(states.numel()).reshape(states.shape) % 5 - 2.0
    torch.where(states.isfinite(), states * weights, 0).sum().backward()
    leaves = [x for x in (own, start, offsets) if x is not None]
    return [states.detach(), *(torch.zeros_like(x) if x.grad is None else x.grad for x in leaves)]


@pytest.mark.filterwarnings(WARNS)
@each_semiring
@each_type
@examples(6)
@given(st.data())
def test_states_and_gradients_match_the_explicit_products(dtype, semiring, tile, data):
    """States are bit-identical, except over log.

    Gradients are bit-identical over the reals, and within 64 eps otherwise.
    """
    values = drawn(data, exact_numbers(semiring), dtype, FEW_COUNTS)
    with patch.object(on_gpu, "TILE", tile), scan.use("triton"):
        ours = states_and_gradients(matrix_scan, values, semiring)
    theirs = states_and_gradients(loops.forward, values, semiring)
    slack = 0 if semiring == "real" else 64 * torch.finfo(dtype).eps
    if semiring != "log":
        assert torch.equal(ours[0], theirs[0])
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=slack, atol=slack)


@each_type
@few
@given(st.data())
def test_the_logarithm_of_sums_is_within_its_bound(dtype, tile, data):
    values = drawn(data, st.floats(-30, 20) | minus, dtype, FEW_COUNTS)
    with patch.object(on_gpu, "TILE", tile), scan.use("triton"):
        states = matrix_scan(*values, "log")
    require_logarithms_within_their_bound(states, *values)


@few
@given(st.data())
def test_sums_are_within_the_bound_of_any_order_of_summation(data):
    """The error grows with the sums of absolute values; each step adds n + 1 roundings of its own terms."""
    matrices, symbols, start, offsets = drawn(data, st.floats(-3, 3), torch.float32, FEW_COUNTS)
    with scan.use("triton"):
        states = matrix_scan(matrices, symbols, start, offsets)
    exact, bound = start.double(), torch.zeros_like(start, dtype=D)
    roundings = (start.shape[1] + 2) * 2.0**-24
    for t, here in enumerate(symbols):
        wide, o = matrices[here].double(), 0 if offsets is None else offsets[t].double()
        terms = torch.einsum("bi,bij->bj", exact.abs() + bound, wide.abs()) + abs(o)
        bound = torch.einsum("bi,bij->bj", bound, wide.abs()) + roundings * terms
        exact = torch.einsum("bi,bij->bj", exact, wide) + o
        assert ((states[t].double() - exact).abs() <= bound * (1 + 1e-9)).all()


@each_semiring
def test_bfloat16_matrices_are_read_exactly_and_accumulate_in_float32(semiring):
    torch.manual_seed(0)
    symbols, shapes = torch.randint(0, 2, (4, 2)), ((2, 5, 5), (2, 5), (4, 2, 5))
    matrices, start, offsets = (torch.randn(*s).to(torch.bfloat16) for s in shapes)
    values = matrices, symbols, start, offsets
    wide = matrices.float(), symbols, start.float(), offsets.float()
    weights = torch.randn(4, 2, 5).to(torch.bfloat16)
    with scan.use("triton"):
        with patch.object(on_gpu, "forward", wraps=on_gpu.forward) as run:
            ours = states_and_gradients(matrix_scan, values, semiring, weights)
        theirs = states_and_gradients(matrix_scan, wide, semiring, weights.float())
    assert [call.args[0].dtype for call in run.call_args_list] == [torch.bfloat16] * 2
    assert all(torch.equal(x, y.to(torch.bfloat16)) for x, y in zip(ours, theirs, strict=True))


@each_semiring
def test_results_are_independent_of_batches_and_cuts(semiring):
    torch.manual_seed(1)
    matrices, symbols = torch.randn(3, 18, 18) / 4, torch.randint(0, 3, (6, 3))
    start, offsets = torch.randn(3, 18), torch.randn(6, 3, 18)
    with scan.use("triton"):
        full = matrix_scan(matrices, symbols, start, offsets, semiring)
        rest = matrix_scan(matrices, symbols[4:, 1:2], full[3, 1:2], offsets[4:, 1:2], semiring)
    assert torch.equal(full[4:, 1:2], rest)


@each_semiring
def test_gradients_of_many_uses_are_summed_in_parts_and_unused_matrices_get_zero(semiring):
    torch.manual_seed(3)
    symbols = torch.tensor([[0, 0, 3], [0, 0, 3], [0, 3, 0], [0, 0, 0]])
    values = torch.randint(-2, 3, (4, 5, 5)).to(D), symbols, torch.randint(-2, 3, (3, 5)).to(D), None
    theirs = states_and_gradients(loops.forward, values, semiring)
    patched = patch.object(on_gpu, "_start", wraps=on_gpu._start)
    with patch.object(on_gpu, "USES", 1), patched as run, scan.use("triton"):
        ours = states_and_gradients(matrix_scan, values, semiring)
    assert run.call_args.args[:2] == ("gather", (4, 3))
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    assert ours[1][0].any() and ours[1][3].any() and not ours[1][1:3].any()


@pytest.mark.filterwarnings(WARNS)
@pytest.mark.parametrize("semiring", ["max_plus", "log"])
def test_the_gradient_at_minus_infinity_is_that_of_the_loops(semiring):
    """The gradient flows to all terms of a maximum, which are equal here, and to no term of an empty sum."""
    values = torch.full((2, 3, 3), -torch.inf), torch.tensor([[0], [1]]), torch.zeros(1, 3), None
    values[0][1, 2] = 1.0
    with scan.use("triton"):
        states = matrix_scan(*values, semiring)
        back = torch.tensor([[[1.0, 2.0, 4.0]], [[3.0, 5.0, 0.0]]]), *values[:2], states, *values[2:]
        ours = operators.MATRIX_SCAN.backward(*back, semiring)
    with scan.use("torch"):
        theirs = operators.MATRIX_SCAN.backward(*back, semiring)
    assert states.isinf().all() and theirs[0].any() == (semiring == "max_plus")
    torch.testing.assert_close(ours, theirs)


@pytest.mark.filterwarnings(WARNS)
@each_semiring
def test_padding_has_no_gradient_even_if_it_overflows(semiring):
    test_matrix_scan.test_padding_has_no_gradient_even_if_it_overflows(semiring, "triton", again=False)


@each_semiring
@pytest.mark.parametrize("name", ["start", "matrices", "offsets"])
def test_nan_stays_in_its_own_sequence(semiring, name):
    test_matrix_scan.test_nan_stays_in_its_own_sequence(semiring, "triton", name)


@each_semiring
@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (2, 2, 0)])
def test_zero_steps_sequences_or_states_are_allowed(semiring, shape):
    test_matrix_scan.test_zero_steps_sequences_or_states_are_allowed(semiring, "triton", shape)


def test_layouts_do_not_matter():
    torch.manual_seed(4)
    matrices, start = torch.randn(2, 3, 3).transpose(1, 2), torch.randn(1, 3).expand(2, 3)
    symbols, offsets = torch.randint(0, 2, (2, 3)).T, torch.randn(3, 2, 3).permute(0, 2, 1).transpose(1, 2)
    grad = torch.ones(()).expand(3, 2, 3)
    with scan.use("triton"):
        states = matrix_scan(matrices, symbols, start, offsets)
        plain = [x.contiguous() for x in (matrices, symbols, start, offsets)]
        assert torch.equal(states, matrix_scan(*plain))
        ours = operators.MATRIX_SCAN.backward(grad, matrices, symbols, states, start, offsets, "real")
        theirs = operators.MATRIX_SCAN.backward(grad.contiguous(), *plain[:2], states, *plain[2:], "real")
    assert all(map(torch.equal, ours, theirs))


@pytest.mark.parametrize("semiring, added", [("real", True), ("max_plus", False), ("log", True)])
def test_torch_registers_and_transforms_the_operators(semiring, added):
    torch.manual_seed(5)
    symbols, offsets = torch.randint(0, 2, (2, 2)), torch.randn(2, 2, 3, dtype=D) if added else None
    matrices, start = torch.randn(2, 3, 3, dtype=D), torch.randn(2, 3, dtype=D)
    with scan.use("triton"):
        states = matrix_scan(matrices, symbols, start, offsets, semiring)
        own = [matrices.clone().requires_grad_(), symbols, start, offsets, semiring]
        back = torch.randn_like(states), matrices, symbols, states, start, offsets, semiring
        for check in ((operators.MATRIX_SCAN, tuple(own)), (operators.MATRIX_SCAN.backward, back)):
            assert set(torch.library.opcheck(check[0].registered, *check[1:]).values()) == {"SUCCESS"}
        total = lambda start: matrix_scan(matrices, symbols, start, offsets, semiring).sum()
        starts = torch.randn(2, 2, 3, dtype=D)
        each = torch.func.vmap(torch.func.grad(total))(starts)
        for k in range(2):
            assert torch.equal(each[k], torch.func.grad(total)(starts[k]))


def test_a_layer_runs_on_it():
    test_matrix_scan.test_an_affine_layer_equals_its_gates_and_steps(ISAN, "triton")


def test_triton_is_chosen_on_a_gpu_and_reports_its_maximum_of_states():
    why = "Triton is installed, for at most 1024 states"
    assert operators.chosen("cuda", torch.float32) == ("triton", why)
    assert operators.chosen("cuda", torch.bfloat16, 1024).name == "triton"
    too_many = "torch", "the Triton backend supports at most 1024 states"
    assert operators.chosen("cuda", torch.float32, 1025) == too_many
    assert operators.chosen("cuda", torch.complex64).name == "torch"
    symbols, start = torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, 1025)
    message = "must have at most 1024 states in products with matrices, got 1025"
    with pytest.raises(InputError, match=message), scan.use("triton"):
        matrix_scan(torch.zeros(1, 1025, 1025), symbols, start)


def test_many_states_match_the_loops():
    """The states form 17 tiles, and the last tile has one column and one row."""
    torch.manual_seed(7)
    values = torch.rand(1, 257, 257), torch.tensor([[0], [0]]), torch.rand(1, 257), None
    theirs = states_and_gradients(loops.forward, values, "max_plus")
    with scan.use("triton"):
        ours = states_and_gradients(matrix_scan, values, "max_plus")
    assert all(map(torch.equal, ours, theirs))
