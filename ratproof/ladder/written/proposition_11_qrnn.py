"""The check of the numbers of states in Proposition 11 for a QRNN."""

from __future__ import annotations

import random
from fractions import Fraction

from automata.minimise import rank
from automata.semirings import REAL
from ratproof.evidence.ledger import ledger
from ratproof.ladder.written.check import Inputs, WrittenCheck
from theory.rational_recurrences.shared import windows
from theory.weights import Weights

SIZES = (
    *((1, 1), (2, 1), (3, 1)),
    *((1, 2), (2, 2), (3, 2), (5, 2)),
    *((1, 3), (2, 3), (3, 3)),
    *((1, 4), (2, 4), (1, 6)),
)
"""Pairs of the number s of letters and the size K of the window."""


def random_weights(alphabet: str, window: int) -> Weights:
    """Return random integer weights of a unit, with c_0 = 0."""
    numbers = random.Random(0)
    gates = {
        name: {x: Fraction(numbers.randint(-99, 99)) for x in windows.words(alphabet, window) if x}
        for name in "fu"
    }
    return Weights(REAL, alphabet, {"c_0": Fraction(0), **gates}, ("K", window))


def count_of_states_is_exact(inputs: Inputs) -> None:
    """Assert how many states the automata of a QRNN have, and how many are needed.

    Let A = s + ... + s^(K-1), for s letters and a window of size K. The corrected automaton has 2 A + 1
    states, or 2 if K = 1. The smaller automaton has 2 + A states. For random weights, this is the rank, and
    thus the minimum. The exception is s = 2 and K = 4, for which the rank is 14 and not 16.
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


CHECKS = (
    WrittenCheck(
        "proposition-11-qrnn",
        "decided",
        ("corrected", "corrected-with-fewer-states"),
        "proofs_tests/rational_recurrences/test_proposition_11_qrnn.py"
        "::test_the_count_of_states_is_exact_and_how_many_are_needed",
        count_of_states_is_exact,
        runs_torch=False,
    ),
)
