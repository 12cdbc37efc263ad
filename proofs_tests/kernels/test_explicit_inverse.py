"""Tests that gradients through an explicit inverse are within their bounds despite cancellation.

The terms of the delta rule's corrections, or of their gradients, cancel, so the results are small. The terms
were rounded before, so the rounding errors are not small.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_tests.kernels.chunked import delta, gated_delta, rwkv_7
from ratproof.laws.kernels.bounds import gradients
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.problem import Problem

KERNELS = {
    ("delta-rule", "explicit"): delta,
    ("delta-rule", "two products"): delta,
    ("gated-delta-rule", "explicit"): gated_delta,
    ("gated-delta-rule", "two products"): gated_delta,
    ("rwkv-7", "explicit"): rwkv_7,
}


@st.composite
def repetitions(draw, family):
    """Draw a problem with repeated keys, and weights of outputs and final states."""
    time, dtype = draw(st.integers(2, 9)), draw(st.sampled_from(("float32", "float64")))
    problem = Problem(
        FAMILIES[family], dtype, dtype, (time,), 1, 1, 2, 1, False, True, 1.0, "real", "mild", "free",
        draw(st.integers(0, 2**32 - 1)),
    )  # fmt: skip
    rng, arrays, weights = np.random.default_rng(problem.seed), problem.arrays(), problem.weights()
    one_hot, read = np.eye(2), "r" if family == "rwkv-7" else "q"
    arrays["k"][0, :, 0] = one_hot[rng.integers(2, size=time) * (rng.random(time) < 0.3)]
    arrays[read][0, :, 0] = one_hot[rng.integers(2, size=time)] * rng.choice((0, 1, 1.7), (time, 1))
    arrays["v"][0, :, 0] = rng.choice((0.1, 0.7), (time, 1), p=(0.8, 0.2))
    weights["o"][0, :, 0] = rng.choice((0.3, 1 / 7), (time, 1))
    if family == "rwkv-7":  # a step removes the value that a key reads
        arrays["a"], arrays["b"] = -arrays["k"], arrays["k"].copy()
        arrays["w"] *= rng.random((time, 1, 1)) < 0.2
    else:
        arrays["beta"][:] = 1
    if "g" in arrays:
        arrays["g"] *= rng.random((time, 1)) < 0.2
    return problem, *({n: problem.in_format(n, x) for n, x in values.items()} for values in (arrays, weights))


@pytest.mark.parametrize("family, inverse", KERNELS)
@given(data=st.data())
def test_gradients_through_an_explicit_inverse_are_within_their_bounds(family, inverse, data):
    problem, arrays, weights = data.draw(repetitions(family))
    kernel = Kernel(
        "right", FAMILIES[family], partial(KERNELS[family, inverse], inverse=inverse), KernelForm(16)
    )
    form = replace(kernel.form, inverse="explicit")
    right = gradients(problem, arrays, weights["o"], weights["final_state"], form, True)
    for name, flow in kernel.gradients(problem, arrays, weights).flows.items():
        value, bound = right[name]
        assert (np.abs(flow - value) <= bound).all(), name
        assert problem.dtype == "float32" or (bound < 1e-6).all(), name
