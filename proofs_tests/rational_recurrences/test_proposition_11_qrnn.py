"""Tests of Proposition 11, QRNN.

A unit with windows of K symbols is the score of an automaton that remembers K - 1 symbols.
"""

from dataclasses import replace

import pytest

from ratproof.ladder.rungs.exhausted import exhaust
from theory import registry
from theory.rational_recurrences import proposition_11_qrnn
from theory.registry import claim_named

CLAIM = "proposition-11-qrnn"
CORRECTED = claim_named(CLAIM).variant("corrected")


def test_the_count_of_states_is_exact_and_how_many_are_needed(shows_what_is_expected):
    shows_what_is_expected()


def with_small_cases(monkeypatch, small_cases):
    """Register the claim with other small cases for the variant of Table 1, and return the variant."""
    claim = claim_named(CLAIM)
    variants = tuple(
        replace(v, small_cases=small_cases) if v.name == "printed-table-1" else v for v in claim.variants
    )
    monkeypatch.setitem(registry._registered, CLAIM, replace(claim, variants=variants))
    return claim_named(CLAIM).variant("printed-table-1")


def test_table_1_is_correct_for_windows_of_one_symbol(monkeypatch):
    exhaust(CLAIM, with_small_cases(monkeypatch, proposition_11_qrnn.from_zero(1).small))


def test_table_1_is_not_refuted_if_another_automaton_with_two_states_suffices(monkeypatch):
    """0, u, 0, 0, ... differs from B's 0, u, u f, ..., but an automaton with two states computes it."""
    of_rank_2 = lambda letters: (
        w
        for w in proposition_11_qrnn.from_zero(2).small(1)
        if w.u["aa"] == 0 and w.f["aa"] == 0 != w.f["a"] and letters == 1
    )
    with pytest.raises(RuntimeError, match="no certificate excludes another automaton"):
        exhaust(CLAIM, with_small_cases(monkeypatch, of_rank_2))
