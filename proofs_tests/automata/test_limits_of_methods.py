"""Tests that a decision continues with the next method if one method reaches a limit."""

from fractions import Fraction

from automata.equivalence import Unknown, equivalent
from automata.equivalence.answers import first_answer
from automata.equivalence.pairs import search
from automata.errors import LimitReached
from automata.operations import sum_of
from automata.semirings import BOOLEAN, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.automata.examples import over
from ratproof.checkers.table import judge

SELECTIVE = [MAX_PLUS, MIN_PLUS, MAX_TIMES]
HALF = {"max-plus": -1, "min-plus": 1, "max-times": Fraction(1, 2), "real": Fraction(1, 2), "boolean": True}


def forked(k, last, second=None):
    """Return an automaton with two paths per string: one is halved by each a, the other by each b."""
    half, one = HALF.get(k.name, k.one), k.one
    loops = [(0, 0, "a", half), (0, 0, "b", one), (1, 1, "a", one), (1, 1, "b", half)]
    ends = [(0, last), (1, one if second is None else second)]
    return WFSA.from_edges(k, 2, "ab", [(0, one), (1, one)], ends, loops)


def ring(k, states, last, first=0):
    """Return a ring of epsilon transitions in which every state has a loop with the symbol a."""
    edges = [(q, (q + 1) % states, "", HALF[k.name]) for q in range(states)]
    edges += [(q, q, "a", HALF[k.name]) for q in range(states)]
    return WFSA.from_edges(k, states, "ab", [(first, k.one)], [(last, k.one)], edges)


@over(SELECTIVE)
def test_too_many_pairs_of_states_do_not_hide_a_difference_on_the_empty_string(k, monkeypatch):
    monkeypatch.setattr("automata.equivalence.unambiguous.MOST_PAIRS", 0)
    heavy = {"max-plus": 1, "min-plus": -1, "max-times": 2}[k.name]
    answer = equivalent(forked(k, k.one), forked(k, heavy))
    assert (answer.word, answer.scores) == ((), (k.one, heavy))


@over(SELECTIVE)
def test_the_maximum_length_is_respected_if_other_methods_reach_a_limit(k, monkeypatch):
    for method in ("unambiguous", "domination"):
        monkeypatch.setattr(f"automata.equivalence.{method}.MOST_PAIRS", 0)
    third = {"max-plus": -9, "min-plus": 9, "max-times": Fraction(1, 512)}[k.name]  # never on the best path
    loops = [(0, 0, s, HALF[k.name]) for s in "ab"]
    a = forked(k, k.one)
    b = sum_of(a, WFSA.from_edges(k, 1, "ab", [(0, third)], [(0, k.one)], loops))
    answer = equivalent(a, b, longest=4)
    assert isinstance(answer, Unknown) and answer.searched == 4
    assert "pairs of states that a common string reaches" in answer.why


def test_log_automata_are_lumped_if_there_are_too_many_pairs_of_states(monkeypatch):
    monkeypatch.setattr("automata.equivalence.unambiguous.MOST_PAIRS", 0)
    one, swapped = forked(LOG, 0.5, 0.0), forked(LOG, 0.0, 0.5)
    assert one != swapped and equivalent(one, swapped).verdict == "equivalent"


@over([*SELECTIVE, BOOLEAN])
def test_epsilon_transitions_are_followed_if_removal_exceeds_the_limit(k, monkeypatch):
    monkeypatch.setattr("automata.epsilon.MOST_ENTRIES", 0)
    a, b = ring(k, 66, last=1), ring(k, 66, last=2)
    if k is BOOLEAN:  # all states of a ring are in one class
        no = WFSA.from_edges(k, 66, "ab", [(0, True)], [], [])
        assert equivalent(a, no).word == ()
        assert equivalent(a, b).verdict == "equivalent"
    else:
        assert equivalent(a, b).word == ()
        assert equivalent(a, ring(k, 66, last=2, first=1)).verdict == "equivalent"


@over([REAL, MAX_PLUS])
def test_arrays_beyond_the_limit_are_not_needed(k, monkeypatch):
    """If each string has at most one path, the decision needs neither dense matrices nor counts of paths."""
    chain = [(q, q + 1, "a", HALF[k.name]) for q in range(9)]
    a, b = (
        WFSA.from_edges(k, 10, "ab", [(0, k.one)], [(9, k.one)], [*chain, (9, 9, "b", last)])
        for last in (k.one, HALF[k.name])
    )
    monkeypatch.setattr("automata.wfsa.MOST_EXACT_CELLS", 50)
    monkeypatch.setattr("automata.equivalence.ENOUGH_FOR_A_CERTIFICATE", 0)
    assert equivalent(a, b).word == ("a",) * 9 + ("b",)
    assert equivalent(a, a).verdict == "equivalent"


def test_the_reason_names_the_limits_and_the_searched_part():
    def limited():
        raise LimitReached("too large")

    assert first_answer([limited, lambda: None]) == Unknown("a limit was reached: too large")
    unknown = [lambda: Unknown("shorter", 1), limited, lambda: Unknown("longer", 2), lambda: Unknown("none")]
    assert first_answer(unknown) == Unknown("longer; a limit was reached: too large", 2)


def test_weights_that_cancel_are_no_divisor_in_the_search_for_pairs():
    """After a, the weight of state 0 of one automaton is 1 - 1."""
    cancels, loops = (
        WFSA.from_edges(REAL, 2, "a", [(0, 1), (1, 1)], [(1, 1)], edges)
        for edges in ([(0, 0, "a", 1), (1, 0, "a", -1), (0, 1, "a", 1)], [(0, 1, "a", 1), (1, 1, "a", 0)])
    )
    assert search(cancels, loops, lambda stage: None).word == equivalent(cancels, loops).word


@over([MAX_PLUS, MIN_PLUS])
def test_the_checker_adds_infinities_to_fractions_beyond_the_range_of_floats(k):
    """Each automaton simulates the other. The large weight is either on the arcs or on the initial state."""
    large, sign = 10**400, 1 if k is MAX_PLUS else -1
    loops = [(1, 1, "a", sign), (1, 1, "b", 0), (2, 2, "a", 0), (2, 2, "b", sign)]
    one, other = (
        WFSA.from_edges(
            k, 3, "ab", [(0, first)], [(1, 0), (2, 0)], [(0, 1, "a", arc), (0, 2, "a", arc), *loops]
        )
        for first, arc in ((0, sign * large), (sign * large, 0))
    )
    answer = equivalent(one, other)
    assert answer.verdict == "equivalent" and judge(answer.certificate.to_json()).why is None
