"""Tests that values whose squares underflow or overflow have bounds."""

from types import SimpleNamespace

import numpy as np
import pytest

from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_reference import ellipsoids
from ratproof.laws.kernels.bounds import gradients, run
from ratproof.laws.kernels.bounds.rounding import KernelForm, column_norm, norm, root_mean_square
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.rungs import split

FORMS = {
    "step by step": KernelForm(),
    "chunks": KernelForm(4),
    "an inverse": KernelForm(4, inverse="explicit"),
}
SCALES = [2.0**-600, 2.0**600]


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1e-200, 1.0, 1e200, 1e300])
def test_a_norm_is_right_if_squares_are_not_floats(scale):
    vectors = scale * np.array([[3.0, 4.0], [0.0, 0.0]])
    assert np.allclose(norm(vectors), 5 * vectors[:, 0] / 3, rtol=1e-3, atol=0)
    assert np.array_equal(column_norm(vectors.T), norm(vectors)[None])
    assert np.isclose(root_mean_square(vectors), 2.5 * scale, rtol=1e-3, atol=0)


def test_a_norm_is_numpys_if_squares_are_floats_and_0_if_empty():
    vectors = np.random.default_rng(0).normal(size=(4, 5, 3))
    for axis in (0, 1, -1):
        assert np.array_equal(norm(vectors, axis), np.linalg.norm(vectors, axis=axis))
    assert np.array_equal(norm(np.zeros((2, 0))), [0, 0])
    assert norm(np.array([1.0, np.inf])) == np.inf and np.isnan(norm(np.array([1.0, np.nan])))


@pytest.mark.parametrize("family", ["delta-rule", "gated-delta-rule", "rwkv-7"])
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("tried", [False, True], ids=["norms", "ellipsoids"])
@pytest.mark.parametrize("scale", SCALES)
def test_bounds_scale_with_linear_inputs(family, form, tried, scale):
    problem = Problem(
        FAMILIES[family], "float64", "float64", (9,), 1, 2, 3, 2, False, True, 1.0, "real", "mild", "free", 6
    )
    arrays, weights = problem.arrays(), problem.weights()
    linear = ("v", "initial_state")
    scaled = {n: scale * x if n in linear else x for n, x in arrays.items()}

    def bounds(numbers, weight):
        result = run(problem, numbers, form)
        flows = gradients(
            problem, numbers, weight * weights["o"], weight * weights["final_state"], form, False
        )
        return [result.output_bounds, result.state_bounds], {n: bound for n, (_, bound) in flows.items()}

    def same(other, bound):  # except for the smallest subnormal number, which is added to all bounds
        return np.allclose(other, bound, rtol=1e-9, atol=max(1.0, scale) * 1e-300)

    with ellipsoids(tried):
        (results, flows), (of_values, by_values), (_, by_weights) = (
            bounds(arrays, 1.0), bounds(scaled, 1.0), bounds(arrays, scale)
        )  # fmt: skip
    for bound, other in zip(results, of_values, strict=True):
        assert same(other, scale * bound)
    for name, bound in flows.items():
        assert same(by_weights[name], scale * bound)
        assert same(by_values[name], bound * (1 if name in linear else scale))


@pytest.mark.parametrize("tried", [False, True], ids=["norms", "ellipsoids"])
def test_a_correct_kernel_holds_for_a_last_token_after_a_burst_of_gates(tried):
    """The burst reduces one column of the state to 1e-262, and only zeros are written to it afterwards."""
    family = FAMILIES["gated-delta-rule"]
    problem = Problem(
        family, "float64", "float64", (100,), 1, 7, 4, 32, False, True, 1.0, "plain", "bursts", "hot", 7
    )
    right = Kernel("right", family, KERNELS[family.name], KernelForm())
    with ellipsoids(tried):
        split(right, problem, SimpleNamespace(draw=lambda _: 99))
