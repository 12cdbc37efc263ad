"""Tests that Triton's kernels, on a GPU or in the interpreter, compute the results of torch's loops.

They run with and without chunks.
"""

import importlib.util
import math

import pytest
import torch

from automata.errors import InputError
from neural import scan
from neural.example_6 import Example6
from neural.rrnn_f import RRNNF
from neural.scan import backends, loops, on_gpu, outputs, triton_kernels
from neural.sru import SRU
from proofs_tests.neural import test_scan, test_scan_outputs

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.usefixtures("where_triton_runs"),
]
D = torch.float64
LOOPS = {"real": scan.elementwise, "max_plus": scan.max_plus, "log": scan.log_sum, "gated": scan.gated}
each_loop = pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)


def gradients(run, inputs, weights):
    values = [x.clone().requires_grad_() for x in inputs]
    states = run(*values)
    states = torch.cat([x.flatten() for x in (states if isinstance(states, tuple) else (states,))])
    finite = torch.where(states.isfinite(), states, 0)
    (finite.double() * weights[: len(finite)]).sum().backward()
    return [states.detach(), *(torch.zeros_like(x) if x.grad is None else x.grad for x in values)]


def both(run, inputs, chunk):
    """Return the states and gradients of torch's loops and of Triton's kernels."""
    weights = torch.linspace(1, 2, 2 * max(x.numel() for x in inputs), dtype=D)
    with scan.use("torch"):
        expected = gradients(run, inputs, weights)
    with scan.use("triton", chunk):
        return gradients(run, inputs, weights), expected


@each_loop
@pytest.mark.parametrize(
    "dtype, steps, chunk",
    [(torch.float32, 7, 3), (D, 7, None), (D, 7, 1), (D, 7, 3), (D, 1, 2), (D, 0, 2)],
    ids=str,
)
def test_states_and_gradients_match_the_loops_with_and_without_chunks(loop, dtype, steps, chunk):
    """Small integers make the two terms of a step equal in some of the 70 lanes."""
    torch.manual_seed(2)
    inputs = [torch.randn(*shape, dtype=dtype) for shape in ((steps, 70), (steps, 70), (70,))]
    inputs = [torch.cat([x[..., :35], x[..., 35:].round()], -1) for x in inputs]
    slack = 1e-4 if dtype is torch.float32 else 1e-12
    for one, other in zip(*both(loop, inputs, chunk), strict=True):
        torch.testing.assert_close(one, other, rtol=slack, atol=slack)


@each_loop
@pytest.mark.parametrize("chunk", [None, 2])
def test_bfloat16_accumulates_in_float32(loop, chunk):
    """The interpreter truncates, and a GPU rounds to nearest: a result is off by one unit in total, not by
    one per step.
    """
    torch.manual_seed(0)
    values = [torch.randn(*shape).to(torch.bfloat16) for shape in ((9, 5), (9, 5), (5,))]
    with scan.use("triton", chunk):
        narrow, wide = loop(*values), loop(*(x.float() for x in values))
    assert narrow.dtype is torch.bfloat16
    assert ((narrow.float() - wide).abs() <= 2**-7 * wide.abs()).all()


def test_max_plus_matches_the_loops_bit_for_bit_without_parallel_chunks():
    torch.manual_seed(4)
    f, u, c = (torch.randn(*shape, dtype=D) for shape in ((7, 70), (7, 70), (70,)))
    u, c = u.masked_fill(u > 1, -math.inf), c.masked_fill(c > 1, -math.inf)
    for one, other in zip(*both(scan.max_plus, (f, u, c), None), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("steps, chunk", [(0, None), (0, 2), (1, 2), (5, None), (5, 2)])
def test_a_pair_and_its_gradients_match_the_loops(steps, chunk):
    torch.manual_seed(1)
    inputs = [torch.randn(*shape, dtype=D) for shape in [(steps, 2, 9)] * 4 + [(2, 9)] * 3]
    run = lambda x1, z1, x2, z2, c1, c2, r: scan.gated_pair((x1, x2), (z1, z2), (c1, c2), r)
    for one, other in zip(*both(run, inputs, chunk), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("chunk", [None, 1, 3])
def test_the_input_of_the_second_of_a_pair_is_not_rounded_in_chunks(chunk):
    """In float16 the first recurrence's state times the second update overflows; the sum does not."""
    gate, update = torch.zeros(2, 1, dtype=torch.half), torch.tensor([[0.0], [300.0]], dtype=torch.half)
    starts = torch.tensor([940.0], dtype=torch.half), torch.tensor([-60000.0], dtype=torch.half)
    with scan.use("triton", chunk):
        two = scan.gated_pair((gate, gate), (update, update), starts)[1]
    assert two.flatten().tolist() == [-30000.0, 55488.0]


def test_long_sequences_of_few_lanes_are_split_into_nested_chunks():
    """The summaries of 14 chunks are scanned in 5 chunks, and these in 2."""
    torch.manual_seed(3)
    inputs = [torch.rand(40, 2, dtype=D), torch.randn(40, 2, dtype=D), torch.randn(2, dtype=D)]
    assert on_gpu._chunk_of(65_536, 64) == 64 and on_gpu._chunk_of(1024, 64) == 32
    assert on_gpu._chunk_of(512, 8192) == 512 and on_gpu._chunk_of(60, 1) == 60
    for one, other in zip(*both(scan.elementwise, inputs, 3), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("start", [0.0, 1.0])
def test_a_chunk_whose_product_overflows_is_run_step_by_step(start):
    """The product is 1e+600; the states are 0, or overflow themselves."""
    f = torch.tensor([[1e300, 0.5]] * 2 + [[0.0, 0.5]] * 2, dtype=D)
    u, c = torch.tensor([[0.0, 1.0]] * 4, dtype=D), torch.tensor([start, 1.0], dtype=D)
    one, other = both(scan.elementwise, (f, u, c), 2)
    for ours, theirs in zip(one, other, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("loop", [scan.max_plus, scan.log_sum])
def test_a_chunk_whose_sum_overflows_is_run_step_by_step(loop):
    """The sum of the first chunk is -2e308, which is -infinity; the states are at least -1e308."""
    f, u = torch.tensor([[-1e308]] * 2 + [[5e307]] * 2, dtype=D), torch.full((4, 1), -math.inf, dtype=D)
    one, other = both(loop, (f, u, torch.tensor([1e308], dtype=D)), 2)
    assert one[0].tolist() == [0, -1e308, -5e307, 0]
    torch.testing.assert_close(one, other)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_chunk_whose_product_overflows_backward_is_run_step_by_step():
    """No gradient flows into the chunk whose product is 1e+600."""
    f, grad = (
        torch.tensor(x, dtype=D).unsqueeze(1) for x in ([0.5, 0.5, 1e300, 1e300, 0, 0], [1, 1] + 4 * [0])
    )
    values = grad, f, torch.zeros_like(f), torch.zeros_like(f), torch.ones(1, dtype=D)
    with scan.use("triton", 2):
        results = on_gpu.scan_backward(*values, "real")
    for ours, theirs in zip(results, loops.scan_backward(*values, "real"), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


def test_nan_stays_in_its_own_lane():
    u = torch.zeros(9, 20)
    u[4, ::3] = math.nan
    for chunk in (None, 2):
        with scan.use("triton", chunk):
            states = scan.elementwise(torch.ones(9, 20), u, torch.zeros(20))
        assert states.isnan().sum(1).tolist() == [0] * 4 + [7] * 5


@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_the_sigmoid_is_within_four_ulps(dtype):
    x = torch.cat([torch.linspace(-120, 120, 2001), torch.linspace(-1e-3, 1e-3, 101)])
    test_scan.require_sigmoids_within_four_ulps("triton", x.to(dtype))


@pytest.mark.parametrize("layer", [Example6, RRNNF, SRU], ids=lambda layer: layer.__name__)
def test_a_layer_with_fused_gates_equals_its_gates_and_steps(layer):
    test_scan.test_a_layer_with_fused_gates_equals_its_gates_and_steps(layer, "triton")


def test_triton_is_chosen_on_a_gpu_with_its_own_chunk_size():
    assert backends.chosen("cuda", torch.float32) == ("triton", "Triton is installed")
    assert backends.chosen("cuda", torch.complex64).name == "torch"
    assert backends.Backend("triton", 3) in backends.available("cuda")
    for name, chunk in (("torch", 3), ("triton", 0), ("triton", 2.5)):
        with pytest.raises(InputError, match=f"chunk must be .*got {chunk} for"), scan.use(name, chunk):
            pass


class NoKernel:
    """A kernel that computes nothing, and stores the grids with which it is launched."""

    def __init__(self):
        self.grids = []

    def __getitem__(self, grid):
        self.grids.append(grid)
        return lambda *arguments, **options: None


def test_more_chunks_than_the_second_axis_of_a_grid_allows_are_launched(monkeypatch):
    """The second axis of a grid is limited to 65,535 blocks, so the grid has one axis."""
    kernel = NoKernel()
    monkeypatch.setattr(triton_kernels, "forward", kernel)
    with scan.use("triton", 2):
        scan.elementwise(torch.zeros(140_001, 65), torch.zeros(140_001, 65), torch.zeros(65))
    assert {len(grid) for grid in kernel.grids} == {1} and kernel.grids[0] == (2 * 70_001,)


def test_many_chunks_of_one_step_are_nested_as_deeply_as_chunks_of_two(monkeypatch):
    """The summaries of 1,100 chunks are scanned in 550 chunks, their summaries in 275 chunks, and so on."""
    forward, backward = NoKernel(), NoKernel()
    monkeypatch.setattr(triton_kernels, "forward", forward)
    monkeypatch.setattr(triton_kernels, "backward", backward)
    values = [torch.zeros(1100, 1, requires_grad=True), torch.zeros(1100, 1), torch.zeros(1)]
    with scan.use("triton", 1):
        scan.elementwise(*values).sum().backward()
    assert forward.grids[:4] == [(1100,), (550,), (275,), (137,)]
    assert backward.grids == [(1100,), (1100,), (1,)]


OUTPUTS = {
    "tanh": (lambda c, z, x: outputs.tanh(c)),
    "tanh of a product": (lambda c, z, x: outputs.tanh(c, z)),
    "gated": (lambda c, z, x: outputs.gated_tanh(c, z)),
    "highway": outputs.gated_tanh,
}


@pytest.mark.parametrize("form", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_outputs_and_their_gradients_match_torchs_own_passes(form, dtype):
    values = torch.tensor([0, -1, 1, -3, 2.5, 0.3, -1e-3], dtype=dtype)
    slack = 1e-5 if dtype is torch.float32 else 1e-12
    for one, other in zip(
        *both(form, torch.cartesian_prod(values, values, values).unbind(1), None), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=slack, atol=slack)


@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_the_tanh_is_within_three_ulps(dtype):
    test_scan_outputs.require_tanh_within_three_ulps("triton", dtype)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinity_and_nan_agree_with_tanh():
    test_scan_outputs.require_tanh_of_infinity_and_nan("triton")
