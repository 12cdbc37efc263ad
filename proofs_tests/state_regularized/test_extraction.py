"""Extraction: asking the cell gives the DFA; Algorithm 1's counts give it for what the data take, and only by
hard runs.
"""

from __future__ import annotations

from fractions import Fraction

from theory.registry import claim_named
from theory.state_regularized.extraction import by_counts, hard_run, seen
from theory.state_regularized.shared.limits import transition_table
from theory.weights import Weights

CLAIM = "extraction"


def test_a_pair_that_is_never_seen_leads_to_the_first_centroid_as_printed():
    """Of equal counts, here all 0, argmax takes the first. Asked, the second centroid with a leads to
    itself.
    """
    example = claim_named(CLAIM).example
    w = Weights(example.over, example.alphabet, {**example.entries, "longest": Fraction(1)}, example.size)
    assert by_counts(w, hard_run) == {(q, x): 1 for q in (1, 2) for x in "ab"}
    assert set(seen(w, hard_run)) == {(1, "a"), (1, "b")} and transition_table(w)[2, "a"] == 2
