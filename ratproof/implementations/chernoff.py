"""Counts against a probability: a test whose false alarms are as rare as one says, for so many tests, with
nothing asymptotic.

A count C of N independent runs has, by Chernoff's bound, P(C / N >= a) <= exp(-N KL(a || p)) for a >= p where
p is the mean of their probabilities (Hoeffding 1963: they may differ from run to run), and the same below p.
KL(a || p) = a log(a / p) + (1 - a) log((1 - a) / (1 - p)). So P(N KL(C / N || p) >= t) <= 2 exp(-t); with M
tests at most 2 M exp(-t) for any of them to alarm, which is one in a million for t = log(2 M 10^6).

>>> round(threshold(480), 1)
20.7
>>> round(power(10_000, threshold(480)), 3)
0.051
"""

from __future__ import annotations

import math

FALSE_ALARM = 1e-6
"""How probable any false alarm is, in all the tests that were counted together."""
MISSED = 1e-3
"""How probable it is that a deviation as large as :func:`power` says is not found."""


def divergence(a: float, p: float) -> float:
    """KL(a || p) of two Bernoulli laws; infinite where p is 0 or 1, and a is not."""

    def term(x: float, y: float) -> float:
        return 0.0 if x == 0 else math.inf if y == 0 else x * math.log(x / y)

    return max(0.0, term(a, p) + term(1 - a, 1 - p))


def threshold(tests: int) -> float:
    """What N KL may be, with so many tests in all."""
    return math.log(2 * tests / FALSE_ALARM)


def surprise(count: int, runs: int, p: float, apart: float) -> float:
    """N KL(count / N || p'), for the p' nearest to count / N that is within ``apart`` of p: 0 where count / N
    is as near itself.
    """
    frequency = count / runs
    low, high = max(0.0, p - apart), min(1.0, p + apart)
    return 0.0 if low <= frequency <= high else runs * divergence(frequency, low if frequency < low else high)


def power(runs: int, most: float) -> float:
    """A probability that is off by so much is found, but once in a thousand times.

    Since KL(a || p) >= 2 (a - p)^2, the test accepts within sqrt(t / 2N) of p; and C / N is within
    sqrt(log(1000) / 2N) of its own mean, to that side, but for one time in a thousand.
    """
    return math.sqrt(most / (2 * runs)) + math.sqrt(-math.log(MISSED) / (2 * runs))
