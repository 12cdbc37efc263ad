"""Tests that bounds include the rounding of the error that a chunk or a step inherits.

This rounding remains even if the steps of the exact state cancel.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from proofs_tests.kernels.chunked import rwkv_7
from ratproof.laws.kernels.bounds.corrections import solution
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.comparison import compare
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.naive import groups, inputs_of, state_trajectory
from ratproof.laws.kernels.problem import Problem


def in_two_parts(*, r, w, k, v, a, b, scale, initial_state, output_final_state, cu_seqlens):
    """Run RWKV-7 step by step, with a correction that is the sum of two rounded parts, 1/10 and 9/10."""
    state, outputs = initial_state.clone(), []
    for t in range(r.shape[1]):
        read = sum((part * state * a[:, t, :, :, None]).sum(-2, keepdim=True) for part in (0.1, 0.9))
        decayed = w[:, t, :, :, None].exp() * state
        state = decayed + b[:, t, :, :, None] * read + k[:, t, :, :, None] * v[:, t, :, None]
        outputs.append(scale * (state * r[:, t, :, :, None]).sum(-2))
    return torch.stack(outputs, 1), state


KERNELS = {
    "chunks": (lambda **tensors: rwkv_7(chunk=4, **tensors), KernelForm(4)),
    "chunks, an inverse": (
        lambda **tensors: rwkv_7(chunk=4, inverse="explicit", **tensors),
        KernelForm(4, inverse="explicit"),
    ),
    "step by step": (in_two_parts, KernelForm()),
}


@pytest.mark.parametrize("kernel, form", KERNELS.values(), ids=KERNELS)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("float32", "float64")))
def test_the_remainder_after_cancellation_is_within_its_bound(kernel, form, seed, dtype):
    family = FAMILIES["rwkv-7"]
    problem = Problem(
        family, dtype, dtype, (12,), 1, 1, 1, 1, False, True, 1.0, "real", "mild", "free", seed
    )  # fmt: skip
    arrays, rng = problem.arrays(), np.random.default_rng(seed)
    arrays["k"] *= rng.random((12, 1, 1)) < 0.2
    arrays["a"][:], arrays["b"][:] = 1, -1
    arrays["w"] = np.where(rng.random((1, 12, 1, 1)) < 0.3, 0.0, arrays["w"])  # b removes what 0 preserves
    compare(Kernel("right", family, kernel, form), problem, arrays)


@pytest.mark.parametrize("family", ["delta-rule", "gated-delta-rule", "rwkv-7"])
@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_no_correction_exceeds_the_size_that_its_roundings_are_relative_to(family, seed, time):
    """This includes the correction of an error of 1 that enters, without values."""
    problem = Problem(
        FAMILIES[family], "float64", "float64", (time,), 1, 1, 3, 2, False, True, 1.0, "real", "mild", "free",
        seed,
    )  # fmt: skip
    inputs = inputs_of(problem, problem.arrays(), next(groups(problem)))
    solved = solution(inputs, inputs.start, np.zeros(1), "explicit", False)
    direction = np.random.default_rng(seed).normal(size=inputs.start.shape)
    one = replace(
        inputs, value=0 * inputs.value, start=direction / np.linalg.norm(direction, axis=-2, keepdims=True)
    )
    for roles, sizes in ((inputs, solved.sizes[0]), (one, solved.carried)):
        corrections = np.abs(np.moveaxis(state_trajectory(roles).along[..., 0, :], 0, 2).astype(float))
        assert (corrections <= sizes * (1 + 1e-9)).all()
