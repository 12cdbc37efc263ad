"""Definition 4: the sum over all paths is what the Forward algorithm computes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ratproof.rungs import ladder
from ratproof.runner.evidence import evidence

CLAIM = "definition-4"


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_forward_is_the_sum_over_paths_in_exact_fractions(variant, data):
    """Random automata over four semirings, some with epsilon transitions, at every prefix of random strings,
    without rounding.
    """
    ladder.sampled(CLAIM, variant, data, most=12, longest=5, run=0)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_four(variant):
    """Automata with one and two states and small weights, all strings over one and two letters: nothing else,
    or a minimal counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)
