"""Random affine forms of the checker of regions, with points inside them in exact arithmetic."""

from fractions import Fraction
from math import isqrt

import numpy as np

from ratproof.checkers.check_regions import ONE, Form

UNIT = Fraction(1, 1 << 24)
"""Largest relative error of a float32 operation."""


def directions(rng: np.random.Generator, size: int, box: bool, count: int = 6) -> list[list[Fraction]]:
    """Return random vectors with a norm of at most 1, and mostly of about 1.

    The norm is the maximum norm if ``box`` is true, and otherwise the 2-norm.
    """
    result = []
    for _ in range(count):
        v = [int(x) for x in rng.integers(-100, 101, size)]
        if box:
            result.append(
                [Fraction((x > 0) - (x < 0)) if rng.random() < 0.9 else Fraction(x, 100) for x in v]
            )
        else:
            length = Fraction(isqrt(sum(x * x for x in v) << 80) + 1, 1 << 40)
            result.append([x / length for x in v])
    return result


def at(form: Form, xi: list[Fraction]) -> Fraction:
    """Return the value of a form at ``xi``, without its error term."""
    return form.c + sum((g * x for g, x in zip(form.g, xi, strict=True)), Fraction(0))


def random_form(
    rng: np.random.Generator, xis: list[list[Fraction]], box: bool, scale: float = 1.0
) -> tuple[Form, list[Fraction]]:
    """Return a random form without a rounding allowance, and its exact value for each direction.

    The form's bounds are the extreme values, or farther apart.
    """
    center, generators, error = (
        int(rng.normal() * scale * ONE),
        [int(x * ONE) for x in rng.normal(size=len(xis[0])) * scale * 10.0 ** rng.uniform(-4, 0.3)],
        int(abs(rng.normal()) * scale * 10.0 ** rng.uniform(-6, -0.5) * ONE),
    )
    form = Form(center, generators, error, box)
    form.e = error
    values = [at(form, xi) + int(rng.integers(-1, 2)) * error for xi in xis]
    margin = int(rng.integers(0, 2)) * error
    form.low, form.high = int(min(values) // 1) - margin, int(-(-max(values) // 1)) + margin
    return form, values


def encloses(form: Form, xi: list[Fraction], value: Fraction) -> bool:
    """Return whether the form contains this exact value in the direction ``xi``."""
    return form.low <= value <= form.high and abs(value - at(form, xi)) <= form.e
