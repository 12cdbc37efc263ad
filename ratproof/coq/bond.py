"""The bond between Coq's definitions and ours: on the weights of cases and on words both compute the same
values.

A theorem about other definitions than ours would prove nothing about us.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from ratproof.coq.evaluation import Question, Values, evaluate
from theory.claim import Claim, Variant
from theory.registry import claims
from theory.weights import Weights

WORDS = ("", "a", "ba", "aab")
Pair = tuple[Claim, Variant, Any]
"""A variant of a claim, and a case of it."""


class OtherDefinitions(AssertionError):
    """Coq computes another value than Python: its theorem is about something else."""


def runnable() -> list[tuple[Claim, Variant]]:
    """The variants whose theorems have something that can be run."""
    return [
        (claim, variant)
        for claim in claims().values()
        for variant in claim.variants
        if variant.theorem is not None
        and (variant.theorem.network or variant.theorem.automaton or variant.theorem.score)
    ]


@cache
def compared(root: Path) -> dict[tuple[str, str], tuple[int, str]]:
    """For each variant that can be run, on some of its cases: how many values were compared, and where one
    differs, if one does.

    All in one run of Coq.
    """
    pairs = [(claim, variant, case) for claim, variant in runnable() for case in some_cases(variant)]
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for (claim, variant, _), (values, wrong) in zip(pairs, differences(pairs, root), strict=True):
        count, before = found.get((claim.name, variant.name), (0, ""))
        found[claim.name, variant.name] = count + values, before or wrong
    return found


def some_cases(variant: Variant, drawn: int = 40, kept: int = 3) -> list[Any]:
    """Cases over two letters, the same in every run: of each of the least sizes the one with the most weights
    other than 0 and 1.

    Zeros would hide a matrix that is transposed; of larger networks than the words are long, words would not
    reach all.
    """
    found: list[Any] = []

    @settings(
        max_examples=drawn,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(variant.cases("ab"))
    def collect(case: Any) -> None:
        found.append(in_few_digits(case))

    collect()
    of_size = {case.n if case.size else 0: case for case in sorted(found, key=_telling)}
    return [of_size[size] for size in sorted(of_size)[:kept]]


def _telling(case: Any) -> int:
    """How many different weights other than 0 and 1 are written."""
    return len(set(re.findall(r"-?\d+(?:/\d+)?", case.describe())) - {"0", "1"})


def in_few_digits(case: Any) -> Any:
    """The case with short fractions of the same sign in place of long ones: Coq's gcd of long numbers is
    slow.
    """

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(part) for key, part in value.items()}
        if isinstance(value, tuple):
            return tuple(map(short, value))
        if not isinstance(value, Fraction) or max(abs(value.numerator), value.denominator) < 1000:
            return value
        made = Fraction(abs(value.numerator) % 7 + 1, value.denominator % 5 + 1)
        return made if value > 0 else -made

    return replace(case, entries=short(case.entries)) if isinstance(case, Weights) else case


def differences(pairs: Sequence[Pair], root: Path) -> list[tuple[int, str]]:
    """For each pair how many values were compared, and where Coq's differs from Python's; nothing where none
    does.
    """
    ours = [_of_python(variant, case) for _, variant, case in pairs]
    questions = [
        Question(variant.theorem, case, WORDS, len(values.network[0]))
        for (_, variant, case), values in zip(pairs, ours, strict=True)
        if variant.theorem is not None and values.network is not None
    ]
    told = []
    for (claim, variant, case), python, found in zip(pairs, ours, evaluate(questions, root), strict=True):
        count, wrong = 0, ""
        for side in ("network", "automaton"):
            by_coq, by_python = getattr(found, side), getattr(python, side)
            if by_coq is not None:
                count += sum(map(len, by_coq))
                if by_coq != by_python:
                    wrong = (
                        f"{claim.name}, {variant.name}: Coq's {side} gives {by_coq}, Python's {by_python} on"
                        f" {WORDS}; {case.describe()}"
                    )
        told.append((count, wrong))
    return told


def _of_python(variant: Variant, case: Any) -> Values:
    """What Python computes."""
    network = [list(list(variant.equality.recurrence.values(case, word))[-1]) for word in WORDS]
    automata = variant.equality.construction(case)
    return Values(
        network, [[variant.equality.scores(automaton, word)[-1] for automaton in automata] for word in WORDS]
    )
