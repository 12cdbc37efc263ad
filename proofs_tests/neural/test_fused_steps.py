"""Tests that the single kernel for all steps of an FA-RNN of factors has torch's values and gradients."""

import importlib.util

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neural import scan
from neural.fa_rnn import fused_steps
from proofs_tests.automata.examples import few

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed"),
    pytest.mark.usefixtures("where_triton_runs"),
]


def drawn(states, columns, rows, lengths):
    """Return random factors and vectors, and random sentences of these lengths."""
    torch.manual_seed(states + 7 * columns)
    row = torch.full((max(lengths), len(lengths)), -1)
    for sentence, length in enumerate(lengths):
        row[:length, sentence] = torch.randint(0, rows, (length,))
    before, after = (torch.randn(states, columns) / columns**0.5 for _ in range(2))
    return [before, after, torch.randn(rows, columns), row, torch.randn(len(lengths), states)]


def with_gradients(run, arguments):
    leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in arguments]
    result = run(*leaves)
    weights = torch.linspace(1, 2, result.numel()).reshape(result.shape)
    wanted = [x for x in leaves if x.requires_grad]
    return [result, *torch.autograd.grad((result * weights).sum(), wanted, allow_unused=True)]


@few
@given(
    states=st.sampled_from([1, 3, 20]),
    columns=st.sampled_from([1, 33]),
    lengths=st.lists(st.integers(0, 4), min_size=1, max_size=18).filter(any),
)
def test_all_steps_in_one_kernel_equal_those_of_torch(states, columns, lengths):
    arguments = drawn(states, columns, 3, lengths)
    with scan.use("triton"):
        assert fused_steps.is_fused(*arguments[:2])
        ours = with_gradients(fused_steps.run, arguments)
    for one, other in zip(ours, with_gradients(fused_steps.step_by_step, arguments), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def test_a_gradient_can_be_differentiated_again():
    arguments = drawn(2, 3, 2, [2, 1])
    leaf = arguments[0].requires_grad_()

    def curvature(run):
        (slope,) = torch.autograd.grad(run(*arguments).square().sum(), leaf, create_graph=True)
        return torch.autograd.grad(slope.square().sum(), leaf)[0]

    with scan.use("triton"):
        ours = curvature(fused_steps.run)
    torch.testing.assert_close(ours, curvature(fused_steps.step_by_step))


def test_a_batch_of_gradients_has_the_gradient_of_each():
    arguments = drawn(2, 3, 2, [2, 1])
    leaf, grads = arguments[0].requires_grad_(), torch.randn(3, 2, 2)
    with scan.use("triton"):
        result = fused_steps.run(*arguments)
        (together,) = torch.autograd.grad(result, leaf, grads, is_grads_batched=True, retain_graph=True)
        alone = [torch.autograd.grad(result, leaf, grad, retain_graph=True)[0] for grad in grads]
    torch.testing.assert_close(together, torch.stack(alone))


def test_a_gradient_that_can_be_differentiated_again_reaches_a_start_that_all_sentences_share():
    before, after, vectors, rows, _ = drawn(2, 3, 2, [2, 1])
    start = torch.ones(2, requires_grad=True)

    def slope(run):
        total = run(before, after, vectors, rows, start.expand(2, 2)).sum()
        return torch.autograd.grad(total, start, create_graph=True)[0]

    with scan.use("triton"):
        ours = slope(fused_steps.run)
    torch.testing.assert_close(ours, slope(fused_steps.step_by_step))


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=str)
def test_other_types_run_step_by_step(dtype):
    with scan.use("triton"):
        assert not fused_steps.is_fused(torch.zeros(2, 2, dtype=dtype))
