"""Example 15: ``c_t = max(f_t + c_{t-1}, u_t)`` is the max-plus score of Figure 1."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ratproof import ladder
from ratproof.evidence import evidence

CLAIM = "example-15"


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_unit_is_a_max_plus_score_in_exact_fractions(variant, data):
    """``c_t = B[x_:t]`` for random weights and strings, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_six(variant):
    """All small weights, all strings over one and two letters: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=6)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for all weights and strings: Omega is (1, c)."""
    ladder.proved(CLAIM, variant)
