"""Tests of equivalence up to a tolerance, against the scores of all short strings."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import score
from automata.hankel import shortlex
from automata.semirings import MAX_PLUS, REAL
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from automata.within import decide_within
from proofs_tests.automata.examples import some_cases

SHORT = shortlex("ab", 4)
TOLERANCES = st.sampled_from([Fraction(0), Fraction(1, 10**4), Fraction(1, 3), Fraction(2), Fraction(50)])
substochastic = st.lists(st.integers(1, 9), min_size=12, max_size=12)


def hmm(numbers):
    """Return a hidden Markov model of two states whose rows sum to 9/10 over all symbols."""
    a, b = (np.array(numbers[i : i + 4], dtype=object).reshape(2, 2) for i in (0, 4))
    total = (a + b).sum(axis=1)
    scaled = {
        s: [[Fraction(9 * w, 10 * t) for w in row] for row, t in zip(m, total, strict=True)]
        for s, m in (("a", a), ("b", b))
    }
    return WFSA(REAL, [1, 0], [Fraction(1, 10)] * 2, scaled)


@some_cases(automata(REAL, epsilon="cyclic", extreme=False), automata(REAL, extreme=False), TOLERANCES)
def test_answers_agree_with_all_short_strings(a, b, tolerance):
    alphabet = dict.fromkeys([*"ab", *a.alphabet, *b.alphabet])
    a, b = a.over(alphabet), b.over(alphabet)
    answer = decide_within(a, b, tolerance)
    beyond = [x for x in SHORT if abs(score(a, x) - score(b, x)) > tolerance]
    if answer.verdict == "equivalent":
        assert not beyond
    if answer.verdict == "different":
        assert abs(score(a, answer.word) - score(b, answer.word)) > tolerance
        assert answer.scores == (score(a, answer.word), score(b, answer.word))
        assert not beyond or answer.word == tuple(beyond[0]) or len(answer.word) > 4 or len(alphabet) > 2
    if beyond and len(alphabet) == 2:
        assert answer.verdict == "different"


@given(substochastic)
def test_rounded_weights_are_within_the_effect_of_rounding(numbers):
    """Written by pynini with nine digits, they are equal within 1e-6 and not within 1e-20."""
    exact = hmm(numbers)
    rounded = exact.with_tables(
        lambda table: table.mapped(
            REAL, np.frompyfunc(lambda w: Fraction(round(w * 10**9), 10**9), 1, 1), object
        )
    )
    assert decide_within(exact, rounded, Fraction(1, 10**6)).verdict == "equivalent"
    assert decide_within(exact, exact, Fraction(0)).verdict == "equivalent"
    if exact != rounded:
        assert decide_within(exact, rounded, Fraction(1, 10**20)).verdict == "different"


def test_a_growing_difference_is_found_and_an_unbounded_one_is_unknown():
    grows, stays = (WFSA(REAL, [1], ["1/100"], {"a": [[w]]}) for w in ("11/10", 1))
    answer = decide_within(grows, stays, Fraction(1, 10))
    assert answer.verdict == "different" and len(answer.word) == 26
    slow = WFSA(REAL, [1], [1], {"a": [["1"]], "b": [["100001/100000"]], "c": [["1"]]})
    still = WFSA(REAL, [1], [1], {"a": [["1"]], "b": [["1"]], "c": [["1"]]})
    answer = decide_within(slow, still, Fraction(1, 10))
    assert answer.verdict == "unknown" and answer.searched > 5
    with pytest.raises(InputError, match="--within requires the real semiring, got max-plus"):
        decide_within(WFSA(MAX_PLUS, [0], [0], {}), WFSA(MAX_PLUS, [0], [0], {}), Fraction(1))
