"""Tests that every operation of the checker of regions encloses the exact image of each point.

The points include the largest rounding errors that the checker's premise allows.
"""

from fractions import Fraction
from itertools import product
from math import isqrt

import flint
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proofs_tests.papers.certification.forms import UNIT, at, directions, encloses, random_form
from ratproof.certification.ordinary_networks.arithmetic import tanh_line
from ratproof.checkers import check_regions
from ratproof.checkers.check_regions import ERROR_TERM, ONE, Box, Ellipsoid, Form, fixed

seeds = st.integers(0, 10**6)
booleans = st.booleans()
scales = st.sampled_from([1e-6, 0.1, 1.0, 30.0, 2.0**20, 2.0**57])
SIGNS = (-1, 0, 1)
FUNCTION = 8 * UNIT * ONE
"""Largest error of tanh and sigmoid, in the checker's units."""


def drawn(seed, box, number, scale, size=3):
    """Return directions, and forms with their values."""
    rng = np.random.default_rng(seed)
    xis = directions(rng, size, box)
    return xis, [random_form(rng, xis, box, scale) for _ in range(number)]


def real(function, value):
    """Return bounds on a function of a number, in the checker's units; they differ by far less than one
    unit.
    """
    with flint.ctx.workprec(400):
        ball = getattr(flint.arb(flint.fmpq(value.numerator, value.denominator * ONE)), function)() * ONE
        middle, radius = ball.mid(), ball.rad()
        fractions = []
        for part in (middle, radius):
            mantissa, exponent = part.man_exp()
            fractions.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
    assert fractions[1] < Fraction(1, 1 << 20)
    return fractions[0]


def sigmoid(value):
    return (ONE + real("tanh", value / 2)) / 2


@given(seeds, booleans, scales)
def test_sums_differences_and_products_are_enclosed(seed, box, scale):
    xis, ((x, values), (y, others)) = drawn(seed, box, 2, scale)
    for xi, v, w in zip(xis, values, others, strict=True):
        for result, exact in (
            (check_regions.add(x, y), v + w),
            (check_regions.sub(x, y), v - w),
            (check_regions.mul(x, y), v * w / ONE),
        ):
            for sign in SIGNS:
                assert encloses(result, xi, exact * (1 + sign * UNIT))


@settings(max_examples=40)
@given(seeds, booleans, st.sampled_from([1e-6, 1.0, 100.0]))
def test_convex_combinations_are_enclosed_however_they_are_computed(seed, box, scale):
    """The share is at most as far outside [0, 1] as the sigmoid's premise allows."""
    rng = np.random.default_rng(seed)
    xis, ((x, values), (y, others), (s, logits)) = drawn(seed, box, 3, scale)
    result, share = check_regions.blend(x, y, check_regions.sigmoid(s)), 0
    for xi, v, w, logit in zip(xis, values, others, logits, strict=True):
        for _ in range(4):
            a, b, c, d = (1 + int(rng.choice(SIGNS)) * UNIT for _ in range(4))
            share = (sigmoid(logit) + int(rng.choice(SIGNS)) * FUNCTION) / ONE
            for value in (
                (w + share * (v - w) * a * b) * c,
                (w + share * (v - w) * a) * c,
                ((1 - share) * a * w * b + share * v * c) * d,
                (v - (1 - share) * a * (v - w) * b * c) * d,
            ):
                assert encloses(result, xi, value)


@example(seed=0, share=1 + 8 * UNIT, large=0, small=ONE << 20)
@example(seed=0, share=-8 * UNIT, large=ONE << 20, small=0)
@given(
    seeds,
    st.sampled_from([-8 * UNIT, Fraction(0), Fraction(1), 1 + 8 * UNIT]),
    st.integers(-9 * ONE, 9 * ONE),
    st.integers(-9 * ONE, 9 * ONE),
)
def test_a_share_that_is_rounded_beyond_1_is_covered(seed, share, large, small):
    x, y = (Form(v, [0], 0, False, v, v) for v in (large, small))
    ends = int(share * ONE // 1) - 1, int(share * ONE // 1) + 1
    z = check_regions.blend(x, y, Form(ends[0], [0], 2, False, *ends))
    assert encloses(z, [Fraction(0)], small + share * (large - small))


@given(seeds, booleans, scales)
def test_activations_are_enclosed(seed, box, scale):
    xis, ((x, values),) = drawn(seed, box, 1, scale)
    results = [getattr(check_regions, name)(x) for name in ("tanh", "sigmoid", "relu")]
    for xi, v in zip(xis, values, strict=True):
        for sign in SIGNS:
            assert encloses(results[0], xi, real("tanh", v) + sign * FUNCTION)
            assert encloses(results[1], xi, sigmoid(v) + sign * FUNCTION)
        assert encloses(results[2], xi, max(v, Fraction(0)))


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 2**40))
@example(58, 58, 1)
@example(59, 3, 12345)
def test_slopes_are_rounded_safely_for_the_largest_intervals(below, above, odd):
    """A slope that is rounded by one unit moves the line by a millionth part of 2^20, and more beyond."""
    low, high = -(ONE << below) // 3 - odd, (ONE << above) // 7 + 3 * odd
    middle, half = (low + high) // 2, (high - low + 1) // 2
    x = Form(middle, [half], 0, False, low, high)
    x.e = ERROR_TERM  # so that the bounds are not narrower than the line
    results = [getattr(check_regions, name)(x) for name in ("relu", "sigmoid", "tanh")]
    for value in (low, 0, high):
        xi = [Fraction(value - middle, half)]
        exact = max(value, 0), sigmoid(Fraction(value)), real("tanh", Fraction(value))
        for form, image, error in zip(results, exact, (0, FUNCTION, FUNCTION), strict=True):
            assert abs(image - at(form, xi)) + error <= form.e


def float32s(rng, *shape, scale=1.0):
    return (rng.normal(size=shape) * scale).astype(np.float32).astype(float).tolist()


def hexadecimal(values):
    return [hexadecimal(v) for v in values] if isinstance(values, list) else values.hex()


@given(
    seeds,
    booleans,
    st.sampled_from([(1e-18, 2.0**45), (1e-12, 1.0), (1.0, 1.0), (1e3, 0.1)]),
    st.integers(2, 40),
)
def test_linear_maps_are_enclosed(seed, box, scales, terms):
    """Small weights are rounded to the checker's units, which matters for large values."""
    rng = np.random.default_rng(seed)
    scale, size = scales
    xis, pairs = drawn(seed, box, 3, size)
    weight, bias = float32s(rng, 2, 3, scale=scale), float32s(rng, 2, scale=scale)
    images = check_regions.linear(
        fixed(hexadecimal(weight), 2), fixed(hexadecimal(bias), 1), [form for form, _ in pairs], terms
    )
    for row, b, image in zip(weight, bias, images, strict=True):
        for xi, *xs in zip(xis, *(values for _, values in pairs), strict=True):
            parts = [Fraction(w) * x for w, x in zip(row, xs, strict=True)] + [Fraction(b) * ONE]
            rounding = (terms + 4) * UNIT * sum(map(abs, parts))
            for sign in SIGNS:
                assert encloses(image, xi, sum(parts) + sign * rounding)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_float32_number_is_rounded_down_by_less_than_a_unit(value):
    assert 0 <= Fraction(value) * ONE - fixed(value.hex()) < 1


@pytest.mark.parametrize(
    "text",
    [
        "0x1.0000000000000p+128",  # float32 is infinite
        "-0x1.0000000000000p+128",
        "0x1.8000000000000p-149",  # between subnormal numbers
        "0x1.0000000000000p-150",
        "0x0.0000000000001p-1022",
        "0x1.0000008000000p+0",
        "0x1.0p+0",
        "0X1.0000000000000p+0",
        " 0x1.0000000000000p+0",
        "0x1.0000000000000p+٠",
        "inf",
        "nan",
        "1",
        "",
        0,
        1.5,
        None,
        True,
        ["0x0.0p+0"],
    ],
)
def test_other_numbers_are_rejected(text):
    with pytest.raises(ValueError):
        fixed(text)


@pytest.mark.parametrize("value", [0.0, -0.0, 2.0**-149, -(2.0**-149), 3.4028234663852886e38, 0.5])
def test_the_extreme_float32_numbers_are_read(value):
    assert abs(Fraction(value) * ONE - fixed(value.hex())) < 1


wide = (
    st.integers(-20 * ONE, 20 * ONE) | st.integers(-(1 << 30), 1 << 30) | st.integers(-(1 << 110), 1 << 110)
)


@given(wide, st.integers(0, 3 * ONE) | st.integers(0, 1 << 30) | st.integers(0, 1 << 110), seeds)
def test_the_line_beside_tanh_has_the_error_that_it_states(low, width, seed):
    high = low + width
    slope, offset, error, *ends = check_regions.line(low, high)
    assert ends == [check_regions.tangent(low), check_regions.tangent(high)]
    assert 0 <= slope <= ONE and slope % 4 == 0
    rng = np.random.default_rng(seed)
    points = {low, high, *(low + int(width * share) for share in rng.random(4))}
    if 0 < slope < ONE:
        turn = int(np.arctanh(np.sqrt(1 - slope / ONE)) * ONE)
        points |= {x for x in (turn, -turn) if low <= x <= high}
    for x in points:
        gap = real("tanh", Fraction(x)) - Fraction(slope * x, ONE) - offset
        assert abs(gap) <= error + 8


@given(st.floats(-30, 30), st.floats(0, 3) | st.floats(0, 1e-5), seeds)
def test_the_line_of_the_search_has_the_error_that_it_states(low, width, seed):
    x = low + width * np.random.default_rng(seed).random(50)
    slope, offset, error = (float(part[0]) for part in tanh_line(np.array([low]), np.array([low + width])))
    assert 0 <= slope <= 1 and np.abs(np.tanh(x) - slope * x - offset).max() <= error + 1e-13


@given(seeds, st.integers(1, 5), st.sampled_from([1e-3, 0.3, 1.0, 50.0]))
def test_no_matrix_with_a_larger_norm_is_accepted(seed, size, scale):
    """The norm is at least the exact stretch of a vector."""
    rng = np.random.default_rng(seed)
    matrix = [[int(x * ONE) for x in row] for row in rng.normal(size=(size, size)) * scale]
    top = np.linalg.svd(np.array(matrix, float) / ONE)[0][:, 0]
    v = [int(x * 2**60) for x in top]
    stretched = [sum(a * b for a, b in zip(v, column, strict=True)) for column in zip(*matrix, strict=True)]
    length = isqrt(sum(x * x for x in stretched) // sum(x * x for x in v))
    assert not check_regions.shorter(matrix, length)
    assert not check_regions.shorter(matrix, max(length - ONE // 1000, 0))
    assert check_regions.shorter(matrix, length + length // 1000 + ONE // 10**4)


def test_a_wrong_factorisation_is_noticed(monkeypatch):
    """The checker bounds a norm by a factorisation L L^T, and rejects factors with a wrong product."""
    matrix = [[ONE // 2, 0], [ONE // 4, ONE // 2]]
    assert check_regions.shorter(matrix, ONE)
    for factor in (0.9, 1.1):
        monkeypatch.setattr(check_regions, "isqrt", lambda x, factor=factor: int(factor * isqrt(x)))
        assert not check_regions.shorter(matrix, ONE)


def random_factor(rng, size, spread=1.0):
    """Return the rows of an upper triangular float32 matrix, without zeros below the diagonal."""
    rows = np.triu(rng.normal(size=(size, size)) * spread)
    rows[np.diag_indices(size)] = np.exp(rng.normal(size=size) * spread)
    return [row[i:] for i, row in enumerate(rows.astype(np.float32).astype(float).tolist())]


def solve(upper, right):
    """Return the exact solution of a triangular system."""
    result = [Fraction(0)] * len(right)
    for i in reversed(range(len(right))):
        rest = right[i] - sum((upper[i][j] * result[j] for j in range(i + 1, len(right))), Fraction(0))
        result[i] = rest / upper[i][i]
    return result


@given(seeds, st.integers(1, 4), st.sampled_from([0.1, 1.0, 4.0]))
def test_the_forms_of_an_ellipsoid_contain_its_boundary(seed, size, spread):
    """Every point on the boundary is the inverse times a vector of length at most 1, exactly."""
    rng = np.random.default_rng(seed)
    center = [int(x * ONE) for x in rng.normal(size=size)]
    try:
        region = Ellipsoid(center, fixed(hexadecimal(random_factor(rng, size, spread)), 2))
    except ValueError:
        assert spread > 1  # the inverse is not accurate enough
        return
    forms = region.forms()
    for y in directions(rng, size, box=False):
        offset = solve(region.factor, [v * ONE * ONE for v in y])
        xi = solve(region.inverse, [v / 1 for v in offset])
        assert sum(x * x for x in xi) <= 1
        for form, c, x in zip(forms, center, offset, strict=True):
            assert encloses(form, xi, c + x)


@pytest.mark.parametrize("power", [0, 20, 33, 40, 60])
def test_an_ellipsoid_too_small_for_the_units_is_rejected(power):
    """If an ellipsoid is too small, the inverse of its factor has too few digits in the checker's units."""
    size = 3 * 2.0**power
    try:
        (form,) = Ellipsoid([0], fixed([[size.hex()]], 2)).forms()
    except ValueError:
        assert power > 30
        return
    assert power < 40 and form.g[0] * Fraction(size) >= ONE


@given(seeds, booleans, st.integers(1, 3), st.floats(0.2, 1.2))
def test_an_accepted_image_has_no_point_outside(seed, box, size, fill):
    """The largest deviations of the image are in its region, by exact arithmetic."""
    rng = np.random.default_rng(seed)
    xis = directions(rng, size, box, 12)
    pairs = [random_form(rng, xis, box, 0.3) for _ in range(size)]
    forms = [form for form, _ in pairs]
    if box:
        width = [int(fill * (f.high - f.low) / 2) for f in forms]
        region = Box([(f.low + f.high) // 2 for f in forms], width)
    else:
        generators = np.array([f.g for f in forms], float) / ONE
        errors = np.diag([f.e / ONE for f in forms]) + 1e-6 * np.eye(size)
        square = np.linalg.inv(generators @ generators.T + size * errors @ errors) / 4 / fill
        factor = np.linalg.cholesky(square).T
        rows = [row[i:] for i, row in enumerate(factor.astype(np.float32).astype(float).tolist())]
        region = Ellipsoid([f.c + f.e // 50 for f in forms], fixed(hexadecimal(rows), 2))
    if not region.contains(forms):
        return
    for index in range(len(xis)):
        xi = xis[index]
        for signs in product((-1, 1), repeat=size):
            values = [v[index] for _, v in pairs]
            if not box:  # the error is independent of the direction
                values = [at(f, xi) + s * f.e for f, s in zip(forms, signs, strict=True)]
            assert inside(region, values)


def inside(region, values):
    """Return whether a point is in a region, exactly."""
    offset = [v - c for v, c in zip(values, region.center, strict=True)]
    if isinstance(region, Box):
        return all(abs(x) <= w for x, w in zip(offset, region.width, strict=True))
    moved = [sum((a * x for a, x in zip(row, offset, strict=True)), Fraction(0)) for row in region.factor]
    return sum(x * x for x in moved) <= ONE**4


@settings(max_examples=20)
@given(seeds)
def test_most_images_that_fit_are_accepted(seed):
    """The tests above are not empty."""
    rng = np.random.default_rng(seed)
    forms = [Form(int(x * ONE), [ONE >> 4] * 2, ONE >> 20, False) for x in rng.normal(size=2)]
    ellipse = Ellipsoid([f.c for f in forms], fixed(hexadecimal([[4.0, 0.0], [4.0]]), 2))
    assert ellipse.contains(forms)
