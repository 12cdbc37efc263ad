"""``cross-checked`` evidence, which compares the recurrence in exact fractions with OpenFst's scores."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from ratproof.evidence.lengths import OPENFST_LONGEST, OPENFST_RUN
from ratproof.evidence.random_cases import for_random_cases
from ratproof.implementations.implementation import ExactRecurrence, Implementation
from ratproof.implementations.openfst import OpenFstComparison, scorer_class
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.certified import requiring_certificate
from theory.claim import Claim, Effort, Variant


def cross_checked(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that OpenFst's scores of random strings equal the recurrence's values, within a derived bound.

    Raises:
        Disagreement: If a score differs.
        NotRun: If pynini is not installed.
    """
    assert isinstance(side, ExactRecurrence)
    scorer_class()
    few = replace(effort, strings=3, longest=OPENFST_LONGEST, run=OPENFST_RUN)

    def one_case(data: st.DataObject) -> None:
        case, some = side.case_and_strings(variant, few, data)
        agree(OpenFstComparison(claim.name, variant.name, case), some)

    name = f"{claim.name} {variant.name} cross-checked"
    with requiring_certificate(claim, variant):
        for_random_cases(name, effort.examples_of("cross-checked"), one_case)
