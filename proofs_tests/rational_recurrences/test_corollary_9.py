"""Corollary 9: the recurrence of Example 6 is rational: d units, d automata, every string."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from automata.strategies import alphabets, readings
from ratproof.agree import agree
from ratproof.comparisons import Exact, WithOpenFst
from ratproof.decide import decide
from ratproof.evidence import evidence
from ratproof.exhaust import exhaust
from ratproof.strategies import networks

CLAIM = "corollary-9"


@evidence(CLAIM, kind="sampled")
@given(st.data())
def test_all_units_are_scores_in_exact_fractions(variant, data):
    """[c(x)]_i = A_i[x] for every i and every string (equation 9)."""
    names, strings = data.draw(readings(most=60, run=16))
    agree(Exact(CLAIM, variant.name, data.draw(variant.cases("abc")).renamed(names)), strings)


@evidence(CLAIM, kind="sampled", variants=("corrected",))
@given(st.data())
def test_the_torch_layer_is_its_set_of_automata(device, data):
    """The same for the fast layer in float32, within the derived rounding bound."""
    names, strings = data.draw(readings(most=100))
    network = data.draw(networks("abc", "example-6", CLAIM, "corrected", "float32", device, start=st.floats(-2, 2, width=32)))
    agree(network.renamed(names), strings)


@evidence(CLAIM, kind="cross-checked")
@given(st.data())
def test_openfst_finds_the_same_scores(variant, data):
    """Every unit in exact fractions, against OpenFst's score of its automaton."""
    names, strings = data.draw(readings(most=3, longest=4, run=10))
    agree(WithOpenFst(CLAIM, variant.name, data.draw(variant.cases("abc")).renamed(names)), strings)


@evidence(CLAIM, kind="exhausted")
def test_every_string_up_to_length_five(variant):
    """All weights among 0, 1, -1, 1/2, all strings over one and two letters."""
    exhaust(CLAIM, variant, longest=5, letters=2)


@evidence(CLAIM, kind="decided")
@given(st.data())
def test_all_units_are_scores_on_all_strings(variant, data):
    """Every unit, read as an automaton of d + 1 states from the step of the whole layer, is decided to be Figure 1's."""
    decide(Exact(CLAIM, variant.name, data.draw(alphabets(2).flatmap(variant.cases))))
