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

from hypothesis import HealthCheck, Phase, given, settings

from ratproof.coq.evaluation import Case, Question, Values, evaluate
from theory.claim import Claim, Variant
from theory.registry import claims
from theory.weights import Tree, Weights

WORDS = ("", "a", "ba", "aab")
VariantCase = tuple[Claim, Variant, Case]
"""A variant of a claim, and a case of it."""


class OtherDefinitions(AssertionError):
    """Coq computes another value than Python: its theorem is about something else."""


def runnable_variants() -> list[tuple[Claim, Variant]]:
    """The variants whose theorems have a term that Coq can compute."""
    return [
        (claim, variant)
        for claim in claims().values()
        for variant in claim.variants
        if variant.theorem is not None
        and (variant.theorem.network or variant.theorem.automaton or variant.theorem.score)
    ]


@cache
def compare_definitions(root: Path) -> dict[tuple[str, str], tuple[int, str]]:
    """For each variant that can be run, on some of its cases: the number of values compared, and the first
    difference, or an empty string.

    All in one run of Coq.
    """
    pairs = [(claim, variant, case) for claim, variant in runnable_variants() for case in some_cases(variant)]
    by_variant: dict[tuple[str, str], tuple[int, str]] = {}
    for (claim, variant, _), (values, difference) in zip(pairs, differences(pairs, root), strict=True):
        count, before = by_variant.get((claim.name, variant.name), (0, ""))
        by_variant[claim.name, variant.name] = count + values, before or difference
    return by_variant


def some_cases(variant: Variant, examples: int = 40, most: int = 3) -> list[Case]:
    """Cases over two letters, the same in every run: of each of the least sizes the one with the most weights
    other than 0 and 1.

    Zeros would hide a transposed matrix; a word cannot reach all units of a network larger than its length.
    """
    cases: list[Case] = []

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(variant.cases("ab"))
    def collect(case: Case) -> None:
        cases.append(shorten_fractions(case))

    collect()
    of_size = {case.n if case.size else 0: case for case in sorted(cases, key=_distinct_weights)}
    return [of_size[size] for size in sorted(of_size)[:most]]


def _distinct_weights(case: Case) -> int:
    """The number of different weights other than 0 and 1."""
    return len(set(re.findall(r"-?\d+(?:/\d+)?", case.describe())) - {"0", "1"})


def shorten_fractions(case: Case) -> Case:
    """The case with short fractions of the same sign in place of long ones: Coq's gcd of long numbers is
    slow.
    """

    def short(value: Tree) -> Tree:
        if isinstance(value, dict):
            return {key: short(part) for key, part in value.items()}
        if isinstance(value, tuple):
            return tuple(map(short, value))
        if not isinstance(value, Fraction) or max(abs(value.numerator), value.denominator) < 1000:
            return value
        fraction = Fraction(abs(value.numerator) % 7 + 1, value.denominator % 5 + 1)
        return fraction if value > 0 else -fraction

    return replace(case, entries=short(case.entries)) if isinstance(case, Weights) else case


def differences(pairs: Sequence[VariantCase], root: Path) -> list[tuple[int, str]]:
    """For each pair the number of values compared, and where Coq's differs from Python's; an empty string
    where none does.
    """
    ours = [_python_values(variant, case) for _, variant, case in pairs]
    questions = [
        Question(variant.theorem, case, WORDS, len(values.network[0]))
        for (_, variant, case), values in zip(pairs, ours, strict=True)
        if variant.theorem is not None and values.network is not None
    ]
    results = []
    for (claim, variant, case), python, coq in zip(pairs, ours, evaluate(questions, root), strict=True):
        count, difference = 0, ""
        for side in ("network", "automaton"):
            by_coq, by_python = getattr(coq, side), getattr(python, side)
            if by_coq is not None:
                count += sum(map(len, by_coq))
                if by_coq != by_python:
                    difference = (
                        f"{claim.name}, {variant.name}: Coq's {side} gives {by_coq}, Python's {by_python} on"
                        f" {WORDS}; {case.describe()}"
                    )
        results.append((count, difference))
    return results


def _python_values(variant: Variant, case: Case) -> Values:
    """The values that Python computes."""
    network = [list(list(variant.equality.recurrence.values(case, word))[-1]) for word in WORDS]
    automata = variant.equality.construction(case)
    return Values(
        network, [[variant.equality.scores(automaton, word)[-1] for automaton in automata] for word in WORDS]
    )
