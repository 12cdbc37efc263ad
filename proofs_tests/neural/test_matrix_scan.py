"""Tests of products with sequences of matrices.

Every backend is compared with the Forward algorithm, with its own results for parts of a sequence, and with
the gradients of the explicit products.
"""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import forward
from automata.semirings import LOG, MAX_PLUS, MAX_TIMES, REAL
from automata.wfsa import WFSA
from neural import scan
from neural.elman import LinearElman
from neural.isan import ISAN
from neural.scan import matrix_scan
from neural.scan.matrices import loops, operators
from proofs_tests.automata.examples import few, some
from proofs_tests.neural.operations import (
    each_backend,
    in_c,
    require_known,
    require_same_compiled_and_exported,
)

D = torch.float64
SEMIRINGS = {"real": REAL, "max_plus": MAX_PLUS, "max_times": MAX_TIMES, "log": LOG}
each_semiring = pytest.mark.parametrize("semiring", SEMIRINGS)
sizes = st.sampled_from([1, 2, 7, 8, 9, 16, 17, 33])  # full SIMD vectors, and a remainder
ANY_COUNTS = st.integers(1, 4), sizes, st.integers(0, 4), sizes


def drawn(data, values, dtype=D, counts=ANY_COUNTS):
    """Draw matrices, symbols, an initial state and optional offsets; many terms are equal.

    ``counts`` are strategies for the numbers of matrices, states, steps and sequences.
    """
    symbols, n, time, batch = map(data.draw, counts)
    numbers = data.draw(st.lists(values, min_size=1, max_size=6))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    array = lambda *shape: torch.tensor(rng.choice(numbers, shape), dtype=dtype)
    offsets = array(time, batch, n) if data.draw(st.booleans()) else None
    read = torch.tensor(rng.integers(0, symbols, (time, batch)))
    return array(symbols, n, n), read, array(batch, n), offsets


def exact_numbers(semiring):
    """Draw small dyadic values, whose sums and products do not round."""
    numbers = st.integers(-8, 8).map(lambda k: k / 4)
    return numbers if semiring == "real" else numbers.map(abs) if semiring == "max_times" else numbers | minus


minus = st.just(-math.inf)


@each_backend
@pytest.mark.parametrize("semiring", ["real", "max_plus", "max_times"])
@some
@given(st.data())
def test_the_states_are_those_of_the_forward_algorithm_bit_for_bit(semiring, backend, data):
    matrices, symbols, start, offsets = drawn(data, exact_numbers(semiring))
    with scan.use(backend):
        states = matrix_scan(matrices, symbols, start, offsets, semiring)
    for b in range(len(start)):
        for t in range(len(symbols)):
            before = states[t - 1, b] if t else start[b]
            tables = {k: matrix.numpy() for k, matrix in enumerate(matrices)}
            none = np.full(len(before), SEMIRINGS[semiring].zero)
            automaton = WFSA(SEMIRINGS[semiring], before.numpy(), none, tables)
            after = torch.tensor(forward(automaton, [int(symbols[t, b])])[1].astype(float))
            if offsets is not None:
                after = offsets[t, b] + after if semiring == "real" else torch.maximum(offsets[t, b], after)
            assert torch.equal(states[t, b], after)


@each_backend
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
@some
@given(st.data())
def test_the_logarithm_of_sums_is_within_its_bound(backend, dtype, data):
    matrices, symbols, start, offsets = drawn(data, st.floats(-30, 20) | minus, dtype)
    with scan.use(backend):
        states = matrix_scan(matrices, symbols, start, offsets, "log")
    require_logarithms_within_their_bound(states, matrices, symbols, start, offsets)


def require_logarithms_within_their_bound(states, matrices, symbols, start, offsets):
    """Assert that errors are within a bound: steps do not amplify errors.

    Each step rounds each term, the differences from the largest term, n exponentials, their sum and its
    logarithm.
    """
    unit, n, bound = torch.finfo(states.dtype).eps / 2, start.shape[1], 0.0
    before = start.to(D)
    for t, here in enumerate(symbols):
        terms = before.unsqueeze(2) + matrices[here].to(D)
        if offsets is not None:
            terms = torch.cat([terms, offsets[t].to(D).unsqueeze(1)], 1)
        before = terms.logsumexp(1)
        size = float(torch.where(terms.isinf(), 0, terms.abs()).max()) + 5
        bound += unit * (4 * size + n + 16)
        same = before.isinf()
        assert torch.equal(states[t].isinf(), same)
        assert ((states[t].to(D) - before).abs()[~same] <= bound).all()


@each_backend
@each_semiring
@few
@given(st.data())
def test_bfloat16_accumulates_in_float32_and_rounds_the_results(semiring, backend, data):
    values = drawn(data, st.floats(-2, 2), torch.bfloat16)
    wide = [x if x is None or x.dtype == torch.int64 else x.float() for x in values]
    with scan.use(backend):
        expected = matrix_scan(*wide, semiring).to(torch.bfloat16)
        assert torch.equal(matrix_scan(*values, semiring), expected)


@in_c
@each_semiring
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_results_are_independent_of_batches_threads_and_cuts(semiring, dtype):
    torch.manual_seed(0)
    matrices, symbols = torch.randn(5, 21, 21, dtype=dtype) / 4, torch.randint(0, 5, (40, 37))
    start, offsets = torch.randn(37, 21, dtype=dtype), torch.randn(40, 37, 21, dtype=dtype)
    weights = torch.randn(40, 37, 21, dtype=dtype)
    values = [x.requires_grad_() for x in (matrices, start, offsets)]

    def run(threads=1):
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            states = matrix_scan(matrices, symbols, start, offsets, semiring)
            return [states.detach(), *torch.autograd.grad(states, values, weights)]
        finally:
            torch.set_num_threads(before)

    full = run()
    assert all(map(torch.equal, full, run(threads=3)))
    states = full[0]
    rest = matrix_scan(matrices, symbols[13:, 4:9], states[12, 4:9], offsets[13:, 4:9], semiring)
    assert torch.equal(states[13:, 4:9], rest)


@each_backend
@each_semiring
@pytest.mark.parametrize("added", [False, True])
def test_first_and_second_gradients_match_finite_differences_of_scans(semiring, backend, added):
    torch.manual_seed(1)
    symbols = torch.tensor([[0, 1], [1, 0], [1, 1]])
    matrices, start = torch.randn(2, 2, 2, dtype=D), torch.randn(2, 2, dtype=D)
    values = [matrices, start] + [torch.randn(3, 2, 2, dtype=D)] * added
    run = lambda matrices, start, offsets=None: matrix_scan(matrices, symbols, start, offsets, semiring)
    with scan.use(backend):
        leaves = [x.requires_grad_() for x in values]
        assert torch.autograd.gradcheck(run, leaves, check_forward_ad=True, check_batched_grad=True)
        assert torch.autograd.gradgradcheck(run, leaves)


@each_backend
@each_semiring
def test_autocast_does_not_change_the_accumulation_dtype(semiring, backend):
    """Only backends that multiply by torch are affected; errors of low-precision products would accumulate
    over the steps.
    """
    torch.manual_seed(5)
    symbols, results = torch.randint(0, 2, (5, 4)), []
    values = [torch.rand(2, 3, 3, requires_grad=True), torch.rand(4, 3, requires_grad=True)]
    for enabled in (False, True):
        with scan.use(backend), torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            states = matrix_scan(values[0], symbols, values[1], semiring=semiring)
            gradients = torch.autograd.grad(states.square().sum(), values, retain_graph=True)
            twice = torch.autograd.grad(states.square().sum(), values, create_graph=True)
        results.append([states, *gradients, *twice])
    assert all(map(torch.equal, *results))


@each_backend
@each_semiring
@few
@given(st.data())
def test_gradients_match_the_explicit_products(semiring, backend, data):
    """The terms include equal terms, which share a gradient, and -infinity."""
    numbers = st.sampled_from([0.0, 1.0, -0.5, 2.0])
    matrices, symbols, *rest = drawn(data, numbers | minus if semiring in ("max_plus", "log") else numbers)
    results = []
    for run in (matrix_scan, loops.forward):
        own, start, offsets = (None if x is None else x.clone().requires_grad_() for x in (matrices, *rest))
        with scan.use(backend):
            states = run(own, symbols, start, offsets, semiring)
        finite = states.isfinite()  # the logarithm of an empty sum has no gradient
        torch.where(
            finite, states * torch.arange(states.numel()).reshape(states.shape).cos(), 0
        ).sum().backward()
        leaves = [x for x in (own, start, offsets) if x is not None]
        results.append([torch.zeros_like(x) if x.grad is None else x.grad for x in leaves])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@in_c
@each_semiring
def test_gradients_of_many_uses_of_many_states_match_the_loops(semiring):
    """There are more states than the kernel processes at a time."""
    torch.manual_seed(4)
    symbols, weights = torch.randint(0, 2, (40, 9)), torch.randn(40, 9, 70, dtype=D)
    values = [torch.randn(*s, dtype=D) / 8 for s in ((2, 70, 70), (9, 70), (40, 9, 70))]
    results = []
    for backend in ("torch", "c++"):
        own, start, offsets = (x.clone().requires_grad_() for x in values)
        with scan.use(backend):
            states = matrix_scan(own, symbols, start, offsets, semiring)
            results.append([states, *torch.autograd.grad(states, (own, start, offsets), weights)])
    torch.testing.assert_close(*results, rtol=1e-11, atol=1e-11)


@in_c
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_the_exponential_is_within_two_ulps(dtype):
    """The exponential of x is computed as the share of a term exp(x) in a sum whose logarithm is 0."""
    x = torch.cat([-torch.linspace(0, 90, 20_001), -torch.linspace(0, 1, 10_001)]).to(dtype).reshape(1, -1, 1)
    zero = torch.zeros_like(x)
    symbols = torch.zeros(x.shape[:2], dtype=torch.long)
    with scan.use("c++"):
        *_, ours = operators.MATRIX_SCAN.backward(
            zero + 1, torch.zeros(1, 1, 1, dtype=dtype), symbols, zero, zero[0], x, "log"
        )
    limits, right = torch.finfo(dtype), x.double().exp()
    unit = 2 if dtype is torch.float32 else 3  # torch's function also has an error
    assert ((ours.double() - right).abs() <= unit * limits.eps * right + limits.smallest_normal).all()


@each_backend
@each_semiring
@pytest.mark.parametrize("again", [False, True], ids=["once", "again"])
def test_padding_has_no_gradient_even_if_it_overflows(semiring, backend, again):
    """The symbols of the padding select the second matrix, with which the states overflow."""
    matrices = torch.ones(2, 3, 3, dtype=D)
    matrices[1] = torch.inf
    start, symbols = torch.ones(2, 3, dtype=D), torch.tensor([[0, 0], [1, 1], [0, 0], [0, 1]])
    for value in (matrices, start):
        value.requires_grad_()
    with scan.use(backend):
        states = matrix_scan(matrices, symbols, start, None, semiring)
        assert states[-1].isinf().all()
        of_matrices, of_start = torch.autograd.grad(states[0].sum(), (matrices, start), create_graph=again)
    assert of_start.isfinite().all() and of_start.any()
    assert of_matrices[0].isfinite().all() and of_matrices[0].any() and not of_matrices[1].any()


@each_backend
@each_semiring
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, D], ids=str)
def test_a_twice_differentiable_gradient_equals_the_gradient(semiring, backend, dtype):
    """This also holds for low-precision dtypes, whose states are accumulated in float32."""
    torch.manual_seed(3)
    matrices, start = torch.rand(2, 4, 4).to(dtype) / 2, torch.rand(3, 4).to(dtype)
    symbols = torch.randint(0, 2, (20, 3))
    gradients = []
    for again in (False, True):
        values = [x.clone().requires_grad_() for x in (matrices, start)]
        with scan.use(backend):
            states = matrix_scan(values[0], symbols, values[1], semiring=semiring)
            gradients.append(torch.autograd.grad(states.float().sum(), values, create_graph=again))
    for one, other in zip(*gradients, strict=True):  # the sums are in another order
        torch.testing.assert_close(one, other, rtol=4 * torch.finfo(dtype).eps, atol=1e-6)


def test_the_operator_called_directly_refuses_other_dtypes_and_semirings():
    matrices, symbols, start = torch.ones(1, 2, 2), torch.zeros(3, 1, dtype=torch.long), torch.ones(1, 2)
    for wrong in ((matrices.double(), symbols, start, None, "real"), (matrices, symbols, start, None, "foo")):
        with pytest.raises(InputError, match="the semiring must be one of real"):
            torch.ops.ratproof.matrix_scan(*wrong)


def test_a_symbol_without_a_matrix_is_refused_under_vmap_too():
    matrices = torch.tensor([[[[1.0]], [[2.0]]], [[[10.0]], [[20.0]]]])  # two networks, two symbols each
    for wrong in ([[[2]], [[0]]], [[[0]], [[-1]]]):
        with pytest.raises(InputError, match="symbols must be between"):
            torch.func.vmap(lambda m, x: matrix_scan(m, x, torch.ones(1, 1)))(matrices, torch.tensor(wrong))


@each_backend
@each_semiring
@pytest.mark.parametrize("name", ["start", "matrices", "offsets"])
def test_nan_stays_in_its_own_sequence(semiring, backend, name):
    values = {"matrices": torch.ones(2, 18, 18), "start": torch.ones(3, 18), "offsets": -torch.ones(2, 3, 18)}
    values[name][1] = math.nan  # the second matrix, sequence or step
    symbols = torch.tensor([[0, 1, 0], [0, 0, 0]])
    with scan.use(backend):
        states = matrix_scan(values["matrices"], symbols, values["start"], values["offsets"], semiring)
    wrong = [[False] * 3, [True] * 3] if name == "offsets" else [[False, True, False]] * 2
    assert states.isnan().all(2).tolist() == states.isnan().any(2).tolist() == wrong


@each_backend
@each_semiring
@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (2, 2, 0), (0, 0, 0)])
def test_zero_steps_sequences_or_states_are_allowed(semiring, backend, shape):
    time, batch, n = shape
    values = [torch.ones(*s, requires_grad=True) for s in ((1, n, n), (batch, n), shape)]
    with scan.use(backend):
        states = matrix_scan(
            values[0], torch.zeros(time, batch, dtype=torch.long), values[1], values[2], semiring
        )
        assert states.shape == shape
        states.sum().backward()
    assert not any(x.grad.any() for x in values)


@each_semiring
@pytest.mark.parametrize("added", [False, True])
def test_torch_registers_and_transforms_the_operators(semiring, added):
    torch.manual_seed(2)
    symbols = torch.randint(0, 3, (4, 3))
    matrices, start = torch.randn(3, 2, 2, dtype=D), torch.randn(3, 2, dtype=D)
    offsets = torch.randn(4, 3, 2, dtype=D) if added else None
    require_known(operators.MATRIX_SCAN, matrices, symbols, start, offsets, semiring)
    network = lambda matrices, start: matrix_scan(2 * matrices, symbols, start, offsets, semiring).tanh()
    require_same_compiled_and_exported(network, (matrices, start))
    total = lambda matrices, start: network(matrices, start).sum()
    starts = torch.randn(5, 3, 2, dtype=D)
    each = torch.func.vmap(torch.func.grad(total, argnums=(0, 1)), in_dims=(None, 0))(matrices, starts)
    assert torch.equal(
        torch.func.vmap(network, in_dims=(None, 0))(matrices, starts)[2], network(matrices, starts[2])
    )
    for k in range(5):
        leaves = [matrices.clone().requires_grad_(), starts[k].clone().requires_grad_()]
        total(*leaves).backward()
        for gradient, leaf in zip(each, leaves, strict=True):
            torch.testing.assert_close(gradient[k], leaf.grad)
    of_start = lambda start: total(matrices, start)
    hessian = torch.func.jacrev(torch.func.jacrev(of_start))(start)
    assert hessian.shape == (3, 2, 3, 2) and hessian.isfinite().all()
    torch.testing.assert_close(torch.func.hessian(of_start)(start), hessian)


@pytest.mark.parametrize("layer", [ISAN, LinearElman])
@each_backend
def test_an_affine_layer_equals_its_gates_and_steps(layer, backend):
    torch.manual_seed(3)
    cell = layer(4, 3, dtype=D).cell
    view = torch.randint(0, 4, (6, 5)) if cell.reads_symbols else torch.randn(6, 5, 4, dtype=D)
    state = [torch.randn(5, 3, dtype=D)]
    with scan.use(backend):
        shared, separate = cell.recur(view, state), cell.steps(cell.gates(view), state)
    torch.testing.assert_close(shared, separate, rtol=1e-13, atol=1e-14)

    class Other(layer.cell_class):
        def gates(self, view):
            return {name: gate / 2 for name, gate in super().gates(view).items()}

    cell = Other(4, 3, dtype=D)
    assert all(map(torch.equal, cell.recur(view, state), cell.steps(cell.gates(view), state)))


def test_inconsistent_arguments_are_reported():
    matrices, symbols, start = torch.ones(2, 3, 3), torch.zeros(4, 5, dtype=torch.long), torch.ones(5, 3)
    with pytest.raises(
        InputError, match=r"\(S, n, n\), \(T, B\), \(B, n\).*got \(2, 3, 3\), \(4, 5\), \(5, 2\)"
    ):
        matrix_scan(matrices, symbols, start[:, :2])
    with pytest.raises(InputError, match="must be on the same device, got cpu and meta"):
        matrix_scan(matrices, symbols, start.to("meta"))
    with pytest.raises(InputError, match=r"got .*\(3, 5, 3\)$"):
        matrix_scan(matrices, symbols, start, torch.ones(3, 5, 3))
    with pytest.raises(
        InputError,
        match=r"matrices must have a floating-point dtype and symbols torch\.int64, got torch\.float32",
    ):
        matrix_scan(matrices, symbols.float(), start)
    with pytest.raises(
        InputError, match="the semiring must be one of real, max_plus, max_times, log, got 'min_plus'"
    ):
        matrix_scan(matrices, symbols, start, semiring="min_plus")
    for wrong in (2, -1):
        with pytest.raises(InputError, match=f"symbols must be between 0 and 1, got {wrong}"):
            matrix_scan(matrices, symbols + wrong, start)
