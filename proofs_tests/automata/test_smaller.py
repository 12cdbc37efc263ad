"""Tests of the proof, by classes of states, that the scores of no smaller string differ."""

from fractions import Fraction
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import event
from hypothesis import strategies as st

from automata.equivalence import equivalent, sparse
from automata.equivalence.representation import difference
from automata.equivalence.smaller import _by_classes, smaller_scores_vanish
from automata.languages.n_grams import n_gram_model
from automata.operations import remove_epsilon
from automata.semirings import REAL
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import some_cases

SENTENCES = [text.split() for text in ("a b c a", "b c", "c a b a", "a a b c d", "d b")]


def nothing(stage):
    pass


def changed(model, word):
    """Return the model with smaller weights of the transitions that read the last symbol of the word.

    Only the transitions from the state that the word's other symbols reach are changed.
    """
    state = int(model.initial.nonzero()[0][0])
    for symbol in word[:-1]:
        (state,) = model.table(symbol).row(state)[0].tolist()
    edges = [
        (p, q, s, w * Fraction(9, 10) if (p, s) == (state, word[-1]) else w)
        for s in model.alphabet
        for p, q, w in zip(model.table(s).rows, model.table(s).columns, model.table(s).weights, strict=True)
    ]
    epsilon = model.epsilon_table
    edges += [(p, q, "", w) for p, q, w in zip(epsilon.rows, epsilon.columns, epsilon.weights, strict=True)]
    ends = [[(q, w) for q, w in enumerate(part) if w] for part in (model.initial, model.final)]
    return WFSA.from_edges(REAL, model.states, model.alphabet, *ends, edges)


@some_cases(st.data())
def test_proofs_by_classes_are_correct(data):
    a = data.draw(automata(REAL, most_states=3))
    b = a if data.draw(st.booleans()) else data.draw(automata(REAL, most_states=3))
    of = difference(a.to_exact(), b.to_exact())
    kinds = len(of.joint.steps)
    word = tuple(data.draw(st.lists(st.integers(0, max(kinds - 1, 0)), max_size=4 if kinds else 0)))
    smaller = [
        w for n in range(len(word) + 1) for w in product(range(kinds), repeat=n) if (n, w) < (len(word), word)
    ]
    shown = _by_classes(of.joint, word, nothing)
    event(f"shown: {shown}")
    if shown:
        assert not any(of.joint.scores(w)[-1] for w in smaller)
    elif a is b:
        raise AssertionError("one automaton twice has the same classes")


def test_the_smallest_difference_of_n_gram_models_is_proved_by_classes():
    a = n_gram_model(SENTENCES, order=4)
    b = changed(a, "aabc")
    with (
        patch("automata.equivalence.smaller.MOST_COMPONENTS", 0),
        patch.object(sparse, "MOST_PROVED", 0),
        patch("automata.equivalence.rational.SMALL", 0),
        patch("automata.equivalence.field.MOST_DENSE", 0),
    ):
        answer = equivalent(a, b)
    assert answer.doubt is None and len(answer.word) == 4 and answer.figures
    assert answer.word == equivalent(a, b).word


@pytest.mark.parametrize("products", [0, 1 << 22])
def test_classes_of_too_many_states_prove_nothing(products):
    chain = WFSA.from_edges(REAL, 9, "ab", [(0, 1)], [(8, 1)], [(q, q + 1, "b", 2) for q in range(8)])
    joint = difference(remove_epsilon(chain), WFSA.from_edges(REAL, 0, "ab", [], [], [])).joint
    with (
        patch("automata.equivalence.smaller.MOST_COMPONENTS", 0),
        patch("automata.equivalence.smaller.MOST_PRODUCTS", products),
    ):
        assert smaller_scores_vanish(joint, (1,) * 8, nothing) == (products > 0)
