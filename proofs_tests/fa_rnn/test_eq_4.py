"""Tests of equation 2 for a sentence from x_0 to x_N (section 2.2): the product does not read x_0."""

from math import prod

from automata.forward import score
from theory.registry import claim_named

CLAIM = claim_named("fa-rnn-eq-4")


def printed_product(w, sentence):
    """Return the product of equation 2 as printed, from i = 1 to N, for one state and words x_0 to x_N."""
    return w.alpha_0[0] * prod(w.T[x][0][0] for x in sentence[1:]) * w.alpha_inf[0]


def test_the_product_does_not_read_the_word_with_index_0():
    corrected = CLAIM.variant("corrected")
    w = next(
        w
        for w in corrected.small_cases(2)
        if w.n == 1 and w.alpha_0[0] * w.alpha_inf[0] * w.T["a"][0][0] * (w.T["a"][0][0] - w.T["b"][0][0])
    )
    (automaton,) = corrected.reading.construction(w)
    assert printed_product(w, "aa") == printed_product(w, "ba")
    assert score(automaton, "aa") != score(automaton, "ba")
    assert score(automaton, "aa") == printed_product(w, "xaa")  # each of the words x_1 to x_N is read
