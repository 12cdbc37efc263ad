"""Tests that Coq's definitions compute the same values as Python's.

A theorem about different definitions would prove nothing about our code.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ratproof.coq.evaluation import Case, Question, Values, evaluate
from theory.claim import Claim, Variant
from theory.registry import claims
from theory.signature import GENERIC_WEIGHTS, Signature, signatures_of

WORDS = ("", "a", "ba", "aab")
VariantCase = tuple[Claim, Variant, Case]
"""A claim, one of its variants, and a case of this variant."""


class OtherDefinitions(AssertionError):
    """Raised if Coq and Python compute different values, which shows that their definitions differ."""


def runnable_variants() -> list[tuple[Claim, Variant]]:
    """Return the variants whose theorems have a term that Coq can compute."""
    return [
        (claim, variant)
        for claim in claims().values()
        for variant in claim.variants
        if variant.theorem is not None
        and (variant.theorem.network or variant.theorem.automaton or variant.theorem.score)
    ]


@cache
def compare_definitions(root: Path) -> dict[tuple[str, str], tuple[int, str]]:
    """Compare the definitions of all variants.

    Return, for each claim and variant, the number of compared values and the first difference or "".
    """
    pairs = [(claim, variant, case) for claim, variant in runnable_variants() for case in some_cases(variant)]
    by_variant: dict[tuple[str, str], tuple[int, str]] = {}
    for (claim, variant, _), (values, difference) in zip(pairs, differences(pairs, root), strict=True):
        count, before = by_variant.get((claim.name, variant.name), (0, ""))
        by_variant[claim.name, variant.name] = count + values, before or difference
    return by_variant


def some_cases(variant: Variant, most: int = 3) -> list[Case]:
    """Return cases with generic weights over two letters: one for each of the ``most`` smallest sizes.

    Generic weights are not 0, because zeros would hide a transposed matrix. Sizes are small because a word
    cannot reach all units of a network that has more units than the word has symbols.
    """
    of_size = {signature.size: signature for signature in signatures_of(variant)}
    cases = [_generic_case(of_size[size]) for size in sorted(of_size, key=lambda size: size or ())[:most]]
    return [case for case in cases if case is not None]


def _generic_case(signature: Signature) -> Case | None:
    """Return a case with generic weights that satisfies the variant's hypothesis, or ``None``."""
    cases = (signature.generic("ab", first) for first in range(len(GENERIC_WEIGHTS)))
    return next((case for case in cases if signature.where is None or signature.where(case)), None)


def differences(pairs: Sequence[VariantCase], root: Path) -> list[tuple[int, str]]:
    """Return, for each case, the number of compared values and a description of a difference, or ""."""
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
    """Return the values of the network and the scores of the automaton that Python computes for the case."""
    network = [list(list(variant.reading.recurrence.values(case, word))[-1]) for word in WORDS]
    automata = variant.reading.construction(case)
    return Values(
        network, [[variant.reading.scores(automaton, word)[-1] for automaton in automata] for word in WORDS]
    )
