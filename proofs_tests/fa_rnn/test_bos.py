"""Tests of section 3.5 of Jiang et al. (2020): the requirements on BOS that make s_0 the rules' initial
state.
"""

from itertools import product

import pytest

from automata.forward import score
from automata.semirings import REAL
from automata.wfsa import WFSA

WORDS = ("BOS", "a", "b")


def rule(wildcard):
    """Return the automaton of the rule ``$ a`` after s_0.

    BOS leads from state 0 to 1, any word of the wildcard from 1 to 2, and a from 2 to 3.
    """
    arrows = [(0, 1, "BOS", 1), *((1, 2, word, 1) for word in wildcard), (2, 3, "a", 1)]
    return WFSA.from_edges(REAL, 4, WORDS, [(0, 1)], [(3, 1)], arrows)


@pytest.mark.parametrize("wildcard", [("a", "b"), WORDS])
def test_without_bos_every_score_is_0(wildcard):
    for length in range(4):
        for sentence in product(("a", "b"), repeat=length):
            assert score(rule(wildcard), sentence) == 0


def test_a_wildcard_that_matches_bos_treats_it_as_a_word():
    assert score(rule(WORDS), ("BOS", "BOS", "a")) == 1
    assert score(rule(("a", "b")), ("BOS", "BOS", "a")) == 0


def test_with_one_bos_matched_only_by_its_transition_the_network_equals_the_rule():
    for length in range(4):
        for sentence in product(("a", "b"), repeat=length):
            matches = length == 2 and sentence[1] == "a"
            assert score(rule(("a", "b")), ("BOS", *sentence)) == matches
