"""Tests that a recurrent kernel may sum the terms of a step in any order.

If a kernel needs another form, a hint suggests it.
"""

from functools import partial

import pytest
import torch

from proofs_tests.kernels.chunked import gla
from proofs_tests.kernels.orders import ORDERS
from proofs_tests.kernels.recurrent import over_strings
from proofs_tests.kernels.test_believe_kernel import FEW, results, verdicts
from ratproof import believe_kernel
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.comparison import compare
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.problem import Problem


@pytest.mark.parametrize("kind", ["sampled", "gradient"])
@pytest.mark.parametrize(("family", "kernel"), ORDERS.values(), ids=ORDERS)
def test_a_step_is_added_up_in_any_order(family, kernel, kind):
    claim = believe_kernel("any-order", family=family, kernel=kernel)
    assert verdicts(claim, FEW, kind) == {kind: "holds"}


@pytest.mark.parametrize("time", [2, 5])
@pytest.mark.parametrize(("family", "kernel"), ORDERS.values(), ids=ORDERS)
def test_no_order_exceeds_its_bound_if_terms_cancel(family, kernel, time):
    """A step removes the value that the previous one wrote, up to a few units: the remainder is small
    compared with its terms.
    """
    problem = Problem(
        FAMILIES[family],
        "float32",
        "float32",
        (time,),
        4_000,
        1,
        1,
        1,
        False,
        True,
        1.0,
        "real",
        "none",
        "free",
        0,
    )
    arrays = problem.arrays()
    if family == "delta-rule":
        arrays["k"][:] = 1.0
        arrays["beta"][:] = 1 + 0.5 * (arrays["beta"] > 1)
        arrays["v"][:, 0] = -0.5 * arrays["initial_state"][:, :, 0] * (1 + 1e-6)
    else:
        arrays["v"][:, 0] = -arrays["initial_state"][:, :, 0] / arrays["k"][:, 0] * (1 + 1e-6)
    arrays = {name: problem.in_format(name, array) for name, array in arrays.items()}
    compare(Kernel("right", FAMILIES[family], kernel, KernelForm()), problem, arrays)


def halves(x):
    """Return the cumulative sum, computed in two halves as in a parallel scan."""
    if x.shape[1] < 2:
        return x
    first, second = (halves(part) for part in (x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :]))
    return torch.cat([first, first[:, -1:] + second], 1)


@over_strings
def parallel_scan(tensors, state, scale):
    """Compute HGRN with states as sums over all tokens, and decays as exponentials of differences."""
    x, g = tensors["x"], tensors["g"]
    if not x.shape[1]:
        return x, x.sum(1) if state is None else state
    b = halves(g)
    decays = (b[:, :, None] - b[:, None]).exp() * torch.ones(x.shape[1], x.shape[1]).tril()[..., None]
    outputs = (decays.to(x.dtype).nan_to_num() * x[:, None]).sum(2)
    if state is not None:
        outputs = outputs + b.exp() * state[:, None]
    return outputs, outputs[:, -1]


def test_a_kernel_that_needs_another_form_gets_a_hint():
    declared = {
        "family": "hgrn",
        "kernel": parallel_scan,
        "without": ("infinite-gates",),
        "dtypes": ("float32",),
    }
    result = results(believe_kernel("other-form", **declared), 60, "sampled")["sampled"]
    assert str(result.verdict) == "refuted"
    form = result.counterexample.form
    assert form.startswith('form="chunked", chunk=')
    assert f"of a kernel with {form}" in result.counterexample.sentence()
    right = believe_kernel("this-form", form="chunked", chunk=256, **declared)
    assert verdicts(right, 60, "sampled") == {"sampled": "holds"}


def test_no_form_excuses_a_mistake():
    kernel = partial(gla, mistake="rows mixed")
    result = results(believe_kernel("wrong", family="gla", kernel=kernel), 100, "sampled")["sampled"]
    assert str(result.verdict) == "refuted" and not result.counterexample.form
