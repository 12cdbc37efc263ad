"""Proposition 13: each number in an ISAN's state is the score of an automaton with 2d, or with d + 1, states."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ratproof import ladder
from ratproof.evidence import evidence

CLAIM = "proposition-13"


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_every_number_of_the_state_is_a_score_in_exact_fractions(variant, data):
    """``[c_t]_i = G_i[x_:t]`` for d = 1, 2, 3 for random weights and strings, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data, most=20, longest=8, run=10)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_four(variant):
    """All small weights, d = 1 and 2, all strings over one and two letters: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_every_number_of_the_state_is_a_score_on_all_strings(variant, data):
    """For random rational weights the recurrence, read as an automaton, is decided to be the constructed one."""
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for d = 1 to 5, and with d a symbol."""
    ladder.proved(CLAIM, variant)
