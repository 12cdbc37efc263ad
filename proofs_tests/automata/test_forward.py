"""Tests that the Forward score is the sum over all paths (Definitions 3 and 4), and that the forward and
backward vectors agree.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from automata import batch, paths
from automata.backward import backward
from automata.errors import UnknownSymbol
from automata.forward import forward, prefix_scores, score
from automata.hankel import shortlex
from automata.operations import remove_epsilon
from automata.semirings import COUNTING, LOG, MAX_PLUS, REAL, SEMIRINGS
from automata.strings import prefixes
from automata.testing.strategies import automata, strings
from automata.tree import levels
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases

EXACT = [k for k in SEMIRINGS.values() if not k.float_only]
each = over(EXACT)
short = strings("ab", longest=4, run=0)


def magnitudes(automaton):
    """Return the automaton with all weights replaced by their magnitudes."""
    ends = {name: abs(getattr(automaton, name)) for name in ("initial", "final")}
    return automaton.with_tables(lambda table: table.mapped(automaton.semiring, abs, object), **ends)


@each
@few_cases(st.data())
def test_forward_is_the_sum_over_all_paths(k, data):
    automaton, x = data.draw(automata(k, most_states=3, epsilon="acyclic", extreme=True)), data.draw(short)
    assert score(automaton, x) == paths.score(automaton, x)


@over(k for k in EXACT if k.selective)
@few_cases(st.data())
def test_epsilon_cycles_add_nothing_if_addition_is_selective(k, data):
    automaton, x = (
        data.draw(automata(k, most_states=3, epsilon="cyclic")),
        data.draw(strings("ab", longest=3, run=0)),
    )
    assert score(automaton, x) == paths.score(automaton, x)


@some_cases(automata(REAL, most_states=4, epsilon="cyclic"), short)
def test_with_epsilon_cycles_the_limit_of_the_sums_over_paths_is_forward(automaton, x):
    assert score(automaton, x) == paths.limit(automaton, x)


@some_cases(automata(REAL, most_states=2, epsilon="cyclic"), strings("ab", longest=2, run=0))
def test_the_sums_over_paths_approach_the_limit(automaton, x):
    """The omitted paths weigh at most their magnitudes / 2**10."""
    near = paths.score(automaton, x, epsilon_steps=10)
    magnitude = magnitudes(automaton)
    size = paths.limit(magnitude, x)
    assert abs(paths.limit(automaton, x) - near) <= size - paths.score(magnitude, x, epsilon_steps=10)
    assert size - paths.score(magnitude, x, epsilon_steps=10) <= size * (len(x) + 1) / Fraction(2) ** 10


@some_cases(automata(LOG, most_states=3, epsilon="acyclic"), short)
def test_in_the_log_semiring_forward_is_the_sum_of_exponentials(automaton, x):
    total = sum(math.exp(paths.path_score(automaton, p)) for p in paths.paths(automaton, x))
    logarithm = score(automaton, x)
    assert logarithm == -math.inf if total == 0 else math.exp(logarithm) == pytest.approx(total, rel=1e-9)


@each
@few_cases(st.data())
def test_prefix_scores_are_the_scores_of_the_prefixes(k, data):
    automaton, x = data.draw(automata(k, epsilon="acyclic")), data.draw(strings("ab", run=12))
    assert prefix_scores(automaton, x).tolist() == [score(automaton, p) for p in prefixes(x)]


@each
@few_cases(st.data())
def test_forward_and_backward_vectors_agree_at_every_position(k, data):
    automaton, x = data.draw(automata(k, epsilon="acyclic")), data.draw(strings("ab", run=12))
    omega, beta = forward(automaton, x), backward(automaton, x)
    assert k.sum(k.times(automaton.initial, beta[0])) == score(automaton, x)
    for i, symbol in enumerate(x):
        through = k.times(k.times(omega[i][:, None], automaton.matrix(symbol)), beta[i + 1][None, :])
        assert k.sum(through) == score(automaton, x)


@each
@few_cases(st.data())
def test_a_batch_of_unequal_strings_scores_like_its_strings_one_by_one(k, data):
    automaton = data.draw(automata(k, epsilon="cyclic"))
    xs = data.draw(st.lists(strings("ab", run=12), max_size=6))
    assert batch.scores(automaton, xs).tolist() == [score(automaton, x) for x in xs]


@pytest.mark.parametrize("name", ["max-plus", "min-plus", "max-times"])
@few_cases(st.data())
def test_compiled_max_loops_agree_bit_for_bit_with_the_reference(name, data):
    automaton = data.draw(automata(SEMIRINGS[name], epsilon="acyclic", exact=False, extreme=True))
    xs = data.draw(st.lists(strings("ab", run=12), max_size=6))
    plain = remove_epsilon(automaton)  # the form that the compiled loops use
    with np.errstate(over="ignore", invalid="ignore"):
        for x in xs:
            assert np.array_equal(
                batch.scores(automaton, prefixes(x)), prefix_scores(plain, x), equal_nan=True
            )


def test_overflow_of_float64_never_gives_a_plausible_number():
    huge = WFSA(MAX_PLUS, [1e308, -np.inf], [0.0, 0.0], {"a": [[1e308, -np.inf], [0.0, -np.inf]]})
    with np.errstate(over="ignore", invalid="ignore"):
        for total in (score(huge, "aaa"), batch.scores(huge, ["aaa"])[0]):
            assert not np.isfinite(total)


@each
@few_cases(st.data())
def test_the_tree_of_strings_scores_like_its_strings_one_by_one(k, data):
    automaton = data.draw(automata(k, epsilon="acyclic", most_states=3))
    values = [value for level in levels(automaton, 3) for value in level]
    assert values == [score(automaton, x) for x in shortlex("ab", 3)]


def test_equation_3b_reads_the_next_symbol():
    """Erratum: with x_i instead of x_{i+1} the last symbol is never read."""
    reads_a = WFSA(REAL, [1, 0], [0, 1], {"a": [[0, 2], [0, 0]]})
    assert score(reads_a, "a") == 2 != score(reads_a, "")


def test_the_empty_string_has_the_score_of_the_empty_paths():
    """Erratum of Definition 3: a path may have no transition."""
    assert score(WFSA(REAL, [2, 3], [5, 7], {}), "") == 31 == paths.score(WFSA(REAL, [2, 3], [5, 7], {}), "")


def test_no_states_score_zero():
    for k in EXACT:
        assert score(WFSA(k, [], [], {"a": np.empty((0, 0))}), "aa") == k.zero


def test_an_unknown_symbol_is_reported_with_its_index():
    automaton = WFSA(MAX_PLUS, [0], [0], {"a": [[1]]})
    with pytest.raises(UnknownSymbol, match="string index 2: symbol 'c' is not in the alphabet"):
        score(automaton, "aac")
    with pytest.raises(UnknownSymbol, match="string 1, index 0: symbol 'c'"):
        batch.scores(automaton, ["a", "c"])


@some_cases(st.lists(st.text("aé\u2028😀", max_size=6), max_size=5))
def test_texts_and_lists_of_their_characters_are_read_identically(xs):
    automaton = WFSA(COUNTING, [1], [1], {"a": [[2]], "é": [[3]], "\u2028": [[5]], "😀": [[7]]})
    assert batch.scores(automaton, xs).tolist() == batch.scores(automaton, [list(x) for x in xs]).tolist()
    assert batch.scores(automaton, xs).tolist() == [score(automaton, x) for x in xs]


def test_tropical_sums_that_may_overflow_are_computed_by_numpy():
    """The compiled loops assume that no NaN occurs."""
    from automata.compiled_loops import loop_for

    small, large = np.array([1e300, -np.inf]), np.array([1e308])
    assert loop_for(MAX_PLUS, (small, small), 10) is not None
    assert loop_for(MAX_PLUS, (small, large), 10) is None is loop_for(MAX_PLUS, (large, small), 10)
    sums = WFSA(MAX_PLUS, [1.7e308, 1e307], [0.0, 0.0], {"a": [[1e307, -np.inf], [1.0, -np.inf]]})
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isnan(score(sums, "aa")) and np.isnan(batch.scores(sums, ["aa"])[0])


def test_long_strings_are_exact():
    half = WFSA(REAL, [1], [1], {"a": [["1/2"]]})
    assert score(half, "a" * 500) == Fraction(1, 2**500)
