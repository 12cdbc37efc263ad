"""Kernels that are wrong for some sizes, layouts or options alone, and those that training calls otherwise:
none of them is believed.
"""

from __future__ import annotations

import functools

import pytest
import torch

from automata.errors import InputError
from proofs_tests.kernels.conftest import SHORT
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import results, verdicts
from ratproof import believe_kernel
from ratproof.kernels import drawing, rungs
from ratproof.kernels.counterexample import WrongCall
from ratproof.kernels.problem import Problem
from ratproof.kernels.rungs import KERNEL_RUNGS
from ratproof.record.ledger import recording
from theory.claim import Effort


def planted(wrong):
    """A kernel whose outputs are off where ``wrong`` says so of its arguments."""

    def plant(right):
        @functools.wraps(right)
        def kernel(**arguments):
            outputs, state = right(**arguments)
            return (outputs * 1.5 + 0.5 if wrong(**arguments) else outputs), state

        return kernel

    return plant


def with_arguments(change):
    """A kernel that is given other arguments."""

    def plant(right):
        return lambda **arguments: right(**{**arguments, **change(**arguments)})

    return plant


class Doubled(torch.autograd.Function):
    """The same numbers, with twice the gradient, or one that zeroes a tensor."""

    @staticmethod
    def forward(ctx, x, spoiled):
        ctx.spoiled = spoiled
        return x.clone()

    @staticmethod
    def backward(ctx, flow):
        if ctx.spoiled is None:
            return 2 * flow, None
        ctx.spoiled.data.zero_()
        return flow, None


def doubled_if_frozen(right):
    def kernel(**arguments):
        outputs, state = right(**arguments)
        if outputs.requires_grad and not all(arguments[n].requires_grad for n in "qkv"):
            outputs = Doubled.apply(outputs, None)
        return outputs, state

    return kernel


def spoiling(right):
    def kernel(**arguments):
        outputs, state = right(**arguments)
        return Doubled.apply(outputs, arguments["v"]), state

    return kernel


def fused(*, q, v, **_):
    return q.untyped_storage().data_ptr() == v.untyped_storage().data_ptr() and q.numel()


def time_first(*, q, **_):
    return q.shape[0] > 1 and q.shape[1] > 1 and q.stride(0) < q.stride(1)


FAULTS = {
    "wrong for K > 16": (planted(lambda *, q, **_: q.shape[3] > 16), "sampled"),
    "wrong for V > 16": (planted(lambda *, v, **_: v.shape[3] > 16), "exact"),
    "wrong for H > 3": (planted(lambda *, q, **_: q.shape[2] > 3), "split"),
    "wrong for B > 4": (planted(lambda *, q, **_: q.shape[0] > 4), "independence"),
    "wrong for T from 2 to 6": (planted(lambda *, q, **_: 2 <= q.shape[1] <= 6), "exact"),
    "wrong for T of 4 modulo 8": (planted(lambda *, q, **_: q.shape[1] % 8 == 4), "sampled"),
    "wrong for T > 300 and K > 4": (
        planted(lambda *, q, **_: q.shape[1] > 300 and q.shape[3] > 4),
        "sampled",
    ),
    "wrong for K of no multiple of 16": (
        planted(lambda *, q, **_: q.shape[3] > 64 and q.shape[3] % 16),
        "split",
    ),
    "wrong where time is before the batch": (planted(time_first), "sampled"),
    "wrong for slices of one tensor": (planted(fused), "exact"),
    "a scale of 0 is none": (with_arguments(lambda *, scale, **_: {"scale": scale or None}), "sampled"),
    "q and k are clamped to 8": (
        with_arguments(lambda *, q, k, **_: {"q": q.clamp(-8, 8), "k": k.clamp(-8, 8)}),
        "sampled",
    ),
    "wrong for int32 offsets": (
        planted(lambda *, cu_seqlens, **_: cu_seqlens is not None and cu_seqlens.dtype == torch.int32),
        "sampled",
    ),
    "wrong where gradients are asked for": (planted(lambda *, q, **_: q.requires_grad), "gradient"),
    "wrong without a final state": (
        planted(lambda *, output_final_state, **_: not output_final_state),
        "sampled",
    ),
    "gradients doubled if q, k or v is frozen": (doubled_if_frozen, "gradient"),
    "a backward pass zeroes v": (spoiling, "gradient"),
}
FAMILIES = ("linear-attention", "delta-rule")


@pytest.fixture
def usual(monkeypatch, unshrunk, all_sizes):
    """Calls as users have them, but for the longest; no search for a smaller counterexample."""
    monkeypatch.setattr(drawing, "LENGTHS", (*SHORT, 513))
    monkeypatch.setattr(rungs, "SHRINKING", 1)


def refuted(claim, kind, examples=100):
    with recording():
        try:
            (variant,) = claim.variants
            KERNEL_RUNGS[kind](variant.reading.kernel, claim, variant, Effort(examples))
        except WrongCall:
            return True
    return False


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("plant", "kind"), FAULTS.values(), ids=FAULTS)
def test_no_fault_of_sizes_layouts_and_options_is_believed(usual, plant, kind, family):
    claim = believe_kernel("planted", family=family, kernel=plant(KERNELS[family]))
    assert refuted(claim, kind)
