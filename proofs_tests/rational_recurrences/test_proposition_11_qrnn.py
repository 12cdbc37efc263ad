"""Proposition 11, QRNN: a unit with K-symbol windows is the score of an automaton that remembers K - 1
symbols.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.minimise import rank
from automata.semirings import REAL
from proofs_tests.neural.equations import agree_with_equations
from ratproof import ladder, network_ladder
from ratproof.evidence import evidence
from ratproof.ledger import ledger
from theory.rational_recurrences.shared import windows
from theory.registry import claim_named
from theory.weights import Weights

CLAIM = "proposition-11-qrnn"
CORRECTED = claim_named(CLAIM).variant("corrected")


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_the_unit_is_a_score_in_exact_fractions(variant, data):
    """``c_t = A[x_:t]`` for K = 1, 2, 3 for random weights and strings, at every prefix, without rounding."""
    ladder.sampled(CLAIM, variant, data, most=16, longest=8, run=6)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_torch_layer_is_its_automata(dtype, device, data):
    """Every unit of the fast layer stays within the derived rounding bound of the automaton that it reads
    itself off as.
    """
    network_ladder.sampled(CLAIM, CORRECTED, "qrnn", dtype, device, data)


@evidence(CLAIM, kind="decided", variants=("corrected",))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(st.data())
def test_the_gates_of_a_torch_layer_make_its_automata_on_all_strings(dtype, device, data):
    """For the float weights of a torch module: the claim's recurrence with the gates that it computes, each
    the fraction that it is.
    """
    network_ladder.decided(CLAIM, CORRECTED, "qrnn", dtype, device, data)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@settings(max_examples=40)
@given(st.data())
def test_the_gates_of_the_torch_layer_are_those_of_the_paper(data):
    """The paper's equations, written out once more, against the layer's automata: the layer and they share
    their gates.
    """
    agree_with_equations(CLAIM, "qrnn", "float64", data)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """The unit in exact fractions, against OpenFst's scores, within OpenFst's derived bound."""
    ladder.cross_checked(CLAIM, variant, data)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_four(variant):
    """All small weights, K = 1, 2, 3, all strings over one and two letters: nothing else, or a minimal
    counterexample.
    """
    ladder.exhausted(CLAIM, variant, longest=4)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_the_unit_is_a_score_on_all_strings(variant, data):
    """For random rational weights the recurrence, read as an automaton, is decided to be the constructed
    one.
    """
    ladder.decided(CLAIM, variant, data)


@evidence(CLAIM, kind="proved")
def test_the_invariant_proves_it(variant):
    """In every commutative semiring, at every history and symbol."""
    ladder.proved(CLAIM, variant)


@evidence(CLAIM, kind="kernel-checked")
def test_the_kernel_accepts_its_theorem(variant):
    """Coq's kernel, with nothing assumed."""
    ladder.kernel_checked(CLAIM, variant)


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
