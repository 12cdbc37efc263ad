"""Tests that round trips through OpenFst (pynini) preserve automata and scores."""

import math
from fractions import Fraction

import pynini
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import score
from automata.io.openfst import cost, from_openfst, precisely, to_openfst, two_tracks
from automata.io.openfst_scores import Scorer
from automata.operations import scale, sum_of
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, SEMIRINGS
from automata.testing.strategies import automata, strings
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases

short = strings("ab", longest=5, run=8)
ARCS = [
    (LOG, "log"),
    (LOG, "log64"),
    (MIN_PLUS, "standard"),
    (MAX_PLUS, "standard"),
    (REAL, "log64"),
    (REAL, "log"),
]


@over(k for k in SEMIRINGS.values() if k.openfst_arc is not None)
@few_cases(st.data())
def test_openfst_scores_within_the_derived_bound(k, data):
    """Signed reals use two tracks; max-plus, min-plus and max-times use OpenFst's single precision."""
    automaton, x = data.draw(automata(k, most_states=3, epsilon="acyclic")), data.draw(short)
    scorer = Scorer(automaton)
    of_openfst, bound, here = scorer.score(x), scorer.bound(x), score(automaton, x)
    if k is BOOLEAN:
        assert of_openfst == here
    elif here == k.zero or of_openfst == k.zero:
        assert of_openfst == here or (k is REAL and abs(of_openfst - here) <= bound)
    elif k in (MAX_TIMES, COUNTING):
        (of_cost,) = scorer.costs(x)
        assert abs(of_cost - cost(k, here)) <= scorer.cost_bound(x) + 1e-15
        assert abs(Fraction(of_openfst) - here) <= bound if of_openfst < math.inf else bound == math.inf
    else:
        # The compared log scores are also computed in float64, with errors of the same kind.
        assert abs(of_openfst - float(here)) <= bound * (2 if k is LOG else 1)


@pytest.mark.parametrize(("k", "arc_type"), ARCS, ids=lambda value: getattr(value, "name", value))
@few_cases(st.data())
def test_an_automaton_returned_by_openfst_scores_the_same(k, arc_type, data):
    automaton, x = data.draw(automata(k, most_states=3, epsilon="acyclic")), data.draw(short)
    assume(not Scorer(automaton).signed)
    back = from_openfst(to_openfst(automaton, arc_type), automaton.alphabet, k)
    assert back.alphabet == automaton.alphabet
    relative = 1e-4 if arc_type in ("log", "standard") else 1e-12
    assert float(score(back, x)) == pytest.approx(float(score(automaton, x)), rel=relative, abs=relative)


@some_cases(automata(LOG, most_states=3, epsilon="acyclic"))
def test_log64_round_trips_keep_every_bit(automaton):
    back = from_openfst(to_openfst(automaton, "log64"), automaton.alphabet)
    ours = sorted((e.source + 1, e.target + 1, e.symbol, e.weight) for e in automaton.edges())
    assert [tuple(e) for e in back.edges() if e.source] == ours


@few_cases(automata(REAL, most_states=3, epsilon="acyclic"), short)
def test_two_tracks_without_signs_differ_by_the_automaton(automaton, x):
    plus, minus = two_tracks(automaton)
    for track in (plus, minus):
        assert all((w >= 0).all() for w in (track.initial, track.final, track.matrices))
    assert score(sum_of(plus, scale(minus, -1)), x) == score(automaton, x)


@some_cases(automata(REAL, most_states=3, epsilon="cyclic"), strings("ab", longest=3, run=0))
def test_openfst_sums_round_epsilon_cycles_as_the_closure_does(automaton, x):
    assert Scorer(automaton).score(x) == pytest.approx(float(score(automaton, x)), rel=1e-9, abs=1e-9)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_weights_are_exported_to_openfst_with_all_their_bits(value):
    assert precisely(pynini.Weight("log64", value)) == value


def test_negative_weights_need_two_tracks():
    with pytest.raises(InputError, match="two_tracks"):
        to_openfst(WFSA(REAL, [-1], [1], {}))


@pytest.mark.parametrize(
    ("k", "arc_type"), [(REAL, "standard"), (MAX_PLUS, "log64"), (REAL, "gallic")], ids=str
)
def test_an_arc_type_with_a_different_addition_is_refused(k, arc_type):
    with pytest.raises(InputError, match="arc type"):
        to_openfst(WFSA(k, [1], [1], {}), arc_type)


def test_a_transducer_is_refused():
    with pytest.raises(InputError, match="acceptor"):
        from_openfst(pynini.cross("a", "b"), [chr(i) for i in range(1, 200)])


def test_an_empty_machine_round_trips():
    assert from_openfst(pynini.Fst(), "a").states == 0


@pytest.mark.parametrize("value", [Fraction(2), Fraction(1, 3), Fraction(10) ** 400, Fraction(1, 10**400)])
def test_a_long_fraction_costs_as_much_as_a_short_neighbour(value):
    """The cost of a weight is its negative logarithm. For 2 (1 + 2^-2148), the logarithms of numerator and
    denominator are a thousand times as large as the cost.
    """
    neighbour = value * (1 + Fraction(1, 2**2148))
    assert abs(cost(REAL, neighbour) - cost(REAL, value)) <= 2**-52 * abs(cost(REAL, value))
