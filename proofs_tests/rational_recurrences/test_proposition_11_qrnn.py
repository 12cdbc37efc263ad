"""Proposition 11, QRNN: a unit with K-symbol windows is the score of an automaton that remembers K - 1
symbols.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from automata.minimise import rank
from automata.semirings import REAL
from ratproof.evidence.ledger import ledger
from ratproof.ladder.evidence import evidence
from ratproof.ladder.rungs.exhausted import exhaust
from theory import registry
from theory.rational_recurrences import proposition_11_qrnn
from theory.rational_recurrences.shared import windows
from theory.registry import claim_named
from theory.weights import Weights

CLAIM = "proposition-11-qrnn"
CORRECTED = claim_named(CLAIM).variant("corrected")


SIZES = [
    (1, 1),
    (2, 1),
    (3, 1),
    (1, 2),
    (2, 2),
    (3, 2),
    (5, 2),
    (1, 3),
    (2, 3),
    (3, 3),
    (1, 4),
    (2, 4),
    (1, 6),
]


@evidence(CLAIM, kind="decided", variants=("corrected", "corrected-with-fewer-states"))
def test_the_count_of_states_is_exact_and_how_many_are_needed():
    """2(s + ... + s^(K-1)) + 1 states as corrected, 2 + s + ... + s^(K-1) are enough, and the rank for random
    weights is the least.
    """
    counts = []
    for s, window in SIZES:
        w = random_weights("abcde"[:s], window)
        (remembering,), (ahead,) = windows.corrected(w), windows.ahead(w)
        middle = sum(s**i for i in range(1, window))
        assert remembering.states == 2 * middle + (1 if window > 1 else 2)
        assert ahead.states == 2 + middle
        least = rank(ahead)
        assert least == rank(remembering) <= ahead.states
        counts.append([s, window, remembering.states, ahead.states, least])
    ledger().add(len(counts))
    ledger().facts["states"] = counts
    assert [row for row in counts if row[3] != row[4]] == [[2, 4, 29, 16, 14]]


def random_weights(alphabet, window):
    """A unit with random integers for gates, and c_0 = 0."""
    numbers = random.Random(0)
    gates = {
        name: {x: Fraction(numbers.randint(-99, 99)) for x in windows.words(alphabet, window) if x}
        for name in "fu"
    }
    return Weights(REAL, alphabet, {"c_0": Fraction(0), **gates}, ("K", window))


def with_small_cases(monkeypatch, small_cases):
    """The claim with other small cases of Table 1's reading."""
    whole = claim_named(CLAIM)
    variants = tuple(
        replace(v, small_cases=small_cases) if v.name == "printed-table-1" else v for v in whole.variants
    )
    monkeypatch.setitem(registry._registered, CLAIM, replace(whole, variants=variants))
    return claim_named(CLAIM).variant("printed-table-1")


def test_table_1_is_right_for_windows_of_one_symbol(monkeypatch):
    exhaust(CLAIM, with_small_cases(monkeypatch, proposition_11_qrnn.from_zero(1).small))


def test_table_1_is_not_refuted_by_units_that_another_automaton_with_two_states_computes(monkeypatch):
    """0, u, 0, 0, ... differs from B's 0, u, u f, ..., but an automaton with two states computes it."""
    of_rank_2 = lambda letters: (
        w
        for w in proposition_11_qrnn.from_zero(2).small(1)
        if w.u["aa"] == 0 and w.f["aa"] == 0 != w.f["a"] and letters == 1
    )
    with pytest.raises(RuntimeError, match="for none of them a certificate"):
        exhaust(CLAIM, with_small_cases(monkeypatch, of_rank_2))
