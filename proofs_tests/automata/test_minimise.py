"""Tests of minimisation, rank and Hankel matrices: scores, numbers of states, and certificates."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume
from hypothesis import strategies as st

from automata import operations
from automata.determinisation import determinise, hopcroft, is_deterministic, minimal
from automata.equivalence import Equivalent, equivalent
from automata.errors import InputError
from automata.forward import score
from automata.hankel import block, full_rank_block, shortlex
from automata.minimise import minimise, rank
from automata.semirings import BOOLEAN, COUNTING, MAX_PLUS, REAL
from automata.testing.strategies import automata
from automata.tree import levels
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over, some_cases
from ratproof.checkers import check_certificate

FIELDS = [REAL, COUNTING]
each = over(FIELDS)


@each
@some_cases(st.data())
def test_the_minimal_automaton_has_the_same_scores_and_the_hankel_rank(k, data):
    a = data.draw(automata(k, most_states=4, epsilon="cyclic"))
    least = minimise(a)
    longest = min(6, max(0, a.states + least.automaton.states - 1))
    for x, y in zip(levels(a, longest), levels(least.automaton, longest), strict=True):
        assert x.tolist() == y.tolist()
    assert check_certificate.verdict(json.loads(json.dumps(least.certificate.to_json()))) == "minimal"
    assert minimise(least.automaton).automaton.states == least.automaton.states == rank(a)
    if a.states < 4:  # strings shorter than the number of states suffice for the full rank
        strings = shortlex(a.alphabet, max(0, a.states - 1))
        assert rank(a) == len(full_rank_block(lambda x: score(a, x), strings))


@each
@some_cases(st.data())
def test_the_hankel_block_of_the_certificate_has_full_rank(k, data):
    least = minimise(data.draw(automata(k, most_states=4)))
    hankel = block(least.automaton, least.certificate.prefixes, least.certificate.suffixes)
    assert hankel.determinant != 0 and len(hankel) == least.automaton.states
    for row, p in zip(hankel.values, hankel.prefixes, strict=True):
        for value, s in zip(row, hankel.suffixes, strict=True):
            assert value == score(least.automaton, p + s)


@each
@some_cases(st.data())
def test_minimising_twice_changes_nothing(k, data):
    least = minimise(data.draw(automata(k, most_states=4))).automaton
    assert minimise(least).automaton == least


@some_cases(automata(REAL, most_states=3), automata(REAL, most_states=3))
def test_the_rank_of_a_sum_is_at_most_the_sum_of_the_ranks(a, b):
    assert rank(operations.sum_of(a, b)) <= rank(a) + rank(b)
    assert rank(operations.sum_of(a, operations.scale(a, -1))) == 0


@few_cases(automata(BOOLEAN, most_states=4, epsilon="cyclic"))
def test_the_minimal_dfa_accepts_the_same_strings_with_one_state_per_residual(a):
    least = minimise(a).automaton
    assert is_deterministic(least) and isinstance(equivalent(a, least), Equivalent)
    # The Myhill-Nerode classes are those of strings with different continuations. Strings without accepted
    # continuations are not counted.
    strings, rests = shortlex(a.alphabet, 4), shortlex(a.alphabet, 4)
    seen = {tuple(bool(score(a, p + s)) for s in rests) for p in strings} - {(False,) * len(rests)}
    assert len(seen) <= least.states
    if a.states <= 2:  # at most 4 sets of states: strings of length 4 reach and distinguish all of them
        assert len(seen) == least.states


@some_cases(automata(BOOLEAN, most_states=4), automata(BOOLEAN, most_states=3))
def test_two_automata_of_one_language_have_an_identical_minimal_dfa(a, b):
    same = isinstance(equivalent(a, b), Equivalent)
    assert (minimal(a) == minimal(b)) == same


@some_cases(automata(BOOLEAN, most_states=4, epsilon="cyclic"))
def test_brzozowski_finds_the_same_minimal_dfa(a):
    twice = determinise(operations.reverse(determinise(operations.reverse(a))))
    assert operations.trim(twice).states == minimal(a).states


def test_other_semirings_are_refused():
    tropical = WFSA(MAX_PLUS, [0], [0], {"a": [[1]]})
    with pytest.raises(
        InputError, match="minimise: the semiring must be real, counting or boolean, got max-plus"
    ):
        minimise(tropical)
    with pytest.raises(InputError, match="the rank: the semiring must be real or counting, got max-plus"):
        rank(tropical)


def test_a_network_of_two_equal_units_has_the_rank_of_one():
    rows = [[1, 1, 1], [0, "1/2", 0], [0, 0, "1/2"]]
    twins = WFSA(REAL, [1, 0, 0], [0, 1, 1], {"a": rows, "b": rows})
    assert check_certificate.verdict(minimise(twins).certificate.to_json()) == "minimal"
    assert rank(twins) == 2
    assert all(score(minimise(twins).automaton, x) == score(twins, x) for x in product("ab", repeat=5))


@few_cases(st.data())
def test_a_certificate_of_minimality_needs_every_string(data):
    a = data.draw(automata(REAL, most_states=4))
    certificate = minimise(a).certificate.to_json()
    assume(certificate["prefixes"])
    which = data.draw(st.sampled_from(["prefixes", "suffixes"]))
    certificate[which] = certificate[which][:-1]
    with pytest.raises(ValueError, match="strings are given"):
        check_certificate.verdict(certificate)


def test_the_minimal_dfa_does_not_depend_on_the_previous_order_of_the_alphabet():
    arrows = [(0, 1, "a", True), (0, 2, "b", True), (1, 1, "a", True), (2, 2, "b", True)]
    one, other = (
        WFSA.from_edges(BOOLEAN, 3, order, [(0, True)], [(1, True), (2, True)], arrows)
        for order in ("ab", "ba")
    )
    assert minimal(one.over("ba")) == minimal(other)


@pytest.mark.parametrize("prime", [2**127 - 1, (2**127 - 1) * (2**107 - 1) * (2**89 - 1) * (2**61 - 1)])
def test_weights_that_vanish_modulo_well_known_primes_are_accepted(prime):
    for weight in (prime, Fraction(1, prime)):
        least = minimise(WFSA(REAL, [1], [weight], {"a": [[weight]]}))
        assert check_certificate.verdict(least.certificate.to_json()) == "minimal"


@pytest.mark.parametrize("bits", [100, 479, 966, 1937])
def test_numbers_of_any_length_are_lifted(bits):
    """For these bit lengths, the bound on the digits is just below the product of the primes of one batch."""
    x, y = 2**bits - 1, 2**bits - 3
    one, other = (WFSA(COUNTING, [v], [w], {"a": [[1]]}) for v, w in ((x, y), (y, x)))
    assert isinstance(equivalent(one, other), Equivalent)
    assert rank(WFSA(COUNTING, [x, y], [1, 1], {"a": [[1, 0], [0, 1]]})) == 1


def same_blocks(n, table, final):
    """Assert that Hopcroft's algorithm gives the same blocks as a partition refined in rounds over all
    states.
    """
    block = hopcroft(n, final, [dict(enumerate(targets)) for targets in table])
    classes, count = [q in final for q in range(n)], 0
    while count < len(set(classes)):
        count = len(set(classes))
        classes = [(classes[q], *(classes[targets[q]] for targets in table)) for q in range(n)]
    return all((block[p] == block[q]) == (classes[p] == classes[q]) for p in range(n) for q in range(n))


@some_cases(st.data())
def test_hopcrofts_blocks_are_the_coarsest_partition(data):
    n, symbols = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 6))
    row = st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    table = data.draw(st.lists(row, min_size=symbols, max_size=symbols))
    assert same_blocks(n, table, data.draw(st.sets(st.integers(0, n - 1))))


def test_hopcrofts_blocks_if_a_symbol_leads_to_few_states_of_a_block():
    """The block is split by the transitions to all states of the splitter, not only to the first."""
    assert same_blocks(12, [[10, 11, 10, 8, 0, 10, 5, 7, 8, 1, 10, 7]], {1, 2, 8, 9, 10, 11})


def test_a_determinant_is_for_fields():
    with pytest.raises(
        InputError, match="a determinant needs a real or counting automaton, got one over the max-plus"
    ):
        block(WFSA(MAX_PLUS, [0], [0], {"a": [[1]]}), [""], [""])


def test_a_single_epsilon_transition_does_not_slow_minimisation_down():
    """The products of 4 dense matrices of 60 states are computed over integers, not fractions."""
    rng = np.random.default_rng(0)
    tables = {x: rng.integers(-9, 10, (60, 60)).tolist() for x in "abcd"}
    silent = [[Fraction(int((i, j) == (0, 1)), 3) for j in range(60)] for i in range(60)]
    a = WFSA(REAL, rng.integers(-9, 10, 60).tolist(), rng.integers(-9, 10, 60).tolist(), tables, silent)
    plain = operations.remove_epsilon(a)
    assert plain.matrix("a")[7, 1] == tables["a"][7][1] + Fraction(tables["a"][7][0], 3)
    assert isinstance(equivalent(a, plain), Equivalent)


def test_a_block_of_full_rank_reads_the_prefix_before_the_suffix():
    """The entries of the block are H[p, s] = f(ps), for an f with different values on "ab" and "ba"."""
    first_b = lambda x: Fraction((x + "b").index("b") * 7 + len(x))
    hankel = full_rank_block(first_b, shortlex("ab", 2))
    assert len(hankel) > 2
    assert hankel.values == tuple(tuple(first_b(p + s) for s in hankel.suffixes) for p in hankel.prefixes)
    assert any(first_b(p + s) != first_b(s + p) for p in hankel.prefixes for s in hankel.suffixes)


def test_progress_is_reported():
    told = []
    minimise(WFSA(REAL, [1, 1], [1, 1], {"a": [[1, 0], [0, 1]]}), told.append)
    assert told == ["1 of 2 dimensions", "1 of 1 dimensions"]
