"""A kernel against another one: right ones hold within measured rounding, mistakes are refuted, and what is
neither is unknown.
"""

from __future__ import annotations

from functools import partial

import pytest
import torch

from automata.errors import InputError
from proofs_tests.kernels.chunked import delta, gla
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import FEW, flowing, results, verdicts
from ratproof import believe_kernel
from ratproof.kernels.family import LinearRecurrence

RUNGS = ("sampled", "gradient", "split", "independence")


def claim_of(kernel, family="gla", other=None):
    return believe_kernel("mine", family=family, kernel=kernel, against=other or KERNELS[family])


@pytest.mark.parametrize(("family", "kernel"), [("gla", gla), ("delta-rule", delta)])
def test_a_chunked_kernel_is_the_recurrent_one(family, kernel):
    assert verdicts(claim_of(kernel, family)) == dict.fromkeys(RUNGS, "holds")


MISTAKES = {
    "scale applied twice": "sampled",
    "the remainder lost": "split",
    "rows mixed": "independence",
    "gradients that end at an edge": "gradient",
}


@pytest.mark.parametrize(("mistake", "kind"), MISTAKES.items())
def test_a_mistake_is_refuted(mistake, kind):
    result = results(claim_of(partial(gla, mistake=mistake)), 100, kind)[kind]
    assert str(result.verdict) == "refuted"
    assert "the other kernel's is" in result.counterexample.sentence()


def test_another_gradient_is_refuted():
    kernel = flowing("gla", "k", lambda flow: flow.roll(1, 1))
    assert verdicts(claim_of(kernel), 100, "gradient") == {"gradient": "refuted"}


def test_a_difference_that_is_more_than_rounding_and_small_is_a_doubt():
    def slightly(**arguments):
        outputs, states = KERNELS["gla"](**arguments)
        return outputs * (1 + 3e-5), states

    claim = believe_kernel("mine", family="gla", kernel=slightly, against=KERNELS["gla"], dtypes=("float32",))
    result = results(claim, FEW, "sampled")["sampled"]
    assert str(result.verdict) == "unknown" and "too little to refute" in result.why


def test_no_family_has_to_fit():
    """A hyperbolic tangent of the state is no linear recurrence."""
    vector = {"query": "", "key": "", "lanes": True, "scaled": "", "packed": False}
    own = LinearRecurrence("own", {"x": "BTD"}, value="x", **vector)

    def kernel(*, x, initial_state):
        h = x.new_zeros(x.shape[0], x.shape[2]) if initial_state is None else initial_state
        outputs = [h := torch.tanh(h + y) for y in x.unbind(1)]
        return torch.stack(outputs, 1) if outputs else x, h

    def other(*, x, initial_state):
        return kernel(x=x.flip(2), initial_state=None if initial_state is None else initial_state.flip(1))

    def flipped(*, x, initial_state):
        outputs, state = other(x=x, initial_state=initial_state)
        return outputs.flip(2), state.flip(1)

    assert set(verdicts(claim_of(kernel, own, flipped)).values()) == {"holds"}
    assert verdicts(claim_of(kernel, own, other), 100, "sampled") == {"sampled": "refuted"}


def test_the_other_kernel_is_a_function():
    with pytest.raises(InputError, match="mine: the other kernel is a int, where a function"):
        claim_of(gla, other=3)
