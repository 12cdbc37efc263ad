"""Run the evidence of one claim of a user's."""

from __future__ import annotations

from ratproof.api.report import Report, report_of
from ratproof.evidence.subjects import Subject, registered
from ratproof.ladder.user_files import outcome_of
from ratproof.report import show
from theory.claim import Claim


def check_claim(
    claim: Claim | Subject, examples: int = 100, seed: int | None = None, where: str = ""
) -> Report:
    """Check one claim of a user's.

    Args:
        claim: the claim.
        examples: random cases a rung.
        seed: of fresh random cases; without, the same in every run.
        where: what it is about, for the report's heading; the claim's name without.
    """
    heading = where or claim.name
    with registered(claim):
        outcome = outcome_of([claim], "check", examples=examples, seed=seed)
        return report_of(outcome, lambda outcome, out: show(outcome, out, details=True, claims_file=heading))
