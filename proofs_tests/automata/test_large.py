"""Tests that computations with large automata as lists of transitions agree with computations on arrays."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import strategies as st

from automata import batch
from automata.determinisation import minimal
from automata.equivalence import equivalent
from automata.equivalence.lumping import lump
from automata.errors import InputError, LimitReached
from automata.forward import forward, prefix_scores, score
from automata.hankel import hankel
from automata.operations import hadamard, remove_epsilon, reverse, sum_of, trim
from automata.reachability import dead_states
from automata.sampling import sample
from automata.semirings import BOOLEAN, REAL, SEMIRINGS
from automata.sparse_matrix import SMALL
from automata.sparse_runs import is_large
from automata.strings import prefixes
from automata.testing.strategies import automata, strings
from automata.tree import FOR_A_VECTOR, levels
from automata.wfsa import WFSA
from proofs_tests.automata.examples import few_cases, over

short = strings("ab", longest=5, run=8)
SIZE = SMALL + 6


@st.composite
def pairs(draw, k=REAL, **options):
    """Draw a small automaton, a copy with many useless states, and the indices of its states in the copy."""
    small = draw(automata(k, most_states=4, least_states=1, exact=not k.float_only, **options))
    positions = sorted(draw(st.permutations(range(SIZE)))[: small.states])
    others = [q for q in range(SIZE) if q not in positions]
    edges = [(positions[e.source], positions[e.target], e.symbol, e.weight) for e in small.edges()]
    if len(others) > 2 and draw(st.booleans()):  # dead ends and unreachable states
        edges += [(positions[0], others[0], "a", k.one), (others[1], positions[0], "b", k.one)]
    ends = [[(positions[q], w) for q, w in enumerate(part.tolist())] for part in (small.initial, small.final)]
    many = WFSA.from_edges(k, SIZE, small.alphabet, *ends, edges)
    return small, many if many.exact == small.exact else many.to_float(), positions


each = over(SEMIRINGS.values())


def close(k, one, other):
    return one == other if not k.float_only else one == pytest.approx(other, rel=1e-9, abs=1e-9)


@each
@few_cases(st.data())
def test_all_methods_give_the_same_scores(k, data):
    small, many, _ = data.draw(pairs(k, epsilon="acyclic"))
    x = data.draw(short)
    right = list(prefix_scores(small, x))
    assert is_large(many) or not many.exact
    for scores in (prefix_scores(many, x), batch.scores(many, prefixes(x))):
        assert all(close(k, one, two) for one, two in zip(right, scores, strict=True))
    assert close(k, score(many, x), right[-1]) and close(k, batch.scores(many, [x, x[:1]])[0], right[-1])
    assert close(k, score(reverse(many), x[::-1]), right[-1])
    assert close(k, score(remove_epsilon(many), x), right[-1])
    assert close(k, score(trim(many), x), right[-1])


@each
@few_cases(st.data())
def test_vectors_are_the_same(k, data):
    small, many, positions = data.draw(pairs(k, epsilon="acyclic"))
    x = data.draw(short)
    right, wide = forward(small, x), forward(many, x)[:, positions]
    assert all(close(k, one, two) for one, two in zip(right.flat, wide.flat, strict=True))


@each
@few_cases(st.data())
def test_all_strings_of_a_length_and_hankel_matrices(k, data):
    small, many, _ = data.draw(pairs(k, epsilon="acyclic"))
    with patch("automata.tree.MOST_CELLS", 1):  # limit the batch to one string at a time
        portions = list(levels(small, 3))
    for right, part, wide in zip(levels(small, 3), portions, levels(many, 3), strict=True):
        assert all(close(k, w, v) for w, v in zip(right, part, strict=True))
        assert all(close(k, w, v) for w, v in zip(right, wide, strict=True))
    strings_of = [data.draw(st.lists(short, max_size=3)) for _ in range(2)]
    matrix = hankel(many, *strings_of)
    assert matrix.shape == tuple(map(len, strings_of))
    for p, row in zip(strings_of[0], matrix, strict=True):
        exact = small if k.float_only else small.to_exact()
        assert all(close(k, score(exact, p + s), w) for s, w in zip(strings_of[1], row, strict=True))


def test_hankel_matrices_and_levels_of_a_hundred_thousand_states():
    n = 100_000
    chain = WFSA.from_edges(REAL, n, "ab", [(0, 1)], [(2, "1/3")], [(q, q + 1, "a", 2) for q in range(n - 1)])
    third = Fraction(4, 3)
    assert hankel(chain, ["", "a", "aa"], ["", "a"]).tolist() == [[0, 0], [0, third], [third, 0]]
    assert [np.count_nonzero(level) for level in levels(chain, 3)] == [0, 0, 1, 0]


@pytest.mark.parametrize(("n", "most"), [(2, 9), (SIZE, 2 * FOR_A_VECTOR + 4)], ids=["few", "many"])
def test_levels_and_hankel_matrices_stop_at_a_limit(n, most, monkeypatch):
    """Levels of up to one symbol are within the limit; the level of two symbols is not.

    A Hankel matrix may have as many weights as the limit, and no more.
    """
    steps = [(p, q, s, 1) for p in (0, 1) for q in (0, 1) for s in "ab"]
    both = WFSA.from_edges(REAL, n, "ab", [(0, 1)], [(1, 1)], steps)
    monkeypatch.setattr("automata.wfsa.MOST_EXACT_CELLS", most)
    got = levels(both, 4)
    assert [len(next(got)) for _ in range(2)] == [1, 2]
    with pytest.raises(LimitReached, match=f"must have at most {most} weights, got"):
        list(got)
    assert hankel(both, [""], [""] * most).shape == (1, most)
    with pytest.raises(
        LimitReached, match=f"the Hankel matrix must have at most {most} weights, got {most + 1}"
    ):
        hankel(both, [""], [""] * (most + 1))


@few_cases(pairs(), pairs(), short)
def test_sums_and_products_of_large_automata(one, other, x):
    assert score(sum_of(one[1], other[1]), x) == score(sum_of(one[0], other[0]), x)
    assert score(hadamard(one[1], other[0]), x) == score(hadamard(one[0], other[0]), x)


@few_cases(pairs(BOOLEAN, epsilon="acyclic"), pairs(BOOLEAN), st.booleans())
def test_sets_of_states_are_equal_to_bit_sets(one, two, same):
    """The minimal deterministic automaton and the decision agree, for few states and for many."""
    (small, many, _), (_, other, _) = one, one if same else two
    for a, b in [(many, other), (other, many)]:
        bits = minimal(a), equivalent(a, b)
        with (
            patch("automata.determinisation.FEW_STATES", 0),
            patch("automata.equivalence.pairs.FEW_STATES", 0),
        ):
            assert bits == (minimal(a), equivalent(a, b))
    assert minimal(many) == minimal(small)


@few_cases(pairs(), st.randoms())
def test_transitions_are_stored_by_position(one, random):
    """The result does not depend on the order of the input, and contains the stored values."""
    _, many, _ = one
    edges = list(many.edges())
    random.shuffle(edges)
    ends = [list(enumerate(part.tolist())) for part in (many.initial, many.final)]
    assert WFSA.from_edges(REAL, SIZE, many.alphabet, *ends, edges) == many
    dense = WFSA(REAL, many.initial, many.final, {s: many.matrix(s) for s in many.alphabet})
    assert dense == many and list(dense.edges()) == list(many.edges())
    assert dense.transitions == many.transitions == len(edges)


@few_cases(pairs(BOOLEAN))
def test_strings_are_drawn_from_large_automata(one):
    small, many, _ = one
    drawn = []
    for automaton in (small, many):
        try:
            drawn.append(sample(automaton, 5, 3, np.random.default_rng(0)))
        except InputError as error:
            drawn.append(str(error))
    assert drawn[0] == drawn[1]


def test_a_large_automaton_is_never_an_array():
    """A chain of 100,000 states is built and scored; as an array it would not fit in memory."""
    n = 100_000
    chain = WFSA.from_edges(REAL, n, "ab", [(0, 1)], [(2, "1/3")], [(q, q + 1, "a", 2) for q in range(n - 1)])
    assert score(chain, "aa") * 3 == 4 and trim(chain).states == 3
    with pytest.raises(LimitReached, match="must have at most 33,554,432 weights, got 20,000,000,000"):
        _ = chain.matrices


def test_a_long_chain_of_epsilon_is_followed():
    n = 5_000
    chain = WFSA.from_edges(REAL, n, "a", [(0, 1)], [(n - 1, 1)], [(q, q + 1, "", 1) for q in range(n - 1)])
    assert score(chain, "") == 1 and score(reverse(chain), "") == 1


@each
@few_cases(st.data())
def test_large_automata_that_differ_only_in_numbering_are_lumped(k, data):
    """The partition is the coarsest, for any order in which states are refined."""
    _, many, _ = data.draw(pairs(k))
    order = np.array(data.draw(st.permutations(range(SIZE))))
    edges = [(order[e.source], order[e.target], e.symbol, e.weight) for e in many.edges()]
    ends = [list(zip(order, part.tolist(), strict=True)) for part in (many.initial, many.final)]
    other = WFSA.from_edges(k, SIZE, many.alphabet, *ends, edges)
    answer = lump(many, other if many.exact else other.to_float())
    assert answer is not None
    if answer.certificate is not None:
        lumped = answer.certificate
        assert lumped.through.states == len(set(_coarsest(many).values()))


def _coarsest(automaton):
    """Return the coarsest stable partition, refined in rounds over all states."""
    k, live = automaton.semiring, np.flatnonzero(~dead_states(automaton)).tolist()
    classes = {q: automaton.final[q] for q in live}
    count = 0
    while count < len(set(classes.values())):
        count = len(set(classes.values()))
        looks = {}
        for q in live:
            into = {}
            for e in automaton.edges():
                if e.source == q and e.target in classes:
                    key = e.symbol, classes[e.target]
                    into[key] = k.plus(into[key], e.weight) if key in into else e.weight
            looks[q] = classes[q], frozenset((key, w) for key, w in into.items() if w != k.zero)
        classes = looks
    return classes
