"""Tests of torch's random numbers from a seed."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from neural.seeding import seeded


@given(st.integers(0, 2**64 - 1), st.integers(0, 3))
def test_seeded_numbers_are_reproducible_and_preserve_the_callers_state(seed, before):
    with seeded(seed):
        torch.rand(before)
        undisturbed = torch.rand(2), nn.Linear(2, 2).weight
    with seeded(seed):
        torch.rand(before)
        with seeded(seed + 1 if seed < 2**64 - 1 else 0):
            other = torch.rand(2)
        again = torch.rand(2), nn.Linear(2, 2).weight
    assert all(torch.equal(one, two) for one, two in zip(undisturbed, again, strict=True))
    assert not torch.equal(other, again[0])


@given(st.integers(0, 2**64 - 1))
def test_they_are_those_of_manual_seed(seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        theirs = torch.randn(3)
    with seeded(seed):
        assert torch.equal(torch.randn(3), theirs)
