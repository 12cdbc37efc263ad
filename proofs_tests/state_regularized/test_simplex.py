"""Tests of section 3 of Wang & Niepert (2019): the norm of the simplex, and the index of equation 2."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

scores = st.lists(st.integers(-6, 6), min_size=2, max_size=5)


def exponential(score):
    """Return 2^score; the tests would hold for any positive function that distinguishes the scores."""
    return Fraction(2) ** score


@given(scores)
def test_a_distribution_has_the_1_norm_1_and_no_other(values):
    """The 2-norm and the maximum norm of a distribution on several elements are less than 1."""
    total = sum(map(exponential, values))
    alpha = [exponential(value) / total for value in values]
    assert sum(map(abs, alpha)) == 1
    assert sum(a**2 for a in alpha) < 1 and max(alpha) < 1


@given(scores)
def test_with_the_index_that_is_fixed_the_sum_is_k(values):
    """exp(b_i) over a sum of k times the same exp(b_i) is 1/k for any scores."""
    k = len(values)
    printed = [exponential(value) / sum(exponential(value) for _ in range(k)) for value in values]
    assert printed == [Fraction(1, k)] * k
    right = [exponential(value) / sum(map(exponential, values)) for value in values]
    assert (right == printed) == (len(set(values)) == 1)
