"""Tests of comparisons of two kernels.

Correct kernels hold within measured rounding, mistakes are refuted, and unclear differences are unknown.
"""

from functools import partial

import pytest
import torch

from automata.errors import InputError
from proofs_tests.kernels.chunked import delta, gla
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import FEW, changed, flowing, results, verdicts
from ratproof import believe_kernel
from ratproof.laws.kernels.family import LinearRecurrence

RUNGS = ("sampled", "gradient", "split", "independence")


def claim_of(kernel, family="gla", other=None):
    return believe_kernel("mine", family=family, kernel=kernel, against=other or KERNELS[family])


@pytest.mark.parametrize(("family", "kernel"), [("gla", gla), ("delta-rule", delta)])
def test_a_chunked_kernel_equals_the_recurrent_one(family, kernel):
    answers = verdicts(claim_of(kernel, family))
    # The rounding errors may exceed those of the other kernel so much that the verdict is unknown.
    assert set(answers) == set(RUNGS) and set(answers.values()) <= {"holds", "unknown"}


def not_a_number_at_infinite_gates(*, g, **tensors):
    """Return gates as quotients of cumulative decays, which are NaN if a gate is -infinity."""
    b = g.cumsum(1)
    previous = torch.cat([0 * b[:, :1], b[:, :-1]], 1)
    return KERNELS["gla"](g=b - previous, **tensors)


@pytest.mark.parametrize("kind", RUNGS)
def test_a_kernel_equals_itself_except_for_nan(kind):
    kernel = not_a_number_at_infinite_gates
    result = results(claim_of(kernel, other=kernel), 3 * FEW, kind)[kind]
    assert str(result.verdict) == "unknown" and result.cases > FEW
    count = result.facts["nan_in_both"]
    assert "is NaN from both kernels in " in result.why
    assert result.why.endswith(f"; {count:,} elements in all calls are NaN from both") and count > 0
    finite = believe_kernel(
        "finite", family="gla", kernel=kernel, against=kernel, without=("infinite-gates", "cu_seqlens")
    )
    assert verdicts(finite, FEW, kind) == {kind: "holds"}


def test_a_number_instead_of_nan_is_refuted_and_the_rounding_is_printed():
    claim = claim_of(not_a_number_at_infinite_gates)
    result = results(claim, FEW, "sampled")["sampled"]
    assert str(result.verdict) == "refuted"
    example = result.counterexample
    assert example.kernel == "nan" and f"(the measured rounding is {example.bound})" in example.sentence()
    assert "rounding explains" not in example.sentence()


def test_the_measured_rounding_is_8_times_the_largest_change():
    """The kernel is a product of q, k and v, each of which is perturbed by a unit in the last place."""
    kernel = changed("linear-attention", "v", lambda v: v + 1)
    one = {"without": ("scale", "initial-state", "cu_seqlens"), "lengths": (1,), "sizes": {"K": (1,)}}
    claim = believe_kernel(
        "off", family="linear-attention", kernel=kernel, against=KERNELS["linear-attention"], **one
    )
    example = results(claim, 20, "sampled")["sampled"].counterexample
    assert 0 < float(example.bound) <= 8 * 3.1 * 2**-23 * abs(float(example.recurrence))


MISTAKES = {
    "scale applied twice": "sampled",
    "the remainder lost": "split",
    "rows mixed": "independence",
    "gradients that end at an edge": "gradient",
}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("mistake", "kind"), MISTAKES.items())
def test_a_mistake_is_refuted(mistake, kind):
    result = results(claim_of(partial(gla, mistake=mistake)), 100, kind)[kind]
    assert str(result.verdict) == "refuted"
    assert "the other kernel's is" in result.counterexample.sentence()


@pytest.mark.usefixtures("unshrunk")
def test_another_gradient_is_refuted():
    kernel = flowing("gla", "k", lambda flow: flow.roll(1, 1))
    assert verdicts(claim_of(kernel), 100, "gradient") == {"gradient": "refuted"}


def test_a_small_difference_beyond_rounding_is_unknown():
    def slightly(**arguments):
        outputs, states = KERNELS["gla"](**arguments)
        return outputs * (1 + 3e-5), states

    claim = believe_kernel("mine", family="gla", kernel=slightly, against=KERNELS["gla"], dtypes=("float32",))
    result = results(claim, FEW, "sampled")["sampled"]
    assert str(result.verdict) == "unknown" and "too small to refute" in result.why


@pytest.mark.usefixtures("unshrunk")
def test_no_family_is_needed():
    """A hyperbolic tangent of the state is not a linear recurrence."""
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
    with pytest.raises(InputError, match="mine: the other kernel must be a function, got a int"):
        claim_of(gla, other=3)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda **call: 1 / 0, "mine: the other kernel raised ZeroDivisionError: division by zero"),
        (lambda **call: (call["v"], None), "mine: the other kernel's final_state must be a tensor of shape"),
    ],
)
def test_a_message_names_the_other_kernel_if_it_fails(wrong, says):
    (result,) = results(claim_of(gla, other=wrong), FEW, "sampled").values()
    assert str(result.verdict) == "unknown" and says in result.why
