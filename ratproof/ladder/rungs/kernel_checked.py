"""``kernel-checked`` and ``kernel-checked-reals`` evidence: theorems that Coq's kernel accepts."""

from __future__ import annotations

from automata.errors import InputError
from ratproof.coq.bond import OtherDefinitions, compare_definitions
from ratproof.coq.development import build
from ratproof.coq.programs import NoCoq, Rejected
from ratproof.coq.real_theorems import ask_theory, real_statements, theory_of
from ratproof.coq.reals import NoLibrary
from ratproof.coq.sources import Statement, statements
from ratproof.coq.theorems import TheoremAnswer, theorem_answers
from ratproof.coq.ties import untied
from ratproof.evidence.counterexample import RefutedByTheorem
from ratproof.evidence.ledger import ledger
from ratproof.evidence.not_run import NotRun
from ratproof.implementations.implementation import ExactRecurrence, Implementation
from theory.claim import Claim, Effort, Variant


class NotAccepted(AssertionError):
    """Raised if a theorem is missing, has assumptions, or states something else."""


def kernel_checked(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that Coq's kernel accepts the variant's theorem in ``theory/coq``.

    The theorem covers every semiring, alphabet and size.

    Raises:
        InputError: If the claim is a user's own, because no theorem of ratproof is linked to it.
        RefutedByTheorem: If the theorem refutes the variant.
        NotAccepted: If the kernel does not accept the theorem.
    """
    _require_known_theorem(side, "kernel-checked")
    accept(claim.name, variant)


def _require_known_theorem(side: Implementation, kind: str) -> None:
    if not isinstance(side, ExactRecurrence) or side.own:
        raise InputError(
            f"{kind} is not supported for your own claims, because no theorem of ratproof is linked to them"
        )


def accept(claim: str, variant: Variant) -> None:
    """Assert that Coq's kernel accepts the variant's theorem without assumptions.

    The theorem must imply the statement of the variant, and its definitions must compute the same values as
    those in ``theory``. If some definitions can be evaluated, the facts contain the number of compared
    values.

    Raises:
        RefutedByTheorem: If the theorem is accepted and refutes the variant.
        NotAccepted: If the theorem is not accepted.
        OtherDefinitions: If the theorem is accepted, but its definitions differ from those in ``theory``.
        NotRun: If Coq is not installed.
    """
    theorem = variant.theorem
    if theorem is None:
        raise RuntimeError(f"{variant.name} must have a theorem")
    if theorem.name not in statements():
        raise NotAccepted(f"the theorem {theorem.name} does not exist in theory/coq")
    try:
        root = build()
        answer = theorem_answers(root)[theorem.name]
        loose = (claim, variant.name) in untied(root)
        values, differs = compare_definitions(root).get((claim, variant.name), (0, ""))
    except NoCoq as error:
        raise NotRun(str(error)) from None
    except Rejected as error:
        raise NotAccepted(str(error)) from None
    statement = statements()[theorem.name]
    problem = answer.problem(statement)
    if problem:
        raise NotAccepted(problem)
    if loose:
        raise NotAccepted(
            f"{theorem.name} does not imply the statement of {claim}, {variant.name} about its terms"
        )
    if differs:
        raise OtherDefinitions(differs)
    current_ledger = ledger()
    current_ledger.add(1 + values)
    current_ledger.facts["values_compared"] = values
    _conclude(statement, answer, theorem.refutes)


def kernel_checked_reals(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that Coq's kernel accepts the variant's theorem in ``theory/coq_reals``.

    The theorem must have exactly the axioms of its theory, and imply the proposition that the variant
    records.

    Raises:
        InputError: If the claim is a user's own, because no theorem of ratproof is linked to it.
        RefutedByTheorem: If the theorem is accepted and refutes the variant.
        NotAccepted: If the theorem is not accepted.
        NotRun: If Coq or the library that the theorem needs is not installed.
    """
    _require_known_theorem(side, "kernel-checked-reals")
    theorem = variant.real_theorem
    if theorem is None:
        raise RuntimeError(f"{variant.name} must have a theorem over the real numbers")
    try:
        answers = ask_theory(theory_of(theorem.name), build())
    except (NoCoq, NoLibrary) as error:
        raise NotRun(str(error)) from None
    except Rejected as error:
        raise NotAccepted(str(error)) from None
    problem = answers.problem(theorem.name)
    if problem:
        raise NotAccepted(problem)
    if (claim.name, variant.name) not in answers.tied:
        raise NotAccepted(f"{theorem.name} does not imply the statement of {claim.name}, {variant.name}")
    ledger().add(1)
    _conclude(real_statements()[theorem.name], answers.theorems[theorem.name], theorem.refutes)


def _conclude(statement: Statement, answer: TheoremAnswer, refutes: bool) -> None:
    """Record the accepted theorem, and raise :class:`RefutedByTheorem` if it refutes the variant."""
    ledger().facts |= {
        "theorem": statement.name,
        "says": statement.says,
        "statement": answer.statement.text,
        "assumptions": answer.assumptions,
    }
    if refutes:
        raise RefutedByTheorem(f"{statement.name}: {statement.says}")
