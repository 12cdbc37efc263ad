"""Tests that every permutation of n <= 5 items is a product of n - 1 reflections."""

from fractions import Fraction
from itertools import permutations

import pytest

from theory.expressivity.delta_product import permutations as signature
from theory.expressivity.householder_products import (
    following,
    one_hot,
    permutation,
    reflected,
    sorting,
    swapping,
)
from theory.registry import claim_named
from theory.weights import Weights


def case(n: int, index: int) -> Weights:
    """Return the weights of one letter with this permutation."""
    return signature(n).example("a").changed(order={"a": Fraction(index)})


@pytest.mark.parametrize("n", range(1, 6))
def test_every_permutation_is_a_product_of_n_minus_1_reflections(n):
    for index, images in enumerate(permutations(range(n))):
        w = case(n, index)
        factors = swapping(w, "a")
        assert len(factors) == n - 1 and permutation(n, index) == images == following(w, "a")
        for beta, key in factors:  # a reflection has beta |k|² = 2, and a key of 0 changes nothing
            assert beta * sum(part * part for part in key) in (0, 2)
        for state in range(n):
            h = one_hot(w, state)
            for factor in factors:
                h = reflected(w, h, factor)
            assert h == one_hot(w, images[state])


@pytest.mark.parametrize("n", range(2, 7))
def test_a_cycle_needs_n_minus_1_swaps(n):
    cycle = (*range(1, n), 0)
    assert sum(p != q for p, q in sorting(range(1, n), cycle)) == n - 1


def test_a_projection_maps_two_states_to_their_mean_which_is_no_state():
    """Its beta |k|² is 1, which the claim allows."""
    w, half = case(2, 1), Fraction(1, 2)
    ((beta, key),) = swapping(w, "a")
    assert {reflected(w, one_hot(w, q), (half * beta, key)) for q in range(2)} == {(half, half)}
    assert claim_named("householder-products").statement.endswith("to the same one-hot state.")
