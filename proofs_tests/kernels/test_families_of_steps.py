"""Tests of mLSTM and gated slot attention, the kernels whose outputs are not linear in the state."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from proofs_tests.kernels import chunked_steps
from proofs_tests.kernels.recurrent import KERNELS, mlstm_zeros, stabilized_mlstm
from proofs_tests.kernels.test_believe_kernel import verdicts
from ratproof import kernel_claim
from ratproof.laws.kernels.adapters import with_stabilizer
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.bounds.two_parts import pair_results
from ratproof.laws.kernels.comparison import compare
from ratproof.laws.kernels.counterexample import WrongCall
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.stepwise import stepwise

CHUNKED = {"mlstm": chunked_steps.mlstm, "gsa": chunked_steps.gsa}
SMALL = {"lengths": (1, 9, 33, 40), "sizes": {"B": (2,), "H": (2,), "K": (3,), "V": (2,)}}
IN_CHUNKS = {"form": "chunked", "chunk": 16}
FAULTS = {
    "mlstm": (
        "carried state not rescaled",
        "stabilizer lost at an edge",
        "divisor at least 1 after stabilizing",
        "no maximum",
        "no absolute value",
        "gates exchanged",
        "the token's own forget gate applied to it",
        "state lost at an edge",
        "final state not rescaled",
    ),
    "gsa": (
        "scores scaled",
        "sigmoid for softmax",
        "slots reversed",
        "values not decayed",
        "state lost at an edge",
    ),
}
OF_GRADIENTS = {
    "mlstm": ("gradient of the input gate dropped", "gradient of the carried gates dropped"),
    "gsa": ("gradient of the softmax dropped", "gradient of the carried gates dropped"),
}


def listed(faults):
    """Return the pairs of a family and a fault."""
    return [(family, fault) for family, own in faults.items() for fault in own]


def call(family, time=40, packed=False, gates="mild", seed=1, dtype="float32"):
    """Return a call of a family; packed sequences have 0, 1 and ``time - 1`` tokens."""
    lengths = (0, 1, time - 1) if packed else (time,)
    sizes = {"batch": 1 if packed else 2, "heads": 2, "keys": 4, "values": 5}
    options = {"has_initial_state": True, "scale": None, "numbers": "real", "directions": "free"}
    return Problem(
        FAMILIES[family], dtype, dtype, lengths, packed=packed, gates=gates, seed=seed, **sizes, **options
    )


def bfloat16(kernel):
    """Return a kernel that reads bfloat16, computes in float32, and rounds its outputs."""

    def narrow(*, initial_state=None, cu_seqlens=None, output_final_state=True, **tensors):
        wide = {name: x.float() for name, x in tensors.items()}
        outputs, state = kernel(initial_state=initial_state, cu_seqlens=cu_seqlens, **wide)
        return outputs.bfloat16(), state

    return narrow


@pytest.mark.parametrize("family", CHUNKED)
@pytest.mark.parametrize("form", ["step by step", "chunked"])
def test_a_kernel_holds_in_every_check(family, form):
    kernel, more = (CHUNKED[family], IN_CHUNKS) if form == "chunked" else (KERNELS[family], {})
    claim = kernel_claim("right", family=family, kernel=kernel, **more, **SMALL)
    assert set(verdicts(claim, 20).values()) == {"holds"}


@pytest.mark.parametrize("family", CHUNKED)
def test_a_kernel_of_narrow_tensors_holds(family):
    narrow = {"dtypes": ("bfloat16",), "accumulation": "float32"}
    claim = kernel_claim("right", family=family, kernel=bfloat16(KERNELS[family]), **narrow, **SMALL)
    assert set(verdicts(claim, 20).values()) == {"holds"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("family", "fault"), listed(FAULTS))
def test_a_fault_is_refuted(family, fault):
    kernel = partial(CHUNKED[family], fault=fault)
    claim = kernel_claim("wrong", family=family, kernel=kernel, **IN_CHUNKS, **SMALL)
    assert verdicts(claim, 40, "sampled") == {"sampled": "refuted"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("family", "fault"), listed(OF_GRADIENTS))
def test_a_fault_of_a_gradient_is_refuted(family, fault):
    kernel = partial(CHUNKED[family], fault=fault)
    claim = kernel_claim("wrong", family=family, kernel=kernel, **IN_CHUNKS, **SMALL)
    assert verdicts(claim, 40, "sampled") == {"sampled": "holds"}
    assert verdicts(claim, 40, "gradient") == {"gradient": "refuted"}


@pytest.mark.parametrize("family", CHUNKED)
@pytest.mark.parametrize("gates", ["none", "mild", "bursts", "infinite"])
@pytest.mark.parametrize("packed", [False, True])
def test_results_are_those_of_a_kernel_in_float64(family, gates, packed):
    problem = call(family, packed=packed, gates=gates, dtype="float64")
    arrays, weights = problem.arrays(), problem.weights()
    computed = Kernel("right", FAMILIES[family], KERNELS[family], KernelForm()).gradients(
        problem, arrays, weights
    )
    for form in (KernelForm(), KernelForm(16)):
        ours, direct = (pair_results(problem, arrays, form, weights, c) for c in (True, False))
        assert ours.keys() == computed.results().keys()
        for name, value in computed.results().items():
            assert (abs(ours[name][0] - value) <= ours[name][1]).all()
            assert (direct[name][1] <= ours[name][1]).all()


@pytest.mark.parametrize("family", CHUNKED)
def test_bounds_are_smaller_than_those_from_the_operations_of_the_step(family):
    problem = call(family)
    arrays, weights = problem.arrays(), problem.weights()
    for form in (KernelForm(), KernelForm(16)):
        ours = pair_results(problem, arrays, form, weights, cumulated=False)
        for name, (value, bound) in stepwise(problem, arrays, form, weights).items():
            assert abs(ours[name][0] - value).max() < 1e-11
            assert 0.001 < np.median(ours[name][1] / bound) < 1


def off_at(kernel, token, relative):
    """Return a kernel with a relative error in the outputs of one token."""

    def wrong(**arguments):
        outputs, state = kernel(**arguments)
        factor = torch.ones_like(outputs)
        factor[:, token] += relative
        return outputs * factor, state

    return wrong


@pytest.mark.parametrize(
    ("family", "token", "relative"),
    [("mlstm", 5, 1e-4), ("mlstm", 2000, 1e-4), ("gsa", 5, 1e-4), ("gsa", 2000, 1e-4)],
)
def test_a_small_error_of_one_token_in_2049_is_refuted(family, token, relative):
    problem = call(family, time=2049)
    wrong = Kernel("wrong", FAMILIES[family], off_at(KERNELS[family], token, relative), KernelForm())
    with pytest.raises(WrongCall):
        compare(wrong, problem, problem.arrays())


@with_stabilizer
def stabilized(*, initial_state=None, output_final_state=True, **x):
    """Compute mLSTM with the state (C, n, m); without an initial state, m begins with -infinity."""
    if initial_state is None:
        c, n = mlstm_zeros(x)
        initial_state = c, n, torch.full_like(n[..., 0], -torch.inf)
    return stabilized_mlstm(x, *initial_state)


def test_a_kernel_may_have_a_state_with_a_stabilizer():
    claim = kernel_claim("right", family="mlstm", kernel=stabilized, without=["cu_seqlens"], **SMALL)
    assert set(verdicts(claim, 40).values()) == {"holds"}


def exp2(x):
    """Return exp(x), computed as a power of 2; its argument is rounded once more."""
    return torch.exp2(x * 1.4426950408889634)


def mlstm_in_base_2(*, q, k, v, i, f, initial_state=None, output_final_state=True):
    """Compute one token or more of mLSTM with powers of 2 and a stabilizer."""
    (c, n), m = initial_state, torch.zeros_like(i[:, 0])
    forget, outputs = f.sigmoid().log(), []
    for t in range(q.shape[1]):
        after = torch.maximum(forget[:, t] + m, i[:, t]).detach()
        old, new = exp2(forget[:, t] + m - after), exp2(i[:, t] - after)
        c = old[..., None, None] * c + new[..., None, None] * k[:, t, :, :, None] * v[:, t, :, None]
        n, m = old[..., None] * n + new[..., None] * k[:, t], after
        divisor = torch.maximum((n * q[:, t]).sum(-1).abs(), exp2(-m))
        outputs.append((c * q[:, t, :, :, None]).sum(-2) / divisor[..., None])
    return torch.stack(outputs, 1), (exp2(m)[..., None, None] * c, exp2(m)[..., None] * n)


def gsa_in_base_2(*, q, k, v, s, g, initial_state=None, output_final_state=True):
    """Compute one token of gated slot attention with powers of 2."""
    a, b = initial_state
    a, b = (
        exp2(g[:, 0])[..., None] * x + s[:, 0, :, :, None] * y[:, 0, :, None] for x, y in ((a, k), (b, v))
    )
    read = (a * q[:, 0, :, None]).sum(-1)
    p = exp2(read - read.amax(-1, keepdim=True))
    p = p / p.sum(-1, keepdim=True)
    return (p[..., None] * b).sum(-2)[:, None], (a, b)


def assert_within_bounds(family, kernel, problem, arrays, cumulated=False):
    """Assert that a kernel's results and gradients are within their bounds, and return results and bounds."""
    weights = problem.weights()
    results = (
        Kernel("right", FAMILIES[family], kernel, KernelForm()).gradients(problem, arrays, weights).results()
    )
    right = pair_results(problem, arrays, KernelForm(), weights, cumulated)
    for name, value in results.items():
        assert (abs(value - right[name][0]) <= right[name][1]).all(), name
    return results, right


@pytest.mark.parametrize(("family", "kernel"), [("mlstm", mlstm_in_base_2), ("gsa", gsa_in_base_2)])
def test_exponentials_of_large_arguments_are_within_the_bounds(family, kernel):
    for seed in range(20):
        problem = replace(call(family, time=1, seed=seed), batch=16, heads=8, keys=1, values=1)
        arrays = problem.arrays()
        large = {"i": np.clip(40 * arrays["i"], -80, 80)} if family == "mlstm" else {"q": 40 * arrays["q"]}
        arrays |= large | {"initial_state": seed % 2 * arrays["initial_state"]}
        arrays = {name: problem.in_format(name, x) for name, x in arrays.items()}
        assert_within_bounds(family, kernel, problem, arrays)


def test_a_divisor_near_1_may_have_either_gradient():
    problem = replace(call("mlstm", time=1), batch=16, heads=16, keys=1, values=2, has_initial_state=False)
    arrays = problem.arrays()
    arrays["k"] = np.ones_like(arrays["k"])
    arrays["q"] = problem.in_format("q", np.exp(-arrays["i"])[..., None])
    results, right = assert_within_bounds("mlstm", KERNELS["mlstm"], problem, arrays, cumulated=True)
    other = abs(results["q.grad"] - right["q.grad"][0]) > 1e-3
    assert other.any() and not other.all()
