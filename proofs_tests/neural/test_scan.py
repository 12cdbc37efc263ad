"""Tests of the elementwise recurrences.

Every backend is compared with exact arithmetic, with its own results for parts of a sequence, and with the
gradients of the explicit recurrence.
"""

import math
import re
import threading
from fractions import Fraction
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from neural import scan
from neural.example_6 import Example6
from neural.qrnn import QRNN
from neural.rrnn_b import RRNNB
from neural.rrnn_c import RRNNC
from neural.rrnn_f import RRNNF
from neural.scan import backends, compiled, libraries, loops, matrix_scan, operators
from neural.scan.matrices import compiled as in_matrices
from neural.scan.matrices import loops as matrix_loops
from neural.sru import SRU
from neural.strongly_typed import TLSTM, TRNN
from proofs_tests.automata.examples import few, some
from proofs_tests.neural.operations import (
    each_backend,
    in_c,
    require_known,
    require_same_compiled_and_exported,
    require_same_in_batches,
)

D = torch.float64
SEMIRINGS = {"real": scan.elementwise, "max_plus": scan.max_plus, "log": scan.log_sum}
TYPES = [torch.float32, torch.float64, torch.bfloat16]
each_type = pytest.mark.parametrize("dtype", TYPES, ids=str)
PAIR = [(3, 2)] * 4 + [(2,)] * 3


def pair(x1, z1, x2, z2, c1, c2, r):
    return scan.gated_pair((x1, x2), (z1, z2), (c1, c2), r)


def pair_of_two(x1, z1, x2, z2, c1, c2, r):
    """Compute two gated recurrences over the reals, one after the other."""
    f1, f2 = torch.sigmoid(x1), torch.sigmoid(x2)
    one = scan.elementwise(f1, (1 - f1) * z1, c1)
    fed = torch.cat([c1.unsqueeze(0), one])[:-1] + r
    return one, scan.elementwise(f2, fed * ((1 - f2) * z2), c2)


EVERY_WAY = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
LOOPS = [*SEMIRINGS.values(), scan.gated]
each_loop = pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.__name__)
each_loop_and_pair = pytest.mark.parametrize("loop", [*LOOPS, pair], ids=lambda loop: loop.__name__)


def shapes_of(loop):
    return PAIR if loop is pair else [(3, 2), (3, 2), (2,)]


gates = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-308, 5e-324, 1e200, -3e-5]) | st.floats(-2, 2)
numbers = st.sampled_from([0.0, 5e-324, -1e-310, 1e308]) | st.floats(-1e3, 1e3)
scores = st.sampled_from([-math.inf, 0.0, -1e30]) | st.floats(-50, 50)


def drawn(data, first, second, most=6):
    steps, lanes = data.draw(st.integers(0, most)), data.draw(st.integers(1, 3))
    rows = lambda values, count: [
        data.draw(st.lists(values, min_size=lanes, max_size=lanes)) for _ in range(count)
    ]
    f, u = (torch.tensor(rows(v, steps), dtype=D).reshape(steps, lanes) for v in (first, second))
    return f, u, torch.tensor(rows(second, 1)[0], dtype=D)


def rounded(value):
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@in_c
@some
@given(st.data())
def test_each_step_over_the_reals_in_c_is_rounded_once(data):
    """The reference uses fractions, whose conversion to a float rounds once."""
    f, u, start = drawn(data, gates, numbers)
    with scan.use("c++"):
        states = scan.elementwise(f, u, start)
    for lane in range(len(start)):
        before = float(start[lane])
        for a, b, c in zip(f[:, lane].tolist(), u[:, lane].tolist(), states[:, lane].tolist(), strict=True):
            if not math.isfinite(before):
                break
            before = rounded(Fraction(a) * Fraction(before) + Fraction(b))
            assert c == before


@each_backend
@some
@given(st.data())
def test_max_plus_is_the_maximum_of_sums_bit_for_bit(backend, data):
    f, u, before = drawn(data, st.floats(-10, 10), scores)
    with scan.use(backend):
        states = scan.max_plus(f, u, before)
    for a, b, c in zip(f, u, states, strict=True):
        before = torch.maximum(a + before, b)
        assert torch.equal(c, before)


@each_backend
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@some
@given(st.data())
def test_the_logarithm_of_sums_is_within_its_bound(backend, dtype, data):
    """Steps do not amplify errors, and each step adds a few roundings of its own values."""
    f, u, start = (x.to(dtype) for x in drawn(data, st.floats(-10, 3), scores, most=20))
    with scan.use(backend):
        states = scan.log_sum(f, u, start)
    unit, bound, before = torch.finfo(dtype).eps / 2, torch.zeros(len(start), dtype=D), start.to(D)
    for a, b, c in zip(f.to(D), u.to(D), states.to(D), strict=True):
        carried = a + before
        before = torch.logaddexp(carried, b)
        sizes = torch.where(carried.isinf(), 0, carried.abs()) + torch.where(before.isinf(), 0, before.abs())
        bound = bound + unit * (2 * sizes + 16) * (1 + 1e-6)
        assert torch.equal(c.isinf(), before.isinf())
        finite = before.isfinite()
        assert ((c - before).abs() <= bound)[finite].all()


@each_backend
@each_loop
@few
@given(st.data())
def test_bfloat16_accumulates_in_float32_and_rounds_the_results(backend, loop, data):
    values = [x.to(torch.bfloat16) for x in drawn(data, st.floats(-3, 3), st.floats(-9, 9), most=40)]
    with scan.use(backend):
        assert torch.equal(loop(*values), loop(*(x.float() for x in values)).to(torch.bfloat16))


@in_c
@each_type
@each_loop
def test_results_are_independent_of_lanes_threads_and_cuts(loop, dtype):
    torch.manual_seed(1)
    f, u, start = (torch.randn(*s).to(dtype) for s in ((300, 3, 37), (300, 3, 37), (3, 37)))
    full = loop(f, u, start)
    first = loop(f[:101], u[:101], start)
    assert torch.equal(full[:101], first)
    if dtype is not torch.bfloat16:  # for bfloat16, the accumulator has more digits than a stored state
        assert torch.equal(full[101:], loop(f[101:], u[101:], first[-1]))
    assert torch.equal(full[:, 1:2, 5:6], loop(f[:, 1:2, 5:6], u[:, 1:2, 5:6], start[1:2, 5:6]))
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        assert torch.equal(loop(f, u, start), full)
    finally:
        torch.set_num_threads(threads)


@each_backend
@each_loop_and_pair
def test_first_and_second_gradients_match_finite_differences_of_scans(loop, backend):
    torch.manual_seed(2)
    values = [torch.randn(*shape, dtype=D, requires_grad=True) for shape in shapes_of(loop)]
    with scan.use(backend):
        assert torch.autograd.gradcheck(loop, values, **EVERY_WAY)
        assert torch.autograd.gradgradcheck(loop, values)


@each_backend
@each_loop
@few
@given(st.data())
def test_gradients_match_the_explicit_steps(loop, backend, data):
    """The inputs include zero gates, -infinity and ties."""
    update = st.floats(-1e3, 1e3) if loop in (scan.elementwise, scan.gated) else scores
    inputs = drawn(data, st.sampled_from([0.0, -1.0]) | st.floats(-2, 2), update)
    results = []
    for run in (loop, written_out(loop)):
        values = [x.clone().requires_grad_() for x in inputs]
        with scan.use(backend):
            states = run(*values)
        weights = torch.arange(1, states.numel() + 1, dtype=D).reshape(states.shape)
        (torch.where(states.isfinite(), states, 0) * weights).sum().backward()
        results.append([torch.zeros_like(x) if x.grad is None else x.grad for x in values])
    for one, other in zip(*results, strict=True):
        known = other.isfinite()  # the logarithm has no gradient at -infinity
        torch.testing.assert_close(one[known], other[known], rtol=1e-9, atol=1e-9)


@each_backend
@pytest.mark.parametrize("again", [False, True], ids=["once", "again"])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("semiring", ["max_plus", "log"])
@few
@given(st.data())
def test_gradients_of_low_precision_inputs_use_the_accumulated_states(backend, again, dtype, semiring, data):
    """Rounded states do not determine which term is larger, nor by how much."""
    if (backend, dtype) == ("c++", torch.float16):
        return  # the C++ backend does not support it
    inputs = [x.to(dtype) for x in drawn(data, st.floats(-3, 3), st.floats(-200, 200), most=30)]
    results = []
    for values in (inputs, [x.float() for x in inputs]):
        values = [x.clone().requires_grad_() for x in values]
        with scan.use(backend):
            states = SEMIRINGS[semiring](*values)
            weights = (torch.arange(states.numel()) % 3).reshape(states.shape).to(states.dtype)
            results.append(torch.autograd.grad(states, values, weights, create_graph=again))
    for one, other in zip(*results, strict=True):
        assert torch.equal(one, other.to(dtype))


@each_backend
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
@few
@given(st.data())
def test_the_gradient_of_the_smaller_term_is_accurate(backend, dtype, data):
    f, u, start = (x.to(dtype) for x in drawn(data, st.floats(-30, 30), st.floats(-30, 30), most=1))
    if not len(f):
        return
    values = [x.clone().requires_grad_() for x in (f, u, start)]
    with scan.use(backend):
        ours = torch.autograd.grad(scan.log_sum(*values).sum(), values)
    carried = (f + start).to(D)[0]  # with the same rounding
    theirs = torch.sigmoid(carried - u.to(D)[0]), torch.sigmoid(u.to(D)[0] - carried)
    for one, other in ((ours[0][0], theirs[0]), (ours[1][0], theirs[1]), (ours[2], theirs[0])):
        # The difference is rounded once, and the sigmoid has an error of 4 units.
        unit = torch.finfo(dtype).eps * ((carried - u.to(D)[0]).abs() + 4)
        assert ((one.to(D) - other).abs() <= unit * other).all()


@each_backend
def test_the_smaller_term_of_a_maximum_has_no_gradient_even_if_it_is_infinite(backend):
    f, u, c = (torch.tensor(x, requires_grad=True) for x in ([[0.0]], [[-1.0]], [0.0]))
    for again in (False, True):
        with scan.use(backend):
            gradients = torch.autograd.grad(scan.max_plus(f, u, c).sqrt(), (f, u, c), create_graph=again)
        assert [x.item() for x in gradients] == [math.inf, 0, math.inf]


@each_backend
@pytest.mark.parametrize("again", [False, True], ids=["once", "again"])
@pytest.mark.parametrize("loop", [scan.max_plus, scan.log_sum], ids=lambda loop: loop.__name__)
def test_two_terms_of_minus_infinity_have_finite_gradients(loop, again, backend):
    values = [torch.full(shape, x, requires_grad=True) for shape, x in (((1, 1), 0.0), ((1, 1), -math.inf))]
    values.append(torch.full((1,), -math.inf, requires_grad=True))
    with scan.use(backend):
        gradients = torch.autograd.grad(loop(*values).exp(), values, create_graph=again)
    assert not any(x.any() for x in gradients)


@each_backend
@each_loop
@pytest.mark.parametrize("again", [False, True], ids=["once", "again"])
def test_gradients_have_the_tangents_of_dual_arguments(backend, loop, again):
    """Forward over backward gives a product of the Hessian with a vector."""
    torch.manual_seed(5)
    values = [torch.randn(*shape, dtype=D, requires_grad=True) for shape in ((4, 3), (4, 3), (3,))]
    tangents = [torch.randn_like(x) for x in values]

    def pushed(run):
        with scan.use(backend), torch.autograd.forward_ad.dual_level():
            duals = [torch.autograd.forward_ad.make_dual(x, y) for x, y in zip(values, tangents, strict=True)]
            gradients = torch.autograd.grad(run(*duals).square().sum(), values, create_graph=again)
            return [torch.autograd.forward_ad.unpack_dual(x).tangent for x in gradients]

    for one, other in zip(pushed(loop), pushed(written_out(loop)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("operator", ["scan", "gated"])
def test_operators_called_directly_refuse_unsupported_arguments(operator):
    run = getattr(torch.ops.ratproof, operator)
    more = ["real"] if operator == "scan" else []
    ones = torch.ones(2, 8)
    for wrong in ((ones, ones, torch.ones(1)), (ones.double(), ones, ones[0]), (ones, ones[:1], ones[0])):
        with pytest.raises(InputError, match="the arguments of a recurrence"):
            run(*wrong, *more)
    if more:
        with pytest.raises(InputError, match="must be real, max_plus or log"):
            run(ones, ones, ones[0], "tropical")


@each_backend
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_results_have_the_memory_layout_of_the_fake_kernels(backend, dtype):
    if (backend, dtype) == ("c++", torch.float16):
        return
    x, c = torch.rand(3, 4, 5).to(dtype).transpose(0, 1), torch.zeros(3, 5, dtype=dtype)
    with scan.use(backend):
        results = [torch.ops.ratproof.scan(x, x, c, "real"), torch.ops.ratproof.gated(x, x, c)]
        results += torch.ops.ratproof.pair(x, x, x, x, c, c, c)
        results += torch.ops.ratproof.scan_backward(x, x, x, x, c, "log")
        results += torch.ops.ratproof.gated_backward(x, x, x, x, c)
        results.append(torch.ops.ratproof.output(x, x, None, "product_with_tanh"))
    assert all(x.is_contiguous() for x in results)


def written_out(loop):
    """Return a function that computes the loop as a chain of torch's own functions."""

    def step(f, c, u):
        if loop is scan.elementwise:
            return f * c + u
        if loop is scan.gated:
            return torch.sigmoid(f) * c + (1 - torch.sigmoid(f)) * u
        return (torch.maximum if loop is scan.max_plus else torch.logaddexp)(f + c, u)

    def run(f, u, c):
        states = []
        for a, b in zip(f.unbind(0), u.unbind(0), strict=True):
            c = step(a, c, b)
            states.append(c)
        return torch.stack(states) if states else 1 * u

    return run


@each_backend
@pytest.mark.parametrize("steps", [0, 1, 2, 50])
def test_a_pair_equals_one_recurrence_after_the_other(backend, steps):
    torch.manual_seed(7)
    inputs = [torch.randn(*shape, dtype=D) for shape in [(steps, 2, 19)] * 4 + [(2, 19)] * 2 + [(19,)]]
    results = []
    for run in (pair, pair_of_two):
        values = [x.clone().requires_grad_() for x in inputs]
        with scan.use(backend):
            one, two = run(*values)
            sum((x * torch.arange(x.numel()).reshape(x.shape).cos()).sum() for x in (one, two)).backward()
        results.append([one, two, *(x.grad for x in values)])
    torch.testing.assert_close(*results, rtol=1e-12, atol=1e-12)


@each_backend
@pytest.mark.parametrize("used", [0, 1])
@pytest.mark.parametrize("again", [False, True])
def test_a_pair_with_one_used_result_has_the_gradients_of_that_result(backend, used, again):
    torch.manual_seed(11)
    inputs = [torch.randn(*shape, dtype=D) for shape in [(5, 2, 19)] * 4 + [(2, 19)] * 3]
    results = []
    for run in (pair, pair_of_two):
        values = [x.clone().requires_grad_() for x in inputs]
        with scan.use(backend):
            states = run(*values)[used]
            gradients = torch.autograd.grad(states.sin().sum(), values, create_graph=again, allow_unused=True)
        results.append(
            [torch.zeros_like(v) if g is None else g for g, v in zip(gradients, values, strict=True)]
        )
    torch.testing.assert_close(*results, rtol=1e-12, atol=1e-12)


@each_loop_and_pair
def test_second_derivatives_are_the_same_forward_and_backward(loop):
    torch.manual_seed(12)
    values = [torch.randn(*shape, dtype=D) for shape in shapes_of(loop)]
    total = lambda c: sum(x.sin().sum() for x in loop(*values[:-1], c))
    back, forth = torch.func.jacrev, torch.func.jacfwd
    expected = back(back(total))(values[-1])
    for one, other in ((forth, back), (back, forth), (forth, forth)):
        torch.testing.assert_close(one(other(total))(values[-1]), expected)


@in_c
@each_type
def test_a_pair_is_independent_of_lanes_and_cuts(dtype):
    torch.manual_seed(9)
    sizes = [(300, 3, 37)] * 4 + [(3, 37)] * 3
    x1, z1, x2, z2, c1, c2, r = (torch.randn(*size).to(dtype) for size in sizes)
    full = pair(x1, z1, x2, z2, c1, c2, r)
    part = pair(*(x[:, 1:2, 4:30] for x in (x1, z1, x2, z2)), *(x[1:2, 4:30] for x in (c1, c2, r)))
    first = pair(*(x[:101] for x in (x1, z1, x2, z2)), c1, c2, r)
    for index in range(2):
        assert torch.equal(full[index][:, 1:2, 4:30], part[index])
        assert torch.equal(full[index][:101], first[index])
    if dtype is not torch.bfloat16:
        rest = pair(*(x[101:] for x in (x1, z1, x2, z2)), first[0][-1], first[1][-1], r)
        assert all(torch.equal(w[101:], x) for w, x in zip(full, rest, strict=True))
    else:
        wide = pair(*(x.float() for x in (x1, z1, x2, z2, c1, c2, r)))
        assert all(torch.equal(w, x.to(dtype)) for w, x in zip(full, wide, strict=True))


def in_both_ways(monkeypatch, function, *values):
    """Return the results of a function with and without stores that bypass the cache."""
    ways = []
    for size in (math.inf, 0):
        monkeypatch.setattr(compiled, "last_cache", lambda size=size: size)
        ways.append(function(*values))
    return ways


@in_c
@each_type
@pytest.mark.parametrize(
    "lanes", [(96,), (3, 37), (8224,)], ids=str
)  # full cache lines; partial ones; more than the prefetch distance
@each_loop_and_pair
def test_writing_past_the_cache_and_in_parts_gives_the_same_results(loop, lanes, dtype, monkeypatch):
    torch.manual_seed(13)
    timed, starts = (4, 3) if loop is pair else (2, 1)
    values = [torch.randn(11, *lanes).to(dtype).requires_grad_() for _ in range(timed)]
    values += [torch.randn(*lanes).to(dtype).requires_grad_() for _ in range(starts)]

    def both(*values):
        states = loop(*values)
        states = states if isinstance(states, tuple) else (states,)
        return [*states, *torch.autograd.grad([x.float().square().sum() for x in states], values)]

    through, past = in_both_ways(monkeypatch, both, *values)
    assert all(torch.equal(x, y) for x, y in zip(through, past, strict=True))
    part = both(*(x[..., :30] for x in values))
    assert all(torch.equal(x[..., :30], y) for x, y in zip(past, part, strict=True))


@in_c
def test_arrays_larger_than_the_last_cache_are_written_past_it(monkeypatch):
    told = []
    library = SimpleNamespace(real_float32=lambda *values: told.append(values[-1].value))
    monkeypatch.setattr(libraries, "library", lambda *_: library)
    for size in (4 * 70 - 1, 4 * 70):  # three arrays of two steps, and an initial state
        monkeypatch.setattr(compiled, "last_cache", lambda size=size: size)
        compiled.scan(torch.zeros(2, 10), torch.zeros(2, 10), torch.zeros(10), "real")
    assert told == [True, False]


def test_the_last_cache_is_the_largest_that_the_system_reports(tmp_path):
    assert compiled.last_cache(tmp_path) == math.inf
    for level, size in enumerate(["32K", "32768K", "1024K"]):
        (tmp_path / f"index{level}").mkdir()
        (tmp_path / f"index{level}" / "size").write_text(f"{size}\n")
    compiled.last_cache.cache_clear()
    assert compiled.last_cache(tmp_path) == 2**25


@each_backend
@each_loop
def test_shapes_are_broadcast_dtypes_promoted_and_layouts_irrelevant(loop, backend):
    torch.manual_seed(3)
    f, u, start = torch.randn(5, 1, 4), torch.randn(4, 3, 5, dtype=D).permute(2, 1, 0), torch.randn(4)
    with scan.use(backend):
        states = loop(f, u, start)
        assert states.shape == (5, 3, 4) and states.dtype is D
        plain = [f.to(D).expand(5, 3, 4).contiguous(), u.contiguous(), start.to(D).expand(3, 4).contiguous()]
        assert torch.equal(states, loop(*plain))


@each_backend
@each_loop
def test_nan_stays_nan(loop, backend):
    u = torch.zeros(3, 20)
    u[1, ::3] = math.nan
    with scan.use(backend):
        states = loop(-torch.ones(3, 20), u, torch.zeros(20))
    assert states.isnan().sum(1).tolist() == [0, 7, 7]


@in_c
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_the_sigmoid_in_c_is_within_four_ulps(dtype):
    x = torch.cat([torch.linspace(-120, 120, 400_001), torch.linspace(-1e-3, 1e-3, 10_001)]).to(dtype)
    require_sigmoids_within_four_ulps("c++", x)


def require_sigmoids_within_four_ulps(backend, x):
    """Assert what :mod:`neural.rounding` assumes, or errors within the smallest normal number.

    In float64, torch's function also has an error of some units.
    """
    with scan.use(backend):
        ours = scan.gated(x.unsqueeze(0), torch.zeros_like(x).unsqueeze(0), torch.ones_like(x))[0]
    error, limits = (ours.double() - torch.sigmoid(x.double())).abs(), torch.finfo(x.dtype)
    assert (error <= 4 * limits.eps * ours.double() + limits.smallest_normal).all()


@in_c
@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("loop", [scan.elementwise, scan.gated, scan.matrix_scan], ids=lambda f: f.__name__)
def test_a_backend_forced_forward_is_forced_backward_in_another_thread(loop, again, monkeypatch):
    """Torch computes gradients of tensors on a GPU in another thread; the backend is not forced
    afterwards.
    """
    used = []
    for name, module in (("c++", compiled), ("torch", loops), ("c++", in_matrices), ("torch", matrix_loops)):
        for function in ("scan_backward", "gated_backward", "scan", "backward", "forward", "gradients"):
            if (there := getattr(module, function, None)) is not None:
                spied = lambda *values, name=name, there=there: used.append(name) or there(*values)
                monkeypatch.setattr(module, function, spied)
    values = [torch.randn(*shape, dtype=D, requires_grad=True) for shape in ((4, 3), (4, 3), (3,))]
    if loop is scan.matrix_scan:
        values = [torch.randn(*shape, dtype=D, requires_grad=True) for shape in ((1, 3, 3), (4, 3))]
        values.insert(1, torch.zeros(2, 4, dtype=torch.long))
    with scan.use("torch"):
        states = loop(*values)

    def differentiate():
        leaves = [x for x in values if x.requires_grad]
        torch.autograd.grad(states.sum(), leaves, create_graph=again)
        used.append(backends.chosen("cpu", D).name)

    thread = threading.Thread(target=differentiate)
    thread.start()
    thread.join()
    assert len(used) > 2 and set(used[:-1]) == {"torch"} and used[-1] == "c++"


@each_loop
def test_torch_knows_the_operators(loop):
    names = [name for name, function in SEMIRINGS.items() if function is loop]
    values = [torch.randn(*s, dtype=D) for s in ((4, 3, 2), (4, 3, 2), (3, 2))]
    require_known(operators.SCAN if names else operators.GATED, *values, *names)


def test_torch_knows_the_pair():
    values = [torch.randn(*shape, dtype=D) for shape in PAIR]
    require_known(operators.PAIR, *values)
    require_same_in_batches(lambda *v: sum(pair(*v)), values, (1, 1, 1, 1, 0, 0, 0))


@each_loop
def test_compiled_exported_and_transformed_results_are_equal(loop):
    torch.manual_seed(5)
    values = [torch.randn(*s, dtype=D) for s in ((4, 3, 2), (4, 3, 2), (3, 2))]
    network = lambda f, u, c: loop(2 * f, u, c).tanh()
    require_same_compiled_and_exported(network, values)
    one = torch.func.vmap(network, in_dims=(2, 2, 1), out_dims=2)(*values)
    assert torch.equal(one, network(*values))
    require_same_in_batches(network, values, (2, 2, 1))
    total = lambda c: network(*values[:2], c).sum()
    hessian = torch.func.jacrev(torch.func.jacrev(total))(values[2])
    assert hessian.shape == (3, 2, 3, 2) and hessian.isfinite().all()


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch's own warning about its tracing
@pytest.mark.parametrize("loop", [scan.max_plus, scan.gated], ids=lambda loop: loop.__name__)
def test_compiled_code_runs_a_recurrence_under_transforms_or_reports_an_error(loop):
    """torch.compile does not trace operators under vmap and jvp: it exceeded Python's recursion limit."""
    f, u, c = (torch.randn(*s, dtype=D) for s in ((4, 3, 2), (4, 3, 2), (3, 2)))
    lanes = lambda f: torch.func.vmap(lambda f: loop(f, u[:, :, 0], c[:, 0]), in_dims=2)(f)
    pushed = lambda f: torch.func.jvp(lambda f: loop(f, u, c), (f,), (torch.ones_like(f),))[1]
    for function in (lanes, pushed):
        assert torch.equal(torch.compile(function, backend="eager")(f), function(f))
        torch.compiler.reset()
        with pytest.raises(torch._dynamo.exc.Unsupported, match="is not traced, but runs eagerly"):
            torch.compile(function, fullgraph=True, backend="eager")(f)


@each_backend
@pytest.mark.parametrize(
    "layer", [Example6, RRNNB, RRNNC, RRNNF, SRU, QRNN, TRNN, TLSTM], ids=lambda x: x.__name__
)
def test_a_layer_with_fused_gates_equals_its_gates_and_steps(layer, backend):
    torch.manual_seed(10)
    cell = layer(3, 3, dtype=D).cell
    for parameter in cell.parameters():
        torch.nn.init.normal_(parameter)
    view = torch.randn(6, 4, cell.window * 3, dtype=D)
    state = [torch.randn(4, 3, dtype=D) for _ in range(cell.c_states)]
    with scan.use(backend):
        fused, expected = cell.recur(view, state), cell.steps(cell.gates(view), state)
    torch.testing.assert_close(fused, expected, rtol=1e-13, atol=1e-14)


def test_a_subclass_with_custom_gates_is_not_fused():
    torch.manual_seed(6)
    for layer in (RRNNB, RRNNC, RRNNF):

        class Other(layer.cell_class):
            def gates(self, view):
                return {name: gate / 2 for name, gate in super().gates(view).items()}

        cell = Other(3, 2)
        inputs, state = torch.randn(5, 4, 3), cell.start(4)
        expected = cell.steps(cell.gates(inputs), state)
        assert all(map(torch.equal, cell.run(inputs, state).states, expected))


@in_c
def test_the_backend_is_chosen_with_a_reason(monkeypatch):
    expected = ("torch", "the C++ backend does not support torch.float16")
    assert backends.chosen("cpu", torch.float16) == expected
    assert backends.chosen("mps", torch.float32) == ("torch", "there is no other backend for mps")
    monkeypatch.setenv(backends.VARIABLE, "torch")
    assert backends.chosen("cpu", torch.float32) == ("torch", "RATPROOF_SCAN selects it")
    monkeypatch.setenv(backends.VARIABLE, "fortran")
    with pytest.raises(InputError, match=r"RATPROOF_SCAN must be one of torch, c\+\+, triton, got 'fortran'"):
        backends.chosen("cpu", torch.float32)
    with (
        pytest.raises(InputError, match=r"the backend must be one of torch, c\+\+, triton, got 'cuda'"),
        scan.use("cuda"),
    ):
        pass
    half = torch.ones(2, 2, dtype=torch.float16)
    with pytest.raises(InputError, match="requires float32, float64 or bfloat16 tensors"), scan.use("c++"):
        scan.elementwise(half, half, half[0])


@pytest.mark.parametrize("compiler", ["no-such-compiler", "false"])
def test_without_a_compiler_torch_runs_it_and_warns_once(monkeypatch, tmp_path, compiler):
    monkeypatch.setenv("CXX", compiler)
    monkeypatch.setenv("RATPROOF_CACHE_DIR", str(tmp_path))
    libraries.library.cache_clear()
    libraries.lacking.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="recurrences run as loops of torch: the C") as told:
            states = [scan.elementwise(*(torch.ones(2, 2),) * 2, torch.ones(2)).tolist() for _ in range(2)]
        assert states == [[[2, 2], [3, 3]]] * 2
        assert len(told) == 1 and backends.chosen("cpu", D).name == "torch"
        with pytest.raises(InputError, match="got 'c\\+\\+': the C"), scan.use("c++"):
            pass
        assert not [*tmp_path.rglob("*.so")]
    finally:
        monkeypatch.undo()
        libraries.library.cache_clear()
        libraries.lacking.cache_clear()


@in_c
@pytest.mark.parametrize("named", ["", "env c++", "env 'c++'"])
def test_the_compiler_may_be_a_command_of_several_words(monkeypatch, tmp_path, named):
    """A compiler cache is such a command; an empty command means no compiler."""
    monkeypatch.setenv("RATPROOF_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("CXX", named)
    built = []
    monkeypatch.setattr(libraries, "_build", lambda compiler, *_: built.append(compiler[:2]) or "/none.so")
    libraries.library.cache_clear()
    with pytest.raises(OSError, match="none"):
        libraries.library(compiled.SOURCE, compiled.CONTRACTION)
    assert built == [["env", "c++"] if named else ["c++", libraries.FLAGS[0]]]


@in_c
def test_a_damaged_library_is_rebuilt(monkeypatch, tmp_path):
    source = tmp_path / "one.cpp"
    source.write_text('extern "C" int one() { return 1; }\n')
    try:
        monkeypatch.setenv("RATPROOF_CACHE_DIR", str(tmp_path / "one"))
        libraries.library.cache_clear()
        libraries.library(source, compiled.CONTRACTION)
        (built,) = (tmp_path / "one").rglob("*.so")
        spoilt = tmp_path / "two" / "scan" / built.name
        spoilt.parent.mkdir(parents=True)
        spoilt.write_bytes(built.read_bytes()[:1000])
        monkeypatch.setenv("RATPROOF_CACHE_DIR", str(tmp_path / "two"))
        libraries.library.cache_clear()
        assert libraries.library(source, compiled.CONTRACTION).one() == 1
        assert all(map(libraries.is_whole, spoilt.parent.iterdir()))
    finally:
        libraries.library.cache_clear()


@pytest.mark.parametrize(
    "shapes", [[(5, 3), (5, 2), (3,)], [(5, 3), (5, 3), (5, 3)], [(5, 1), (5, 1), (3,)], [(), (), ()]]
)
@each_loop
def test_inconsistent_shapes_are_reported(loop, shapes):
    message = "got " + ", ".join(map(str, shapes[:2])) + f" and {shapes[2]}"
    with pytest.raises(InputError, match=re.escape(message)):
        loop(*(torch.ones(shape) for shape in shapes))


@pytest.mark.parametrize("away", [0, 1, 2])
@each_loop
def test_arguments_on_several_devices_are_refused(loop, away):
    """A kernel would read addresses of one device on the other device."""
    values = [torch.ones(3, 2), torch.ones(3, 2), torch.ones(2)]
    values[away] = values[away].to("meta")
    with pytest.raises(
        InputError, match=r"recurrence must be on the same device, got (meta and cpu|cpu and meta)"
    ):
        loop(*values)


@each_loop
def test_integer_tensors_are_refused_and_zero_lanes_are_allowed(loop):
    integers = torch.ones(3, 2, dtype=torch.long)
    with pytest.raises(
        InputError, match=r"the arguments of a recurrence must have a floating-point dtype, got torch.int64"
    ):
        loop(integers, integers, integers[0])
    for shape in ((3, 0), (0, 0), (3,)):
        assert loop(torch.ones(shape), torch.ones(shape), torch.ones(shape[1:])).shape == shape


@pytest.mark.parametrize("name", ["scan", "gated", "pair", "matrices"])
def test_compiled_and_exported_it_accepts_any_number_of_steps_and_sequences(name):
    sizes = {"scan": ["TBD", "TBD", "BD"], "gated": ["TBD", "TBD", "BD"], "pair": ["TBD"] * 4 + ["BD"] * 3}
    sizes["matrices"] = ["SDD", "BD", "TBD"]

    class Network(torch.nn.Module):
        def forward(self, *values):
            if name == "matrices":
                symbols = values[2].sum(2).gt(0).long()
                return matrix_scan(values[0], symbols, *values[1:]).tanh()
            return {"scan": scan.log_sum, "gated": scan.gated, "pair": lambda *v: pair(*v)[1]}[name](*values)

    network, dynamic = Network(), torch.export.Dim.DYNAMIC
    drawn = lambda steps, strings: [
        torch.randn(*({"T": steps, "B": strings, "D": 3, "S": 2}[axis] for axis in size), dtype=D)
        for size in sizes[name]
    ]
    shapes = [{i: dynamic for i, axis in enumerate(size) if axis in "TB"} for size in sizes[name]]
    exported = torch.export.export(network, tuple(drawn(4, 3)), dynamic_shapes=(tuple(shapes),)).module()
    compiled_network = torch.compile(network, fullgraph=True, dynamic=True, backend="aot_eager")
    for steps, strings in ((4, 3), (7, 2), (2, 5)):
        values, results = [x.requires_grad_() for x in drawn(steps, strings)], []
        for run in (network, exported, compiled_network):
            states = run(*values)
            results.append([states.detach(), *torch.autograd.grad(states.sin().sum(), values)])
        for result in results[1:]:
            assert all(map(torch.equal, result, results[0]))


def test_a_network_of_one_cell_exposes_its_parts():
    layer = Example6(3, 2)
    assert layer.forget is layer.cell.forget
    with pytest.raises(AttributeError):
        _ = Example6(3, 2, num_layers=2).forget
    with pytest.raises(AttributeError):
        _ = layer.forgotten
