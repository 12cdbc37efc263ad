"""Tests of equivalence against exhaustive search, and of pairs that are equivalent by construction."""

import json
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import assume, event
from hypothesis import strategies as st

from automata import operations
from automata.equivalence import Different, Equivalent, Unknown, equivalent
from automata.errors import InputError
from automata.forward import score
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL, SEMIRINGS
from automata.testing.strategies import automata, weights
from automata.tree import levels
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases
from ratproof.checkers import check_bisimulation, check_certificate

FIELDS = [REAL, COUNTING]
DECIDED = [REAL, COUNTING, BOOLEAN]
EXACT = [k for k in SEMIRINGS.values() if not k.float_only]


def least_difference(a, b, longest):
    """Return the shortlex-smallest string of at most this length with different scores, by exhaustive
    search.
    """
    for length, (x, y) in enumerate(zip(levels(a, longest), levels(b, longest), strict=True)):
        for word, v, w in zip(product(a.alphabet, repeat=length), x, y, strict=True):
            if v != w:
                return word, (v, w)
    return None


def accepted(answer):
    """Return whether the independent checker accepts the certificate of the result."""
    program = check_certificate if answer.certificate.a.semiring in FIELDS else check_bisimulation
    return program.verdict(json.loads(json.dumps(answer.certificate.to_json()))) == answer.verdict


def trie(words):
    """Return the boolean automaton that accepts these words, with one state for each of their prefixes."""
    states = {"": 0} | {w[:i]: 0 for w in words for i in range(1, len(w) + 1)}
    states = {w: i for i, w in enumerate(states)}
    steps = [(states[w[:-1]], i, w[-1], True) for w, i in states.items() if w]
    return WFSA.from_edges(BOOLEAN, len(states), "ab", [(0, True)], [(states[w], True) for w in words], steps)


@some_cases(st.sets(st.text("ab", max_size=4), max_size=6), st.sets(st.text("ab", max_size=5), min_size=1))
def test_a_word_that_only_one_automaton_accepts_is_found(words, more):
    """The smallest such word is found by pairs of bit sets and of sets, in either order of the automata."""
    assume(more - words)
    least = min(more - words, key=lambda w: (len(w), w))
    a, b = trie(words), trie(words | more)
    for few_states in (1024, 0):
        with patch("automata.equivalence.pairs.FEW_STATES", few_states):
            assert (equivalent(a, b).word, equivalent(a, b).scores) == (tuple(least), (False, True))
            assert (equivalent(b, a).word, equivalent(b, a).scores) == (tuple(least), (True, False))


@over(FIELDS)
@few_cases(st.data())
def test_the_answer_is_that_of_exhaustive_search_over_a_field(k, data):
    a, b = (data.draw(automata(k, most_states=3, epsilon="cyclic")) for _ in range(2))
    answer, tried = equivalent(a, b), least_difference(a, b, max(0, a.states + b.states - 1))
    event(answer.verdict)
    if tried is None:
        assert isinstance(answer, Equivalent)
    else:
        assert (answer.word, answer.scores) == tried
    assert accepted(answer)


@over(FIELDS)
@few_cases(st.data())
def test_one_changed_weight_is_a_difference_or_changes_no_score(k, data):
    a = data.draw(automata(k, most_states=4))
    assume(a.states)
    b = nudged(data, k, a)
    answer, tried = equivalent(a, b), least_difference(a, b, min(7, max(0, a.states + b.states - 1)))
    event(answer.verdict)
    assert (tried is None and isinstance(answer, Equivalent)) or (answer.word, answer.scores) == tried
    assert accepted(answer)


def nudged(data, k, a):
    """Return the automaton with one weight of its matrices replaced by another."""
    matrices = a.matrices.copy()
    index = tuple(data.draw(st.integers(0, side - 1)) for side in matrices.shape)
    matrices[index] = k.exact(data.draw(weights(k, extreme=False)))
    return a.replace(matrices=matrices)


@few_cases(st.data())
def test_the_answer_is_that_of_exhaustive_search_over_the_booleans(data):
    a, b = (data.draw(automata(BOOLEAN, most_states=3, epsilon="cyclic")) for _ in range(2))
    answer, tried = (
        equivalent(a, b),
        least_difference(a, b, 7),
    )  # two automata of 3 states have 8 by 8 pairs of sets, all of which strings of up to 7 symbols reach
    event(answer.verdict)
    assert (tried is None and isinstance(answer, Equivalent)) or (answer.word, answer.scores) == tried
    assert accepted(answer)


@over([MAX_PLUS, MIN_PLUS, MAX_TIMES])
@few_cases(st.data())
def test_a_selective_semiring_never_gets_a_wrong_answer(k, data):
    a = data.draw(automata(k, most_states=3, epsilon="cyclic"))
    b = (
        data.draw(automata(k, most_states=3, epsilon="cyclic"))
        if data.draw(st.booleans()) or not a.states
        else nudged(data, k, a)
    )
    answer, tried = equivalent(a, b, longest=6), least_difference(a, b, 6)
    event(answer.verdict)
    if isinstance(answer, Different) and len(answer.word) <= 6:
        assert (answer.word, answer.scores) == tried
    else:
        assert tried is None
    if isinstance(answer, Different):
        assert answer.scores == (score(a, answer.word), score(b, answer.word))
        assert answer.scores[0] != answer.scores[1]
    if not isinstance(answer, Unknown) and answer.certificate is not None:
        assert accepted(answer)


@st.composite
def unambiguous(draw, k, most=4):
    """Draw an unambiguous automaton: a deterministic one or the reversal of one, with unequal cycles."""
    n = draw(st.integers(1, most))
    weight = weights(k, extreme=False).filter(lambda w: w != k.zero)
    arrows = [
        (q, draw(st.integers(0, n - 1)), x, draw(weight))
        for q in range(n)
        for x in "ab"
        if draw(st.booleans())
    ]
    ends = draw(st.lists(st.integers(0, n - 1), unique=True, max_size=n))
    automaton = WFSA.from_edges(k, n, "ab", [(0, draw(weight))], [(q, draw(weight)) for q in ends], arrows)
    return operations.reverse(automaton) if draw(st.booleans()) else automaton


@over([MAX_PLUS, MIN_PLUS, MAX_TIMES, LOG])
@few_cases(st.data())
def test_automata_with_one_path_for_each_string_are_decided(k, data):
    a = data.draw(unambiguous(k))
    b = data.draw(unambiguous(k)) if data.draw(st.booleans()) else shaken(data, k, a)
    answer = equivalent(a, b)
    event(answer.verdict)
    assert not isinstance(answer, Unknown)
    # Two such automata are equal if they agree on all strings up to the number of pairs of states.
    tried = least_difference(*map(with_fractions, (a, b)), 8)
    if isinstance(answer, Different):
        assert answer.scores == tuple(score(with_fractions(side), answer.word) for side in (a, b))
        assert answer.scores[0] != answer.scores[1]
        assert len(answer.word) > 8 or (answer.word, answer.scores) == tried
    if isinstance(answer, Equivalent) or len(answer.word) > 8:
        assert tried is None


def with_fractions(automaton):
    """Convert an unambiguous log automaton to an exact max-plus one; both add the weights along a path."""
    if automaton.semiring is not LOG:
        return automaton
    return automaton.replace(semiring=MAX_PLUS).to_exact()


def shaken(data, k, a):
    """Return an automaton with permuted states and pushed weights, sometimes with one weight changed."""
    n = a.states
    divide = (lambda v, w: Fraction(v) / w) if k is MAX_TIMES else (lambda v, w: v - w)
    by = [data.draw(weights(k, extreme=False).filter(lambda w: w != k.zero)) for _ in range(n)]
    order = data.draw(st.permutations(range(n)))
    initial = [(order[q], divide(w, by[q])) for q, w in enumerate(a.initial.tolist()) if w != k.zero]
    final = [(order[q], k.times(w, by[q])) for q, w in enumerate(a.final.tolist()) if w != k.zero]
    arrows = [
        (order[e.source], order[e.target], e.symbol, divide(k.times(by[e.source], e.weight), by[e.target]))
        for e in a.edges()
    ]
    if arrows and data.draw(st.booleans()):
        i = data.draw(st.integers(0, len(arrows) - 1))
        arrows[i] = (*arrows[i][:3], k.times(arrows[i][3], 2))
    return WFSA.from_edges(k, n, "ab", initial, final, arrows)


@few_cases(st.lists(st.integers(-500, 500).map(lambda tenths: tenths / 10), min_size=2, max_size=5))
def test_the_order_of_repeated_weights_makes_no_difference(several):
    """The sum of repeated weights is rounded once."""
    for k in (REAL, LOG, MAX_PLUS):
        one, other, third = (
            WFSA.from_edges(k, 1, "a", [(0, k.one)], [(0, k.one)], [(0, 0, "a", w) for w in weights])
            for weights in (several, several[::-1], sorted(several))
        )
        assert one == other == third and isinstance(equivalent(one, other), Equivalent), k.name


def test_a_rounded_sum_of_logarithms_is_not_treated_as_exact():
    """log 2 - 1 is irrational and differs from the float64 nearest to it."""
    twice, once = (
        WFSA.from_edges(LOG, 1, "a", [(0, 0)], [(0, 0)], [(0, 0, "a", w) for w in weights])
        for weights in (["-1", "-1"], ["-0.3068528194400547"])
    )
    assert twice.table("a").weights.tolist() == once.table("a").weights.tolist()
    for a, b in (
        (twice, once),
        (once, twice),
        (operations.reverse(twice), once),
        (twice.over("ab"), once.over("ab")),
    ):
        assert isinstance(equivalent(a, b), Unknown)
    for name in ("initial", "final"):
        vectors = {"initial": [(0, 0)], "final": [(0, 0)], name: [(0, 0), (0, 0)]}
        several = WFSA.from_edges(LOG, 1, "a", vectors["initial"], vectors["final"], [])
        assert isinstance(equivalent(several, several), Equivalent)
        assert isinstance(equivalent(several, once), Unknown)


@pytest.mark.parametrize("longest", [-1, 1.5, True, "2"])
def test_the_length_of_a_search_must_be_a_non_negative_integer(longest):
    one = WFSA(MAX_PLUS, [0, 0], [0, 0], {"a": [[0, 0], [0, 0]]})
    with pytest.raises(InputError, match=f"longest must be an integer of at least 0, got {longest!r}"):
        equivalent(one, one, longest=longest)
