"""An error that is carried into a chunk, or into a step, is rounded there too: where the steps of the true
state cancel, and leave nothing of it, a rounding of it is left.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from proofs_tests.kernels.chunked import rwkv_7
from ratproof.kernels.comparison import compare
from ratproof.kernels.family import FAMILIES
from ratproof.kernels.kernel import Kernel
from ratproof.kernels.problem import Problem
from ratproof.kernels.reference.form import Form


def in_another_order(*, r, w, k, v, a, b, scale, initial_state, output_final_state, cu_seqlens):
    """Step by step, with thirds of the state added up: what is to cancel is rounded before."""
    state, outputs = initial_state.clone(), []
    for t in range(r.shape[1]):
        third = state / 3
        read = [(third * a[:, t, :, :, None]).sum(-2, keepdim=True) for _ in range(3)]
        decayed = w[:, t, :, :, None].exp() * state
        state = decayed + sum(b[:, t, :, :, None] * x for x in read) + k[:, t, :, :, None] * v[:, t, :, None]
        outputs.append(scale * (state * r[:, t, :, :, None]).sum(-2))
    return torch.stack(outputs, 1), state


KERNELS = {
    "chunks": (lambda **tensors: rwkv_7(chunk=4, **tensors), Form(4)),
    "chunks, an inverse": (
        lambda **tensors: rwkv_7(chunk=4, inverse="explicit", **tensors),
        Form(4, inverse="explicit"),
    ),
    "step by step": (in_another_order, Form()),
}


@pytest.mark.parametrize("kernel, form", KERNELS.values(), ids=KERNELS)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("float32", "float64")))
def test_what_is_left_where_a_step_takes_everything_away_is_within_its_bound(kernel, form, seed, dtype):
    family = FAMILIES["rwkv-7"]
    problem = Problem(
        family, dtype, dtype, (12,), 1, 1, 1, 1, False, True, 1.0, "real", "mild", "free", False, seed
    )  # fmt: skip
    arrays, rng = problem.arrays(), np.random.default_rng(seed)
    arrays["k"] *= rng.random((12, 1, 1)) < 0.2
    arrays["a"][:], arrays["b"][:] = 1, -1
    arrays["w"] = np.where(rng.random((1, 12, 1, 1)) < 0.3, 0.0, arrays["w"])  # -1 takes away what 0 keeps
    compare(Kernel("right", family, kernel, form), problem, arrays)
