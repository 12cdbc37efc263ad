"""Tests of distinguishing strings: a program that passes the W-method or the Hankel basis equals the
automaton.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from automata.dfa import DFA
from automata.equivalence import equivalent
from automata.forward import score
from automata.hankel import block
from automata.languages.random_dfas import random_minimal_dfa
from automata.minimise import rank
from automata.operations import sum_of
from automata.semirings import MAX_PLUS, REAL
from automata.testing.dfa_strategies import dfas
from automata.testing.distinguishing_strings import (
    _bases,
    _suffixes,
    dfa_strings,
    hankel_strings,
    w_method,
    weighted_strings,
)
from automata.testing.strategies import automata
from automata.wfsa import WFSA

LONG = DFA(("a",), 0, (*((q + 1,) for q in range(5_000)), (5_000,)), frozenset({5_000}))
"""An automaton that accepts strings of at least 5,000 symbols."""


@settings(max_examples=100)
@given(dfas(), dfas(), st.integers(0, 2))
def test_the_w_method_refutes_every_other_dfa_within_the_extra_states(one, other, extra):
    assume(not one.equivalent(other))
    assume(other.minimal().states <= one.minimal().states + extra)
    assert any(one.accepts(x) != other.accepts(x) for x in w_method(one, extra))


@given(dfas(most_states=4), st.data())
def test_a_single_wrong_transition_is_refuted(dfa, data):
    """The W-method detects each change of one transition that changes the language.

    Random pairs, in contrast, differ on short strings.
    """
    minimal = dfa.minimal()
    state, symbol, target = (
        data.draw(st.integers(0, n - 1)) for n in (minimal.states, len(minimal.alphabet), minimal.states)
    )
    row = (*minimal.table[state][:symbol], target, *minimal.table[state][symbol + 1 :])
    table = (*minimal.table[:state], row, *minimal.table[state + 1 :])
    other = DFA(minimal.alphabet, minimal.start, table, minimal.final)
    assert any(minimal.accepts(x) != other.accepts(x) for x in w_method(minimal)) != minimal.equivalent(other)


@given(st.integers(1, 12), st.integers(0, 999))
def test_the_suffixes_distinguish_all_states(states, seed):
    dfa = random_minimal_dfa(states, "ab", seed)
    rows = {tuple(replace(dfa, start=q).accepts(s) for s in _suffixes(dfa)) for q in range(states)}
    assert len(rows) == states


def test_the_block_of_the_bases_has_full_rank_and_extensions_by_a_symbol():
    """The block of an automaton that scores only aab has a nonzero determinant.

    For an automaton with one state, ``hankel_strings`` returns the empty string and a.
    """
    word = WFSA.from_edges(
        REAL, 4, "ab", [(0, 1)], [(3, 1)], [(0, 1, "a", 1), (1, 2, "a", 1), (2, 3, "b", 1)]
    )
    prefixes, _, suffixes = _bases(word, 1)
    assert block(word, prefixes, suffixes).determinant != 0
    half = WFSA(REAL, [1], [1], {"a": [["1/2"]]})
    assert hankel_strings(half) == [(), ("a",)]


@settings(max_examples=50)
@given(automata(REAL, most_states=3), automata(REAL, most_states=3), st.data())
def test_the_hankel_basis_refutes_every_automaton_of_no_larger_rank(one, other, data):
    if data.draw(st.booleans()):  # nearly the same automaton
        other = one.replace(
            final=one.final + np.array([Fraction(q == 0) for q in range(one.states)], dtype=object)
        )
    assume(list(one.alphabet) == list(other.alphabet) and rank(other) <= rank(one))
    differs = any(score(one, x) != score(other, x) for x in hankel_strings(one))
    assert differs == (equivalent(one, other).verdict == "different")


def all_dfas(alphabet, states):
    """Yield all DFAs with this number of states that start in state 0."""
    rows = product(range(states), repeat=len(alphabet))
    for table in product(list(rows), repeat=states):
        for accepts in product((False, True), repeat=states):
            yield DFA(tuple(alphabet), 0, table, frozenset(q for q in range(states) if accepts[q]))


@pytest.mark.parametrize(("alphabet", "states", "extra"), [("a", 3, 0), ("a", 2, 1), ("ab", 2, 0)])
def test_nonempty_strings_refute_every_dfa_with_one_state_less(alphabet, states, extra):
    """Programs do not read the empty string. The other DFA differs on a nonempty string."""
    words = [x for n in range(1, 8) for x in product(alphabet, repeat=n)]
    minimal = [dfa for dfa in all_dfas(alphabet, states) if dfa.minimal().states == states]
    others = [other for n in range(1, states + extra) for other in all_dfas(alphabet, n)]
    for dfa, other in product(minimal, others):
        differs = any(dfa.accepts(x) != other.accepts(x) for x in words)
        assert differs == any(dfa.accepts(x) != other.accepts(x) for x in w_method(dfa, extra) if x)


@given(automata(REAL, most_states=3), automata(REAL, most_states=2), st.integers(-1, 1))
def test_nonempty_strings_of_the_hankel_basis_refute_automata_of_smaller_rank(part, other, more):
    """They may differ only in the score of the empty string, or be unrelated."""
    constant = WFSA(REAL, [more], [1], {"a": [[0]], "b": [[0]]})
    for one, less in ((sum_of(part, constant), part), (part, other)):
        if rank(less) < rank(one):
            after = [[a.replace(initial=a.initial @ a.matrix(x)) for a in (one, less)] for x in "ab"]
            differ = any(equivalent(*pair).verdict == "different" for pair in after)
            assert differ == any(score(one, x) != score(less, x) for x in hankel_strings(one) if x)


@given(dfas(), st.integers(1, 30), st.integers(1, 60))
def test_the_strings_stay_within_the_limit_and_include_both_kinds(dfa, most, symbols):
    chosen = dfa_strings(dfa, most, symbols)
    assert len(chosen.strings) <= most + 2
    assert list(map(len, chosen.strings)) == sorted(map(len, chosen.strings))
    few = {dfa.accepts(x) for x in dfa_strings(dfa, 0).strings}
    every = {dfa.accepts(x) for x in w_method(dfa, 1) if x}
    assert every == few - ({dfa.accepts(())} - every)


def test_each_kind_is_included_if_not_all_strings_fit():
    chosen = dfa_strings(LONG)
    assert {LONG.accepts(x) for x in chosen.strings} == {True, False} and not chosen.refutes
    assert sum(map(len, chosen.strings)) < 110_000


def test_an_automaton_over_another_semiring_has_the_strings_of_its_support():
    """Only strings with an odd number of a have a finite score."""
    odd = WFSA(
        MAX_PLUS,
        [0, "-inf"],
        ["-inf", Fraction(1, 2)],
        {"a": [["-inf", 0], [0, "-inf"]], "b": [[1, "-inf"], ["-inf", 1]]},
    )
    strings = weighted_strings([odd]).strings
    assert len(strings) > 5 and {x.count("a") % 2 for x in strings} == {0, 1}
