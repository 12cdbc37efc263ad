"""Tests of the gain of constructed sigmoid networks, which is sufficient and not much larger than
required.
"""

from fractions import Fraction
from itertools import product

import flint
import pytest
import torch

from neural.sigmoid_automaton import SigmoidAutomatonRNN
from theory.expressivity.omlin_giles import (
    BITS,
    HALF,
    LARGE,
    automaton_of,
    ball,
    boxes,
    gain_and_error,
    interval,
    is_stable,
    maps,
    sigmoid,
)
from theory.weights import Weights

SIZES = range(2, 7)


def image(gain: Fraction, n: int, x: flint.arb) -> flint.arb:
    """Return a ball that contains sigma(H (n x - 1/2))."""
    return sigmoid(ball(gain) * (n * x - ball(HALF)))


@pytest.mark.parametrize("n", SIZES)
def test_the_iterated_worst_case_error_converges_to_a_fixed_point_below_the_error(n):
    gain, e = gain_and_error(n)
    with flint.ctx.workprec(BITS):
        x = flint.arb(0)
        for _ in range(400):
            before, x = x, image(gain, n, x)
            assert x < ball(e)
        assert abs(x - before) < 1e-9
    assert is_stable(gain, n, e) and n * e < HALF


@pytest.mark.parametrize("n", SIZES)
def test_a_gain_that_is_one_half_smaller_has_no_fixed_point_below_one_half(n):
    """Every x of [0, 1/(2 n)] is mapped above itself, so the worst-case error leaves the interval."""
    gain, pieces = gain_and_error(n)[0] - HALF, 4000
    with flint.ctx.workprec(BITS):
        for i in range(pieces):
            low, high = (Fraction(j, 2 * n * pieces) for j in (i, i + 1))
            assert image(gain, n, interval(low, high)) > ball(high)


def test_every_dfa_with_two_states_and_letters_follows_its_boxes_but_not_with_half_the_gain():
    failed = 0
    for a, b in product(product(range(2), repeat=2), repeat=2):
        case = automaton_of(2, LARGE).example()
        delta = {x: tuple(map(Fraction, row)) for x, row in zip("ab", (a, b), strict=True)}
        for gain in (gain_and_error(2)[0], gain_and_error(2)[0] / 2):
            w = Weights(case.over, "ab", {"delta": delta, "H": gain}, case.size)
            lost = any(boxes.step(w, (q, ()), x)[0] != maps(w, x)[q] for q in range(2) for x in "ab")
            assert not lost or gain < gain_and_error(2)[0]
            failed += lost
    assert failed == 16


@torch.no_grad()
def test_a_network_follows_a_cycle_over_ten_thousand_symbols_only_with_a_large_gain():
    delta, word = torch.tensor([[1, 2, 3, 4, 0]]), torch.zeros(1, 10_000, dtype=torch.long)
    large = SigmoidAutomatonRNN(delta, float(gain_and_error(2)[0]))
    assert large(word)[0, -1].tolist() == [True, False, False, False, False]
    assert large(word)[0, -2].tolist() == [False, False, False, False, True]
    assert SigmoidAutomatonRNN(delta, 3.0)(word)[0, -1].sum() == 0


@pytest.mark.parametrize("power", [3, 100, 300])
def test_the_sigmoid_of_a_huge_number_has_a_small_ball(power):
    low, high = (sigmoid(ball(Fraction(sign * 10**power))) for sign in (-1, 1))
    assert abs(low) < 1e-300 and abs(high - 1) < 1e-15
