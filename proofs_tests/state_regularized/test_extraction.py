"""Tests of extraction: an evaluation of the cell gives the DFA.

Counts of transitions give the DFA only for pairs that occur, and for hard runs.
"""

from fractions import Fraction

from automata.semirings import REAL
from theory.registry import claim_named
from theory.state_regularized import extraction
from theory.state_regularized.extraction import by_counts, hard_run, seen, without_reset
from theory.state_regularized.shared.limits import transition_table
from theory.weights import Weights

CLAIM = "extraction"


def test_an_unseen_pair_leads_to_the_first_centroid_as_printed():
    """All counts are 0, so argmax selects the first centroid, but the cell moves the second to itself."""
    example = claim_named(CLAIM).example
    w = Weights(example.over, example.alphabet, {**example.entries, "longest": Fraction(1)}, example.size)
    assert by_counts(w, hard_run) == {(q, x): 1 for q in (1, 2) for x in "ab"}
    assert set(seen(w, hard_run)) == {(1, "a"), (1, "b")} and transition_table(w)[2, "a"] == 2


def test_without_reset_parity_counts_a_transition_that_never_occurs(monkeypatch):
    """The strings are 1 and then 11. The second starts in s_2, in which the first ended. Its first
    transition, which leads to s_1, is counted as a transition from s_1.
    """
    monkeypatch.setattr(extraction, "data", lambda w: ["1", "11"])
    one, zero = Fraction(1), Fraction(0)
    network = {"eq": Fraction(2), "m": one, "S": ((-one,), (one,)), "U": ((-one,),), "W": {"1": (zero,)}}
    parity = Weights(REAL, "1", network, ("k", 2))
    assert transition_table(parity) == {(1, "1"): 2, (2, "1"): 1}
    assert list(without_reset(parity)) == [(1, "1", 2), (1, "1", 1), (1, "1", 2)]
