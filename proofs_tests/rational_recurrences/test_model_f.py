"""RRNN(F): ``p1 c1 + p2 c2`` is the score of the four-state automaton F, and of one with three states."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ratproof import ladder
from ratproof.evidence import evidence

CLAIM = "model-f"


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_unit_is_the_score_of_figure_4_in_exact_fractions(variant, data):
    """``c_t = F[x_:t]`` for random weights and strings, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_four(variant):
    """All small weights, all strings over one and two letters: nothing else, or a minimal counterexample."""
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_the_unit_is_the_score_of_figure_4_on_all_strings(variant, data):
    """For random rational weights the recurrence, read as an automaton, is decided to be the constructed one."""
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, for all weights and strings."""
    ladder.proved(CLAIM, variant)
