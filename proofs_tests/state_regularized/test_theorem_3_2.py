"""Tests of Theorem 3.2: at low temperatures a state-regularized network is a DFA, if there is no tie."""


def test_no_softmax_is_below_the_bound(shows_what_is_expected):
    shows_what_is_expected()


def test_the_automaton_has_the_bound_and_nothing_negative(shows_what_is_expected):
    shows_what_is_expected()
