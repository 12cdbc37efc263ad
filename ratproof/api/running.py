"""Functions that run the evidence of a single claim."""

from __future__ import annotations

from automata.checks import checked_integer
from ratproof.api.report import Report, report_of, scripts_of
from ratproof.evidence.results import gather
from ratproof.evidence.subjects import Subject, SubjectStep, registered
from ratproof.ladder.environment import EXAMPLES
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.steps import Step
from ratproof.ladder.user_files import outcome_of, random_cases
from ratproof.ladder.verification import keep_evidence
from ratproof.report import show
from theory.claim import Claim


def check_claim(
    claim: Claim | Subject, examples: int = 100, seed: int | None = None, where: str = ""
) -> Report:
    """Run all evidence of a single claim, and return the report.

    Args:
        claim: The claim.
        examples: Number of random cases per kind of evidence.
        seed: Seed of the random cases. By default, every run has the same cases.
        where: The heading of the report. Defaults to the claim's name.

    Raises:
        InputError: If the number of examples or the seed is not an integer, or is too small.
    """
    examples = checked_integer("examples", examples)
    seed = None if seed is None else checked_integer("seed", seed, least=0)
    heading = where or claim.name
    with registered(claim):
        outcome = outcome_of([claim], "check", examples=examples, seed=seed)
        return report_of(outcome, lambda outcome, out: show(outcome, out, details=True, claims_file=heading))


def failure_of(step: Step | SubjectStep, file: str, examples: int | None, seed: int | None, test: str) -> str:
    """Run one kind of evidence of a claim, and return the report if the verdict is unexpected.

    The report ends with the script that reproduces the counterexample. The result is empty if the verdict is
    the expected one.

    Args:
        step: A claim and one kind of evidence for it.
        file: The path of the file with the claim.
        examples: Number of random cases.
        seed: Seed of the random cases. By default, every run has the same cases.
        test: The pytest id of the test.

    Raises:
        NotRun: If this machine cannot run this kind of evidence.
    """
    with registered(step.claim), random_cases(examples or EXAMPLES, derandomize=seed is None):
        results = gather(step.run(seed, test=test), seed)
        outcome = Outcome(results, notes=keep_evidence(results, seed))
        if outcome.as_expected:
            return ""
        report = report_of(outcome, lambda what, out: show(what, out, details=True, claims_file=file))
        return "\n\n".join([report.text, *scripts_of(results)])
