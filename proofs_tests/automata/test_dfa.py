"""Tests of deterministic automata against brute force over strings."""

import pickle
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

from automata import determinisation
from automata.dfa import DFA
from automata.drawing import dot, svg
from automata.equivalence import Equivalent, equivalent
from automata.errors import InputError
from automata.forward import score
from automata.hankel import shortlex
from automata.io import json_format
from automata.languages.random_dfas import random_minimal_dfa
from automata.semirings import BOOLEAN, LOG, REAL, SEMIRINGS
from automata.testing.dfa_strategies import dfas
from automata.testing.strategies import automata, strings
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases

EVEN = DFA(("a", "b"), 0, ((1, 0), (0, 1)), frozenset({0}))


def language(dfa, longest):
    return [dfa.accepts(x) for x in shortlex(dfa.alphabet, longest)]


def classes(dfa):
    """Return the number of Myhill-Nerode classes of the reachable states, by comparing them on all short
    strings.
    """
    reached = {dfa.run(x)[-1] for x in shortlex(dfa.alphabet, dfa.states - 1)}
    rests = shortlex(dfa.alphabet, dfa.states - 1)
    return len({tuple(DFA(dfa.alphabet, q, dfa.table, dfa.final).accepts(s) for s in rests) for q in reached})


@some_cases(dfas(), strings("ab"))
def test_a_run_follows_the_table(dfa, x):
    states = dfa.run(x)
    assert states[0] == dfa.start and len(states) == len(x) + 1
    assert all(dfa.table[p]["ab".index(s)] == q for s, (p, q) in zip(x, pairwise(states), strict=True))
    assert dfa.accepts(x) == (states[-1] in dfa.final)


@over(SEMIRINGS.values())
@few_cases(st.data())
def test_the_weighted_form_scores_one_if_the_dfa_accepts(k, data):
    dfa, x = data.draw(dfas(most_states=4)), data.draw(strings("ab", run=0))
    assert score(dfa.to_wfsa(k), x) == (k.one if dfa.accepts(x) else k.zero)
    ends = [score(a, x) for a in dfa.state_automata(k)]
    assert ends == [k.one if q == dfa.run(x)[-1] else k.zero for q in range(dfa.states)]


def test_the_weighted_form_is_exact_if_the_semiring_is():
    assert EVEN.to_wfsa(REAL).exact and not EVEN.to_wfsa(LOG).exact


@some_cases(automata(BOOLEAN, most_states=4, epsilon="cyclic"))
def test_a_boolean_automaton_of_any_kind_becomes_a_dfa_of_its_language(a):
    dfa = DFA.from_wfsa(a)
    assert isinstance(equivalent(dfa.to_wfsa(), a), Equivalent)
    assert dfa == dfa.reachable()[0] and len(dfa.dead) <= 1


@some_cases(dfas())
def test_files_preserve_the_language_and_the_minimal_dfa(dfa):
    read = DFA.from_wfsa(json_format.loads(json_format.dumps(dfa.to_wfsa())))
    assert read.minimal() == dfa.minimal()
    assert pickle.loads(pickle.dumps(dfa)) == dfa == eval(repr(dfa))


@some_cases(dfas())
def test_the_minimal_dfa_accepts_the_same_strings(dfa):
    least = dfa.minimal()
    assert language(least, 6) == language(dfa, 6) and least.states <= dfa.states
    assert isinstance(equivalent(least.to_wfsa(), dfa.to_wfsa()), Equivalent)
    assert least == least.minimal() and least.start == 0


@some_cases(dfas())
def test_the_minimal_dfa_has_as_many_states_as_there_are_classes(dfa):
    assert dfa.minimal().states == classes(dfa)


@some_cases(dfas())
def test_the_minimal_dfa_is_the_trim_one_and_a_dead_state(dfa):
    least = dfa.minimal()
    partial = determinisation.minimal(dfa.to_wfsa())
    assert partial.states + len(least.dead) == least.states
    assert DFA.from_wfsa(partial) == least


@some_cases(dfas())
def test_a_state_is_dead_if_nothing_is_accepted_from_it(dfa):
    rests = shortlex(dfa.alphabet, dfa.states - 1)
    lost = {
        q
        for q in range(dfa.states)
        if not any(DFA(dfa.alphabet, q, dfa.table, dfa.final).accepts(s) for s in rests)
    }
    assert dfa.dead == lost


@some_cases(dfas())
def test_states_are_numbered_in_the_order_in_which_strings_reach_them(dfa):
    reached, old = dfa.reachable()
    order = list(dict.fromkeys(dfa.run(x)[-1] for x in shortlex(dfa.alphabet, dfa.states - 1)))
    assert list(old) == order and reached.states == len(order)
    for x in shortlex(dfa.alphabet, 4):
        assert [old[q] for q in reached.run(x)] == dfa.run(x) and reached.accepts(x) == dfa.accepts(x)


@some_cases(dfas(most_states=4), dfas(most_states=4))
def test_the_shortest_difference_is_the_shortlex_smallest_one(a, b):
    word = a.shortest_difference(b)
    differ = [
        x for x in shortlex("ab", 6) if a.accepts(x) != b.accepts(x)
    ]  # strings of fewer than 4 + 4 symbols are enough
    if word is None:
        assert not differ
    elif len(word) <= 6:
        assert "".join(word) == "".join(differ[0])
    else:
        assert not differ and a.accepts(word) != b.accepts(word)


@some_cases(dfas(), st.randoms(use_true_random=False))
def test_renumbering_gives_an_isomorphic_dfa_of_the_same_language(dfa, rng):
    new = list(range(dfa.states))
    rng.shuffle(new)
    rows = {new[q]: tuple(new[r] for r in row) for q, row in enumerate(dfa.table)}
    other = DFA(
        dfa.alphabet,
        new[dfa.start],
        tuple(rows[q] for q in range(dfa.states)),
        frozenset(new[q] for q in dfa.final),
    )
    assert dfa.isomorphic(other) and dfa.equivalent(other) and dfa.minimal() == other.minimal()
    swapped = DFA(dfa.alphabet, dfa.start, dfa.table, frozenset(range(dfa.states)) - dfa.final)
    assert not dfa.equivalent(swapped)
    assert not dfa.isomorphic(swapped)
    assert dfa.shortest_difference(swapped) == ()


def test_equivalent_dfas_need_not_be_isomorphic():
    twice = DFA(("a", "b"), 0, ((1, 2), (2, 1), (1, 0)), frozenset({0, 2}))
    assert twice.equivalent(EVEN) and not twice.isomorphic(EVEN)


@some_cases(dfas(alphabet="abc"), st.permutations("abc"), strings("abc"))
def test_the_order_of_the_alphabet_changes_no_run(dfa, order, x):
    assert dfa.over(order).run(x) == dfa.run(x) and dfa.equivalent(dfa.over(order))
    assert dfa.shortest_difference(dfa.over(order)) is None


def test_symbols_of_any_kind_are_symbols():
    dfa = DFA([("NP", 1), 7, None], np.int64(0), np.array([[1, 0, 0], [1, 1, 1]]), {1})
    assert dfa.run([7, None, ("NP", 1)]) == [0, 0, 0, 1] and dfa.table == ((1, 0, 0), (1, 1, 1))
    assert dfa.shortest_difference(DFA(dfa.alphabet, 0, ((0, 0, 0),), frozenset())) == (("NP", 1),)


def test_an_empty_alphabet_has_only_the_empty_string():
    dfa = DFA((), 1, ((), ()), frozenset({1}))
    assert dfa.accepts("") and dfa.minimal() == DFA((), 0, ((),), frozenset({0}))
    assert dfa.shortest_difference(DFA((), 0, ((),), frozenset())) == ()


@pytest.mark.parametrize(
    "parts, sentence",
    [
        ((("a", "a"), 0, ((0, 0),), ()), "the symbols of the alphabet must be distinct, got 'a' twice"),
        ((("",), 0, ((0,),), ()), 'the alphabet must not contain "", which is reserved for epsilon'),
        ((([],), 0, ((0,),), ()), r"the symbols of the alphabet must be hashable, got \[\]"),
        ((5, 0, ((0,),), ()), "the alphabet must be a sequence, got 5"),
        (({"a"}, 0, ((0,),), ()), "the alphabet must be a sequence, because a set has no order, got {'a'}"),
        ((("a",), 0, (), ()), "the table must have at least one row, for the start state"),
        ((("a",), 0, ((0,), (0, 1)), ()), "the row of state 1 must have 1 states, one per symbol, got 2"),
        ((("a",), 0, ((0,), 0), ()), "the row of state 1 must be a sequence, got 0"),
        (
            (("a", "b"), 0, ((0, 1),), ()),
            "table, state 0, symbol 'b': a state must be between 0 and 0, got 1",
        ),
        ((("a",), 0, ((0.0,),), ()), "table, state 0, symbol 'a': a state must be between 0 and 0, got 0.0"),
        ((("a",), -1, ((0,),), ()), "start: a state must be between 0 and 0, got -1"),
        ((("a",), True, ((0,), (0,)), ()), "start: a state must be between 0 and 1, got True"),
        ((("a",), 0, ((0,),), {3}), "final: a state must be between 0 and 0, got 3"),
    ],
)
def test_a_malformed_dfa_is_refused(parts, sentence):
    with pytest.raises(InputError, match=sentence):
        DFA(*parts)


def test_unknown_symbols_and_other_semirings_are_refused():
    with pytest.raises(InputError, match=r"string index 1: symbol 'c' is not in the alphabet \['a', 'b'\]"):
        EVEN.accepts("acb")
    with pytest.raises(
        InputError, match="the alphabets differ: only the other reads 'b'; both automata must have the same"
    ):
        EVEN.shortest_difference(DFA(("a",), 0, ((0,),), frozenset()))
    with pytest.raises(InputError, match="determinise: the automaton must be boolean, got one over"):
        DFA.from_wfsa(WFSA(REAL, [1], [1], {"a": [[1]]}))


@pytest.mark.parametrize("alphabet", ["a", "ab", "abcde"])
@pytest.mark.parametrize("states", [1, 2, 5, 30])
def test_random_dfas_are_minimal_and_of_the_requested_size(states, alphabet):
    dfas_drawn = [random_minimal_dfa(states, alphabet, seed) for seed in range(20)]
    assert all(dfa.states == states and dfa == dfa.minimal() for dfa in dfas_drawn)
    assert len(set(dfas_drawn)) > (1 if states == 1 else 5 if states > 2 else 2)


def test_impossible_random_dfas_are_refused():
    with pytest.raises(InputError, match="the number of states must be a positive integer, got 0"):
        random_minimal_dfa(0, "ab", 0)
    with pytest.raises(InputError, match="the alphabet must not be empty if the DFA has 2 states"):
        random_minimal_dfa(2, "", 0)


@some_cases(dfas(alphabet="abc"))
def test_a_drawing_shows_each_transition_once_with_all_its_symbols(dfa):
    text = dot(dfa)
    arrows = re.findall(r'^  (\d+) -> (\d+) \[label="(.*)"\];$', text, re.MULTILINE)
    assert {(int(p), int(q)) for p, q, _ in arrows} == {
        (p, q) for p, row in enumerate(dfa.table) for q in row
    }
    assert len(arrows) == len(set(arrows)) and text.count("doublecircle") == len(dfa.final)
    for p, q, label in arrows:
        read = [s for s, r in zip("abc", dfa.table[int(p)], strict=True) if r == int(q)]
        assert label == ("all" if len(read) == 3 else ", ".join(read))
    assert f"start{dfa.start} -> {dfa.start} " in text


@some_cases(dfas())
def test_a_drawing_without_dead_states_shows_the_others(dfa):
    text = dot(dfa, hide_dead=True)
    circles = {int(q) for q in re.findall(r"^  (\d+) \[", text, re.MULTILINE)}
    assert circles == set(range(dfa.states)) - dfa.dead | {dfa.start}
    assert {int(q) for pair in re.findall(r"^  (\d+) -> (\d+) ", text, re.MULTILINE) for q in pair} <= circles


def test_circles_carry_other_names():
    text = dot(EVEN, names=[17, 'the "odd" one'])
    assert '0 [label="17", shape=doublecircle];' in text and r'1 [label="the \"odd\" one"];' in text
    assert "<svg" in svg(EVEN, names=["S", "T"]) and ">T</text>" in svg(EVEN, names=["S", "T"])
    assert "<svg" in EVEN._repr_mimebundle_()["image/svg+xml"]
    with pytest.raises(InputError, match="names must have one entry for each of 2 states, got 1"):
        dot(EVEN, names=["S"])
    with pytest.raises(
        InputError, match="final is only supported for a PFA; this automaton has its own final states"
    ):
        dot(EVEN, final=[1])
