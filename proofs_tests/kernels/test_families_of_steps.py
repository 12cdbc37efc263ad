"""Tests of the families that are given by a step, with the states of mLSTM and gated slot attention."""

from __future__ import annotations

import pytest
import torch

from proofs_tests.kernels.recurrent import KERNELS, over_strings, stacked
from proofs_tests.kernels.test_believe_kernel import verdicts
from ratproof import kernel_claim
from ratproof.laws.kernels.steps import gsa, mlstm

SMALL = {"lengths": (1, 9), "sizes": {"B": (2,), "H": (2,), "K": (3,), "V": (2,)}}


def wrong_mlstm(state, x, fault):
    """Return a step of mLSTM with a planted fault."""
    (memory, normaliser), output = mlstm(state, x)
    if fault == "the normaliser does not decay":
        normaliser = state[1] + x["i"].exp()[..., None] * x["k"]
    if fault == "the divisor is at least 2":
        output = torch.einsum("bhkv,bhk->bhv", memory, x["q"])
        output = output / (normaliser * x["q"]).sum(-1, keepdim=True).abs().clamp(min=2.0)
    return (memory, normaliser), output


def wrong_gsa(state, x, fault):
    """Return a step of gated slot attention with a planted fault."""
    keys, values = state
    if fault == "reads the old values":
        return gsa(state, x)[0], gsa((keys, values), x | {"s": 0 * x["s"]})[1]
    (keys, values), _ = gsa(state, x)
    weights = torch.einsum("bhmk,bhk->bhm", keys, x["q"]).exp()  # not divided by their sum
    return (keys, values), torch.einsum("bhm,bhmv->bhv", weights, values)


def stepping(family, step, fault):
    """Return a kernel that runs a step with a planted fault for every token."""

    @over_strings
    def kernel(tensors, state, scale):
        no_tokens = {name: x[:, :0] for name, x in tensors.items()}
        state = state or KERNELS[family](**no_tokens)[1]
        outputs = []
        for t in range(tensors["v"].shape[1]):
            state, output = step(state, {name: x[:, t] for name, x in tensors.items()}, fault)
            outputs.append(output)
        return stacked(outputs, tensors["v"]), state

    return kernel


FAULTS = [
    ("mlstm", wrong_mlstm, "the normaliser does not decay"),
    ("mlstm", wrong_mlstm, "the divisor is at least 2"),
    ("gsa", wrong_gsa, "reads the old values"),
    ("gsa", wrong_gsa, "weights are not divided by their sum"),
]


@pytest.mark.parametrize("family", ["mlstm", "gsa"])
def test_a_kernel_holds_in_every_check(family):
    claim = kernel_claim("right", family=family, kernel=KERNELS[family], **SMALL)
    assert set(verdicts(claim, 20).values()) == {"holds"}


@pytest.mark.parametrize(("family", "step", "fault"), FAULTS, ids=[fault for *_, fault in FAULTS])
def test_a_fault_is_refuted(family, step, fault):
    claim = kernel_claim("wrong", family=family, kernel=stepping(family, step, fault), **SMALL)
    assert verdicts(claim, 20, "sampled") == {"sampled": "refuted"}
