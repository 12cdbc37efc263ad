"""Proposition 11, QRNN: a unit with K-symbol windows is the score of an automaton that remembers K - 1
symbols.
"""

from __future__ import annotations

import random
from fractions import Fraction

from automata.minimise import rank
from automata.semirings import REAL
from ratproof.record.ledger import ledger
from ratproof.runner.evidence import evidence
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
