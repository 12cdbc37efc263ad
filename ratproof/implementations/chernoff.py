"""A test of a count against a probability, with a guaranteed rate of false alarms over all tests.

Let C be the number of successes in N independent runs. Their probabilities may differ (Hoeffding 1963); let p
be the mean. By Chernoff's bound, P(C / N >= a) <= exp(-N KL(a || p)) for a >= p, and likewise below p, where
KL(a || p) = a log(a / p) + (1 - a) log((1 - a) / (1 - p)). Therefore P(N KL(C / N || p) >= t) <= 2 exp(-t).
The probability that any of M tests raises an alarm is at most 2 M exp(-t), which is one in a million for t =
log(2 M 10^6).

>>> round(threshold(480), 1)
20.7
>>> round(power(10_000, threshold(480)), 3)
0.051
"""

from __future__ import annotations

import math

FALSE_ALARM = 1e-6
"""Probability of any false alarm among all tests."""
MISSED = 1e-3
"""Probability of missing a deviation of the size that :func:`power` returns."""


def divergence(a: float, p: float) -> float:
    """Return KL(a || p) for Bernoulli distributions with probabilities a and p.

    It is infinite if p is 0 or 1 and a differs from p.
    """

    def term(x: float, y: float) -> float:
        return 0.0 if x == 0 else math.inf if y == 0 else x * math.log(x / y)

    return max(0.0, term(a, p) + term(1 - a, 1 - p))


def threshold(tests: int) -> float:
    """Return the threshold t above which :func:`surprise` raises an alarm, for this number of tests."""
    return math.log(2 * tests / FALSE_ALARM)


def surprise(count: int, runs: int, p: float, tolerance: float) -> float:
    """Return N KL(count / N || p'), where N is ``runs``.

    p' is the number within ``tolerance`` of p that is nearest to count / N. The result is 0 if count / N is
    itself within ``tolerance`` of p.
    """
    frequency = count / runs
    low, high = max(0.0, p - tolerance), min(1.0, p + tolerance)
    return 0.0 if low <= frequency <= high else runs * divergence(frequency, low if frequency < low else high)


def power(runs: int, most: float) -> float:
    """Return how far the actual probability must be from p, so that the test finds it in 999 of 1000 cases.

    Let N be ``runs`` and t the threshold ``most``. Because KL(a || p) >= 2 (a - p)^2, the test accepts only
    frequencies C / N within sqrt(t / 2N) of p. Except with probability 1 / 1000, C / N deviates from its own
    mean towards p by less than sqrt(log(1000) / 2N).
    """
    return math.sqrt(most / (2 * runs)) + math.sqrt(-math.log(MISSED) / (2 * runs))
