"""Tests that identities of polynomials over free semirings hold for all values of their variables."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import strategies as st

from automata.recurrences.polynomials import OPPOSITE, POLYNOMIALS, WORDS, Polynomial
from proofs_tests.automata.examples import some_cases

NAMES = "fcu"
MATRICES = {
    "f": np.array([[1, 2], [0, 1]], dtype=object),
    "c": np.array([[0, 1], [1, 3]], dtype=object),
    "u": np.array([[2, 0], [5, 1]], dtype=object),
}
"""Matrices that do not commute, as values of variables."""
NUMBERS = {
    "f": np.array([[2]], dtype=object),
    "c": np.array([[3]], dtype=object),
    "u": np.array([[7]], dtype=object),
}


def value(polynomial: Polynomial, of: dict[str, np.ndarray]) -> np.ndarray:
    """Return the value of a polynomial for matrices in place of its variables."""
    one = np.eye(len(of["f"]), dtype=int).astype(object)
    total = 0 * one
    for word, times in polynomial.terms.items():
        product = one
        for name in word:
            product = product @ of[name]
        total = total + times * product
    return total


def polynomials(free) -> st.SearchStrategy[Polynomial]:
    """Draw polynomials: sums and products of variables and natural numbers, as users write them."""
    leaves = st.sampled_from(NAMES).map(free.variable)
    numbers = st.integers(0, 3) | st.integers(0, 3).map(Fraction)
    return st.recursive(
        leaves,
        lambda parts: st.one_of(
            st.builds(lambda a, b: a + b, parts, parts | numbers),
            st.builds(lambda a, b: a + b, numbers, parts),
            st.builds(lambda a, b: a * b, parts, parts | numbers),
            st.builds(lambda a, b: a * b, numbers, parts),
        ),
        max_leaves=6,
    )


@pytest.mark.parametrize(("free", "of"), [(WORDS, MATRICES), (POLYNOMIALS, NUMBERS)], ids=["N<X>", "N[X]"])
@some_cases(data=st.data())
def test_substituting_matrices_preserves_sums_and_products(free, of, data):
    a, b = data.draw(polynomials(free)), data.draw(polynomials(free))
    number = data.draw(st.integers(0, 9))
    assert (value(a + b, of) == value(a, of) + value(b, of)).all()
    assert (value(a * b, of) == value(a, of) @ value(b, of)).all()
    for product in (number * a, a * number, Fraction(number) * a):
        assert (value(product, of) == number * value(a, of)).all()
    assert (value(number + a, of) == number * value(free.one, of) + value(a, of)).all()


@some_cases(st.data())
def test_the_opposite_multiplies_in_reverse_order(data):
    a, b = data.draw(polynomials(WORDS)), data.draw(polynomials(WORDS))
    assert OPPOSITE.times(a, b) == b * a == WORDS.times(b, a)


@pytest.mark.parametrize("weight", [-1, Fraction(1, 2), "f", None, 0.5])
def test_only_natural_numbers_combine_with_polynomials(weight):
    f = POLYNOMIALS.variable("f")
    for product in (lambda: f * weight, lambda: weight * f, lambda: f + weight):
        with pytest.raises(TypeError):
            product()
    assert not POLYNOMIALS.contains(weight) and f != weight


def test_words_do_not_combine_with_polynomials():
    with pytest.raises(TypeError, match="in commuting and in noncommuting variables cannot be combined"):
        POLYNOMIALS.variable("f") * WORDS.variable("f")
