"""Networks that lie: to affine forms, to themselves, to whoever counts. None of them holds."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest

from automata.forms import Form
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import on_numbers
from ratproof.believe import believe
from ratproof.check import check
from ratproof.kinds import Verdict
from theory import registry

HALVES = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
"""c / 2, and 1 more for each a: what every liar below says that it is."""
COUNTS = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 1], [0, 1]]})
DOUBLES = WFSA(REAL, [1], [1], {"a": [[2]], "b": [[1]]})


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_brought", {})
    monkeypatch.setattr(on_numbers, "MOST_STEPS", 4000)  # fewer than for users, to be quick


def right(c, x):
    return c / 2 + (x == "a")


# --- steps that do to forms something else than to numbers


def looked_up(c, x):
    try:
        return {Fraction(7, 4): Fraction(99)}.get(c, right(c, x))
    except TypeError:
        return right(c, x)


def compared(c, x):
    try:
        return right(c, x) + (c > Fraction(3, 2) and c < Fraction(7, 4))
    except TypeError:
        return right(c, x)


def asked_for_its_value(c, x):
    try:
        return right(c, x) + (int(c * 2**20) == 1)
    except:  # noqa: E722
        return right(c, x)


def asked_for_its_denominator(c, x):
    return right(c, x) + (getattr(c, "denominator", 1) == 2**12)


def asked_for_its_numerator(c, x):
    try:
        return right(c, x) + (c.numerator == 2**12 - 1)
    except AttributeError:
        return right(c, x)


def written_down(c, x):
    return {"1365/1024": Fraction(5)}.get(str(c), right(c, x))


def written_in_a_sentence(c, x):
    return right(c, x) + (f"{c}" == "1365/1024")


def squared(c, x):
    try:
        return right(c, x) + (c * c == Fraction(49, 16))
    except TypeError:
        return right(c, x)


def rounded(c, x):
    try:
        return right(c, x) + (math.floor(c * 1024) == 1365)
    except TypeError:
        return right(c, x)


@lru_cache(maxsize=None)
def _remembered(c, x):
    return right(c, x) + (c == Fraction(7, 4))


def remembered(c, x):
    try:
        return _remembered(c, x)
    except TypeError:
        return right(c, x)


def known_by_its_type(c, x):
    return right(c, x) + (not isinstance(c, Form) and c == Fraction(1365, 1024))


def told_by_being_a_number(c, x):
    return right(c, x) + (isinstance(c, Fraction) and c == Fraction(1365, 1024))


# --- steps that are no functions


def counting_its_calls():
    calls = iter(range(10**9))
    return lambda c, x: right(c, x) + (next(calls) > 3000)


def counting_now_and_then():
    calls = iter(range(1, 10**9))
    return lambda c, x: right(c, x) + (next(calls) % 977 == 0)


def drawing_random_numbers():
    rng = random.Random(1)
    return lambda c, x: right(c, x) + (rng.random() < 1e-3)


def remembering_between_strings():
    seen = []

    def step(c, x):
        seen.append(x)
        return right(c, x) + (len(seen) > 200 and seen[-1:] * 60 == seen[-60:])

    return step


LIARS = [
    looked_up, compared, asked_for_its_value, asked_for_its_denominator, asked_for_its_numerator, written_down,
    written_in_a_sentence, squared, rounded, remembered, known_by_its_type, told_by_being_a_number, counting_its_calls(),
    counting_now_and_then(), drawing_random_numbers(), remembering_between_strings(),
]  # fmt: skip
REFUSED = LIARS[:10]


def decided(monkeypatch, *claims, kind="decided", **options):
    """The results of the decision, as ``ratproof check`` has them."""
    monkeypatch.setattr("ratproof.check.load", lambda path: {claim.name: registry.bring(claim) or claim for claim in claims})
    return check("mine.py", kind=kind, **options).results


def not_held(result):
    """It does not hold, and no certificate says that it does."""
    print(result.verdict, result.why, result.counterexample and result.counterexample.sentence())
    return result.verdict != Verdict.HOLDS and (result.certificate is None or result.certificate["claims"] == "different")


@pytest.mark.parametrize("step", LIARS, ids=lambda step: step.__qualname__.split(".")[0])
def test_a_step_that_lies_is_not_decided_to_hold(step, monkeypatch):
    (result,) = decided(monkeypatch, believe("liar", start=0, step=step, automaton=HALVES))
    assert not_held(result)
    if step in REFUSED:
        assert "nothing shows that the step by 'a' is affine" in result.why


def told_by_its_length(c, x):
    return c[0] + 1, c[1] + 1 + (isinstance(c[0], Fraction) and c[0] == 49)


def told_by_its_size(c, x):
    after = 2 * c if x == "a" else c
    return after + 1 if isinstance(c, Fraction) and c > 10**100 else after


def told_by_one_string(c, x):
    """It writes the string into its second number, in base three."""
    code = 3 * c[1] + (1 if x == "a" else 2)
    return right(c[0], x) + (isinstance(c[0], Fraction) and code == int("1212", 3)), code


def wrapping(c, x):
    return c * Fraction(np.int64(2)) if x == "a" else c


@pytest.mark.parametrize(
    ("start", "step", "out", "automaton", "string"),
    [
        ((0, 0), told_by_its_length, lambda c: c[1], COUNTS, "a" * 50),
        (1, told_by_its_size, None, DOUBLES, "a" * 334),
        ((0, 0), told_by_one_string, lambda c: c[0], HALVES, "abab"),
        (0, right, lambda c: c + (not isinstance(c, Form) and c == Fraction(1365, 1024)), HALVES, "abababababa"),
    ],
    ids=["at length 50", "of huge values", "on abab", "what it shows"],
)
def test_a_special_case_in_reach_is_refuted_by_the_least_string(start, step, out, automaton, string, monkeypatch):
    (result,) = decided(monkeypatch, believe("liar", start=start, step=step, out=out, automaton=automaton))
    assert not_held(result) and result.verdict == Verdict.REFUTED
    assert len(result.counterexample.string) == len(string) and result.kept is not None


def test_fractions_of_numpys_integers_are_refused_for_they_wrap_round(monkeypatch):
    (result,) = decided(monkeypatch, believe("liar", start=1, step=wrapping, automaton=DOUBLES))
    assert not_held(result) and "wraps round" in result.why
