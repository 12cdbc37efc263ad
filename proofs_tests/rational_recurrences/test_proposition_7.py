"""Tests of Proposition 7: ``[c_t]_i = B_i[x_:t]``, for every variant of the statement."""

from fractions import Fraction

import pytest

from automata.recurrences.affine import NotAffine
from automata.semirings import REAL
from ratproof.implementations.exact import ExactComparison
from ratproof.ladder.rungs.decided import decide
from theory.rational_recurrences.proposition_7 import CLAIM as CLAIMED
from theory.rational_recurrences.proposition_7 import step_with_feedback
from theory.weights import Weights

CLAIM = "proposition-7"
CORRECTED = CLAIMED.variant("corrected")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_gates_of_the_torch_network_are_those_of_the_paper(dtype, shows_what_is_expected):
    shows_what_is_expected()


def test_a_torch_network_that_starts_in_one_is_not_the_drawn_automaton(shows_what_is_expected):
    shows_what_is_expected()


def test_every_prefix_of_every_sentence_of_a_corpus(shows_what_is_expected):
    shows_what_is_expected()


def test_a_gate_that_reads_the_state_is_refused_with_states_as_evidence():
    """Without memoryless gates the recurrence is not an automaton of this kind: c_t = w c_{t-1}^2 + ... is
    not affine.
    """
    variant = CLAIMED.variant("without-memoryless-gates")
    cell = Weights(
        REAL, "a", {"c_0": Fraction(0), "w": Fraction(1), "f": {"a": Fraction(0)}, "u": {"a": Fraction(1)}}
    )
    with pytest.raises(NotAffine) as refused:
        decide(ExactComparison(CLAIM, variant.name, cell))
    x, y = refused.value.pair
    after = [step_with_feedback(cell, c, "a") for c in (x[0], y[0], x[0] + y[0], Fraction(0))]
    assert refused.value.symbol == "a" and after[0] + after[1] != after[2] + after[3]
