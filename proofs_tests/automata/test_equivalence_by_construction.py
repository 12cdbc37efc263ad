"""Tests of equivalence on pairs that are equal by construction, planted differences, and inputs that broke
other programs.
"""

from fractions import Fraction
from itertools import chain as chain_of

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata import operations
from automata.determinisation import TooManyStates
from automata.equivalence import Different, Equivalent, Unknown, equivalent, field, lift, pairs
from automata.equivalence import explore as exploring
from automata.equivalence.certificates import Bisimulation, Lumped
from automata.equivalence.integers import primes
from automata.errors import InputError
from automata.minimise import minimise
from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, REAL
from automata.sparse_matrix import SparseMatrix
from automata.testing.strategies import automata
from automata.wfsa import WFSA
from proofs_tests.automata.examples import some_cases
from ratproof.checkers import check_certificate
from ratproof.checkers.table import judge


def accepted(answer):
    return check_certificate.verdict(answer.certificate.to_json()) == "equivalent"


def another_basis(data, a):
    """Return the automaton in another basis: a random product P of elementary matrices.

    Initial weights lambda, matrices M and final weights rho become lambda P^-1, P M P^-1 and P rho.
    """
    start, end = a.initial.copy(), a.final.copy()
    tables = {s: a.matrix(s).copy() for s in a.alphabet}
    n = a.states
    for _ in range(data.draw(st.integers(0, 2 * n)) if n > 1 else 0):
        i, j = data.draw(st.permutations(range(n)))[:2]
        factor = data.draw(st.sampled_from([Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(-3)]))
        for table in tables.values():
            table[i] += factor * table[j]
            table[:, j] -= factor * table[:, i]
        end[i] += factor * end[j]
        start[j] -= factor * start[i]
    return WFSA(REAL, start, end, tables)


@some_cases(st.data())
def test_a_change_of_basis_changes_nothing(data):
    a = data.draw(automata(REAL, most_states=4))
    assert accepted(equivalent(a, another_basis(data, a)))


@some_cases(automata(REAL, most_states=4, epsilon="cyclic"))
def test_double_reversal_epsilon_removal_trimming_and_minimising_change_nothing(a):
    assert accepted(equivalent(a, operations.reverse(operations.reverse(a))))
    assert accepted(equivalent(a, operations.remove_epsilon(a)))
    assert accepted(equivalent(operations.trim(a), a))
    assert accepted(equivalent(minimise(a).automaton, a))


@some_cases(automata(REAL, most_states=3), automata(REAL, most_states=3))
def test_sums_and_products_commute(a, b):
    assert accepted(equivalent(operations.sum_of(a, b), operations.sum_of(b, a)))
    assert accepted(equivalent(operations.hadamard(a, b), operations.hadamard(b, a)))


@settings(max_examples=60)
@given(
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1.0, 1e-300, 1e300, 2.0**-1060, 0.25, 1e-9]),
    st.sampled_from(["initial", "final", "matrices"]),
)
def test_a_change_of_one_weight_by_one_ulp_is_found(n, seed, scale, where):
    rng = np.random.default_rng(seed)
    a = WFSA.from_arrays(
        REAL,
        rng.uniform(0.5, 1, n) * scale,
        rng.uniform(0.5, 1, n),
        rng.uniform(0.1, 1, (2, n, n)) * scale,
        {"a": 0, "b": 1},
    )
    changed = getattr(a, where).copy()
    index = tuple(rng.integers(0, side) for side in changed.shape)
    changed[index] = np.nextafter(changed[index], np.inf)
    answer = equivalent(a, a.replace(**{where: changed}))
    # All weights are positive, so the change has an effect: for an initial or final weight on the empty
    # string, for a matrix after one symbol.
    assert isinstance(answer, Different) and len(answer.word) == (1 if where == "matrices" else 0)
    assert answer.scores[0] < answer.scores[1]


def chain(n, last, weight=Fraction(1, 4)):
    return WFSA.from_edges(
        REAL, n + 1, "ab", [(0, 1)], [(n, last)], [(q, q + 1, "a", weight) for q in range(n)]
    )


def test_a_chain_of_14_quarter_weights_is_not_equal_to_its_double():
    """OpenFst's equivalent reports equality with its default delta of 2^-10."""
    answer = equivalent(chain(14, 1), chain(14, 2))
    assert answer.word == ("a",) * 14 and answer.scores == (Fraction(1, 4**14), Fraction(2, 4**14))


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_the_only_string_that_differs_is_found_whatever_its_length(n):
    answer = equivalent(chain(n, 1), chain(n, 1 + Fraction(1, 2**80)))
    assert answer.word == ("a",) * n
    assert accepted(equivalent(chain(n, 3), chain(n, 3)))


def draw_first(monkeypatch, *bad):
    """Make the generator of random primes begin with the given primes."""
    monkeypatch.setattr(field, "primes", lambda: chain_of(bad, (p for p in primes() if p not in bad)))


def test_a_bad_prime_never_gives_a_wrong_answer(monkeypatch):
    """If the scores vanish modulo the first primes, which the test chooses, the answer is still correct."""
    bad = [2305843009213693951, 2305843009213693921]
    product = bad[0] * bad[1]
    draw_first(monkeypatch, *bad)
    one = WFSA.from_edges(REAL, 3, "ab", [(0, 1)], [(2, 1)], [(0, 2, "a", 1), (0, 1, "b", 1), (1, 2, "b", 1)])
    # The scores of "a" differ by a multiple of both primes, those of "bb" by one.
    other = WFSA.from_edges(
        REAL, 3, "ab", [(0, 1)], [(2, 1)], [(0, 2, "a", 1 + product), (0, 1, "b", 1), (1, 2, "b", 2)]
    )
    answer = equivalent(one, other)
    assert answer.word == ("a",) and answer.scores == (1, 1 + product)


def test_a_smaller_string_that_a_bad_prime_hides_is_found(monkeypatch):
    """Modulo the bad prime, "a" leads to the same vector as the empty string. Therefore, "aa" is not tried,
    and the first difference is at "bb".
    """
    bad = 2305843009213693951
    draw_first(monkeypatch, bad)
    steps = [(0, 0, "a", 1), (0, 1, "a", bad), (1, 2, "a", 1), (0, 3, "b", 1), (3, 2, "b", 1)]
    answer = equivalent(
        WFSA.from_edges(REAL, 4, "ab", [(0, 1)], [(2, 1)], steps), WFSA.from_edges(REAL, 0, "ab", [], [], [])
    )
    assert answer.word == ("a", "a") and answer.scores == (bad, 0)


def test_final_weights_that_are_equal_modulo_one_prime_are_distinguished(monkeypatch):
    bad = 2305843009213693951
    draw_first(monkeypatch, bad)
    steps = [(0, 0, "a", 2)]
    one, other = (WFSA.from_edges(REAL, 1, "a", [(0, 1)], [(0, w)], steps) for w in (1, 1 + bad))
    assert equivalent(one, other).word == ()


def test_a_prime_that_hides_a_dimension_is_detected(monkeypatch):
    bad = 2305843009213693951
    draw_first(monkeypatch, bad)
    one = WFSA.from_edges(REAL, 2, "a", [(0, 1)], [(1, 1)], [(0, 1, "a", bad), (1, 1, "a", 1)])
    zero = WFSA(REAL, [], [], {"a": []})
    answer = equivalent(one, zero)
    assert answer.word == ("a",) and answer.scores == (bad, 0)
    assert accepted(equivalent(one, operations.sum_of(one, zero)))


def test_numbers_beyond_the_limit_give_unknown(monkeypatch):
    monkeypatch.setattr(lift, "MOST_BITS", 1)
    big = WFSA(REAL, [1, 0], [1, 0], {"a": [[1, Fraction(10**40, 7)], [Fraction(3, 10**40), 1]]})
    scaled = WFSA(REAL, [1, 0], [1, 0], {"a": [[1, 1], [Fraction(3, 7), 1]]})
    assert field.decide(big, scaled, lambda stage: None).verdict == "unknown"
    assert equivalent(big, scaled).verdict == "equivalent"  # the numbers in a certificate of links are small
    monkeypatch.undo()
    assert accepted(equivalent(big, scaled))


@some_cases(st.data())
def test_children_tried_together_are_those_that_fail_one_by_one(data):
    """The result is the same if a block's random sum shows that all depend on the basis or if each is
    reduced.
    """
    a = data.draw(automata(REAL, most_states=5))
    b = data.draw(automata(REAL, most_states=3))
    sides = data.draw(st.sampled_from([[a], [a, b], [a, operations.sum_of(a, b)]]))
    entries = data.draw(st.integers(1, 60))

    def explored(many, most):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(exploring, "MANY", many)
            patch.setattr(exploring, "MOST_ENTRIES", most)
            seen = exploring.explore(field.cleared(sides), 2305843009213693951)
            return seen.words, seen.difference

    assert explored(1, entries) == explored(10**9, 1 << 18)


def test_a_block_skipped_by_mistake_hides_no_smaller_difference(monkeypatch):
    """A random sum vanishes by chance with probability 1/p; the test forces this for the children of aa and
    ab.
    """
    real = exploring._Stepping.sum_of_children

    def unlucky(stepping, level):
        total = real(stepping, level)
        return [0 * w for w in total] if level[0][0] == (0, 0) else total

    monkeypatch.setattr(exploring._Stepping, "sum_of_children", unlucky)
    monkeypatch.setattr(exploring, "MANY", 2)
    monkeypatch.setattr(exploring, "MOST_ENTRIES", 120)  # for two automata of 15 states and 2 symbols

    def tree(first, last):
        """Return an automaton with a state for each string of up to three symbols.

        All scores of strings of length three are 1, except for the first and the last string.
        """
        arrows = [(q, 2 * q + 1 + i, s, 1) for q in range(7) for i, s in enumerate("ab")]
        ends = [(7, first), *((q, 1) for q in range(8, 14)), (14, last)]
        return WFSA.from_edges(REAL, 15, "ab", [(0, 1)], ends, arrows)

    assert field.decide(tree(1, 1), tree(2, 2), lambda text: None).word == ("a", "a", "a")


def test_the_confirmation_checks_every_word_before_the_one_found():
    """A difference is only confirmed if all smaller words agree modulo further primes."""
    both = field.cleared([chain(3, 1), chain(3, 2)])
    seen = exploring.explore(both, 2305843009213693951)
    assert seen.difference == (0, 0, 0)
    assert exploring.Agreement(both, seen.words, (0, 0, 0)).holds(2305843009213693921)
    assert not exploring.Agreement(both, [*seen.words, (0, 0, 0)], (0, 0, 1)).holds(2305843009213693921)


def test_ambiguous_max_plus_automata_are_searched_up_to_a_stated_length():
    """Both automata compute max(number of a, number of b). The second has an additional state, which counts
    every symbol as one half. No single other state simulates it, from either end. The vectors of scores never
    repeat, so no search terminates.
    """
    counts = [(0, 0, "a", 1), (0, 0, "b", 0), (1, 1, "a", 0), (1, 1, "b", 1)]
    ends = [(0, 0), (1, 0)]
    one = WFSA.from_edges(MAX_PLUS, 2, "ab", ends, ends, counts)
    half = [(2, 2, symbol, Fraction(1, 2)) for symbol in "ab"]
    other = WFSA.from_edges(MAX_PLUS, 3, "ab", [*ends, (2, 0)], [*ends, (2, 0)], [*counts, *half])
    answer = pairs.search(one, other, lambda stage: None, most=1000)
    assert isinstance(answer, Unknown) and answer.searched >= 10 and str(answer.searched) in answer.why
    assert equivalent(one, other, longest=3) == Unknown(answer_for(3), 3)
    differs = operations.scale(other, Fraction(1, 1000))
    assert equivalent(one, differs).word == ()


def answer_for(longest):
    return f"all strings of at most {longest} symbols have equal scores; longer strings were not searched"


def test_a_boolean_search_that_is_too_large_is_unknown(monkeypatch):
    monkeypatch.setattr(pairs, "MOST_PAIRS", 3)
    arrows = [(0, 0, "a", True), (0, 0, "b", True), (0, 1, "a", True), (1, 2, "a", True), (1, 2, "b", True)]
    last = WFSA.from_edges(BOOLEAN, 3, "ab", [(0, True)], [(2, True)], arrows)
    answer = equivalent(last, minimise(last).automaton)
    assert isinstance(answer, Unknown) and "more than 3 pairs of state sets" in answer.why


def each_twice(words):
    """Return an automaton of the strings whose last word occurred before.

    It is nondeterministic. An equivalent DFA has at least 2^words states.
    """
    alphabet = [f"w{i}" for i in range(words)]
    loops = [(q, q, s, True) for q in range(2 * words) for s in alphabet]
    steps = [(2 * i, 2 * i + 1, s, True) for i, s in enumerate(alphabet)]
    last = [(2 * i + 1, 2 * words, s, True) for i, s in enumerate(alphabet)]
    starts = [(2 * i, True) for i in range(words)]
    return WFSA.from_edges(
        BOOLEAN, 2 * words + 1, alphabet, starts, [(2 * words, True)], loops + steps + last
    )


def test_boolean_automata_with_too_many_pairs_are_lumped(monkeypatch):
    """The automata are unions of sixteen rules ``$ * a $ * a`` in two orders."""
    one = each_twice(16)
    with pytest.raises(TooManyStates):
        minimise(one)
    other = one.replace(
        initial=one.initial[::-1].copy(),
        final=one.final[::-1].copy(),
        tables=[SparseMatrix.of_pairs(33, zip(32 - t.rows, 32 - t.columns, strict=True)) for t in one.tables],
    )
    assert isinstance(equivalent(one, other).certificate, Bisimulation)  # there are few pairs up to unions
    monkeypatch.setattr("automata.equivalence.FEW_PAIRS", 3)
    answer = equivalent(one, other)
    assert answer.verdict == "equivalent" and isinstance(answer.certificate, Lumped)
    assert judge(answer.certificate.to_json()).verdict == "accepted"
    steps = [(q, q + 1, one.alphabet[0], True) for q in range(40)]  # the first rule also accepts this string
    more = WFSA.from_edges(BOOLEAN, 41, one.alphabet, [(0, True)], [(40, True)], steps)
    monkeypatch.setattr(pairs, "MOST_WORDS", 500)
    answer = equivalent(one, operations.sum_of(other, more))
    assert isinstance(answer, Unknown) and "use more than 500 8-byte words" in answer.why


def test_log_automata_with_several_paths_are_unknown():
    twice = WFSA(LOG, [0.0, 0.0], [0.0, 0.0], {"a": [[0.5, -np.inf], [-np.inf, 0.5]]})
    once = WFSA(LOG, [float(np.log(2))], [0.0], {"a": [[0.5]]})
    assert equivalent(twice, once).verdict == "unknown"
    assert equivalent(once, once).verdict == "equivalent"


def test_other_alphabets_are_refused_or_their_symbols_have_weight_zero():
    one, other = WFSA(REAL, [1], [1], {"a": [[1]], "b": [[0]]}), WFSA(REAL, [1], [1], {"a": [[1]]})
    with pytest.raises(InputError, match=r"only the first automaton reads 'b'; --missing-as-zero"):
        equivalent(one, other)
    assert isinstance(equivalent(one, other, missing_as_zero=True), Equivalent)
    assert isinstance(equivalent(other, one, missing_as_zero=True), Equivalent)
    both = WFSA(REAL, [1], [1], {"c": [[1]], "a": [[1]]})
    assert equivalent(one, both, missing_as_zero=True).word == ("c",)


def test_the_order_of_the_first_alphabet_decides_which_string_is_smallest():
    a = WFSA(REAL, [1], [1], {"a": [[1]], "b": [[1]]})
    b = WFSA(REAL, [1], [1], {"b": [[2]], "a": [[2]]})
    assert equivalent(a, b).word == ("a",) and equivalent(b, a).word == ("b",)


def test_other_semirings_are_refused():
    with pytest.raises(InputError, match="must be over the same semiring, got real and counting"):
        equivalent(WFSA(REAL, [1], [1], {}), WFSA(COUNTING, [1], [1], {}))
