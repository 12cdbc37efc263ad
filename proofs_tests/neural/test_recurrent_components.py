"""Tests of the recurrent components: torch's cells with the same weights, and peepholes (equations 6-8)."""

import math

import pytest
import torch

from neural.state_regularized.parts import ElmanPart, GRUPart, LSTMPart, PeepholePart
from proofs_tests.neural import sr_equations
from proofs_tests.neural.some_sr_networks import D, both_dtypes, randomly, vectors
from proofs_tests.neural.sr_equations import close, exactly


@pytest.mark.parametrize(
    ("kind", "part_class", "cell_class"),
    [
        ("sr-elman", ElmanPart, torch.nn.RNNCell),
        ("sr-gru", GRUPart, torch.nn.GRUCell),
        ("sr-lstm", LSTMPart, torch.nn.LSTMCell),
        ("sr-lstm-p", PeepholePart, torch.nn.LSTMCell),
    ],
)
@both_dtypes
@pytest.mark.parametrize("bias", [True, False])
def test_the_recurrent_component_equals_torchs(kind, part_class, cell_class, dtype, bias):
    """With copied weights and no peepholes, both are within the bound of the equations."""
    for seed in range(20):
        part, cell = randomly(part_class(3, 4, bias, dtype=dtype), seed), cell_class(3, 4, bias, dtype=dtype)
        with torch.no_grad():
            cell.weight_ih.copy_(part.input.weight), cell.weight_hh.copy_(part.hidden.weight)
            if bias:
                cell.bias_ih.copy_(part.input.bias), cell.bias_hh.copy_(part.hidden.bias)
            if kind == "sr-lstm-p":
                part.peepholes.zero_()
        x, h, c = (vectors(seed * 3 + i, 1, n, dtype=dtype) for i, n in enumerate((3, 4, 4)))
        state = (h, c) if part.has_cell_state else (h,)
        own, theirs = part.step(part.read(x), state), cell(x, state if part.has_cell_state else h)
        theirs = theirs if isinstance(theirs, tuple) else (theirs,)
        weights = {f"part.{name}": p for name, p in sr_equations.numbers(part).items()}
        near = sr_equations.PARTS[kind](
            weights, *(exactly(v[0], sr_equations.dtype_of(part)) for v in (x, h, c))
        )
        for ours, their, true in zip(own, theirs, near, strict=False):
            close(ours[0], true)
            close(their[0], true)


@pytest.mark.parametrize(("gate", "sees"), [(0, "before"), (1, "before"), (2, "after")])
def test_each_peephole_reads_its_cell_state(gate, sees):
    """Equations 6 to 8: p^i and p^f read c_{t-1}, p^o reads c_t. Everything except the bias of g is 0, so
    without peepholes f = i = o = 1/2.
    """
    part = PeepholePart(1, 1, dtype=D)
    with torch.no_grad():
        for p in part.parameters():
            p.zero_()
        part.input.bias[2] = math.atanh(0.5)  # g = 1/2
        part.peepholes[gate] = 3.0
    before = 0.8
    zero = torch.zeros(1, 1, dtype=D)
    u, c = (float(v.detach()) for v in part.step(part.read(zero), (zero, zero + before)))
    opened = 1 / (1 + math.exp(-3 * before))
    i, f = (opened if gate == number else 0.5 for number in (0, 1))
    after = f * before + i * 0.5
    assert c == pytest.approx(after)
    assert u == pytest.approx((1 / (1 + math.exp(-3 * after)) if sees == "after" else 0.5) * math.tanh(after))
