"""Equation 5: a decomposed FA-RNN computes the Forward score of the automaton that its factors give."""

from __future__ import annotations

from hypothesis import given

from theory.registry import claim_named

CLAIM = "fa-rnn-eq-5"


@given(claim_named(CLAIM).variant("corrected-large-enough").cases("abc"))
def test_there_are_min_v_k_and_k_k_columns(case):
    """In all three factors, whichever of the two is fewer."""
    r = min(len(case.alphabet) * case.n, case.n**2)
    assert {len(row) for row in (*case.D_1, *case.D_2, *case.v.values())} == {r}
