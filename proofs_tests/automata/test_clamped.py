"""Tests that networks with clamped scores are converted to equal automata, and that others are rejected."""

from fractions import Fraction

import pytest
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import prefix_scores
from automata.recurrences import clamped
from automata.recurrences.affine import NotAffine
from automata.recurrences.clamped import NotCounting, read_clamped
from automata.testing.strategies import strings
from proofs_tests.automata.examples import some_cases

N = 3
vector = st.lists(st.sampled_from([0, 0, 1, 2]), min_size=N, max_size=N).map(tuple)
matrix = st.tuples(vector, vector, vector)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def shown(bits):
    """Return two outputs that are computed from the clamped scores; neither is an affine function of them."""
    return (Fraction(min(bits)), Fraction(1 - max(bits), 3))


@some_cases(
    vector, matrix, matrix, st.tuples(vector, vector), st.lists(strings("ab", run=8), min_size=1, max_size=4)
)
def test_it_scores_the_output_of_the_network(start, a, b, ends, xs):
    tables = {"a": a, "b": b}

    def step(h, x):
        return tuple(dot(h, column) for column in zip(*tables[x], strict=True))

    units = read_clamped(start, step, lambda h: tuple(dot(h, end) for end in ends), shown, "ab")
    assert all(unit.states <= 2**N for unit in units)
    for string in xs:
        h, expected = start, []
        for x in [None, *string]:
            h = h if x is None else step(h, x)
            expected.append(shown(tuple(min(1, dot(h, end)) for end in ends)))
        assert list(zip(*(prefix_scores(unit, string) for unit in units), strict=True)) == expected


@pytest.mark.parametrize(
    ("start", "weight", "end"),
    [
        (-1, 1, 1),
        (1, -1, 1),
        (1, 1, -1),
        (Fraction(1, 2), 1, 1),
        (1, Fraction(1, 2), 1),
        (1, 1, Fraction(1, 2)),
    ],
)
def test_a_network_that_does_not_count_is_refused(start, weight, end):
    with pytest.raises(NotCounting, match=r"weights must be 0, 1, 2, \.\.\., got"):
        read_clamped((start,), lambda h, x: (weight * h[0],), lambda h: (end * h[0],), lambda bits: bits, "a")


def test_steps_and_scores_are_affine():
    for step, scores in (
        (lambda h, x: (h[0] * h[0],), lambda h: h),
        (lambda h, x: h, lambda h: (h[0] * h[0],)),
    ):
        with pytest.raises(NotAffine):
            read_clamped((1,), step, scores, lambda bits: bits, "a")


def test_more_sets_than_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr(clamped, "MOST_SUPPORTS", 3)
    shift = lambda h, x: (0, *h[:-1])
    assert read_clamped((1, 0), shift, lambda h: h, lambda bits: bits, "a")[0].states == 3
    with pytest.raises(InputError, match="sets of positive components must be at most 3"):
        read_clamped((1, 0, 0), shift, lambda h: h, lambda bits: bits, "a")
