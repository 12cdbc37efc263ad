"""The rung of the ladder: a variant's theorem, as the kernel accepts it."""

from __future__ import annotations

from automata.errors import InputError
from ratproof.coq.bond import OtherDefinitions, compare_definitions
from ratproof.coq.development import build
from ratproof.coq.programs import NoCoq, Rejected
from ratproof.coq.sources import statements
from ratproof.coq.theorems import theorem_answers
from ratproof.coq.ties import untied
from ratproof.evidence.counterexample import RefutedByTheorem
from ratproof.evidence.ledger import ledger
from ratproof.evidence.not_run import NotRun
from ratproof.implementations.implementation import ExactRecurrence, Implementation
from theory.claim import Claim, Effort, Variant


class NotAccepted(AssertionError):
    """The theorem is not there, it assumes something, or it says something else."""


def kernel_checked(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert the variant's theorem in ``theory/coq``, for every semiring, alphabet and size, as Coq's kernel
    accepts it.

    Raises:
        InputError: the claim is a user's, and nothing binds a theorem of ratproof's to it.
        RefutedByTheorem: the theorem refutes the variant.
        NotAccepted: it is not accepted.
    """
    if not isinstance(side, ExactRecurrence) or side.own:
        raise InputError(
            "nothing binds a theorem of ratproof's to a claim of your own: ratproof check has no way to show"
            " that it is kernel-checked"
        )
    accept(claim.name, variant)


def accept(claim: str, variant: Variant) -> None:
    """Assert that the kernel accepts the variant's theorem, with nothing assumed, that it gives what the
    variant says, and that its definitions compute what ours compute.

    Where some of them can be run: the facts say how many values were compared.

    Raises:
        RefutedByTheorem: it does, and the theorem refutes the variant.
        NotAccepted: it does not.
        OtherDefinitions: it does, and is about other definitions.
        NotRun: there is no Coq here.
    """
    theorem = variant.theorem
    if theorem is None:
        raise RuntimeError(f"{variant.name} names no theorem")
    if theorem.name not in statements():
        raise NotAccepted(f"there is no theorem {theorem.name} in theory/coq")
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
        raise NotAccepted(f"{theorem.name} does not give what {claim}, {variant.name} says of its terms")
    if differs:
        raise OtherDefinitions(differs)
    book = ledger()
    book.add(1 + values)
    book.facts["values_compared"] = values
    book.facts |= {
        "theorem": statement.name,
        "says": statement.says,
        "statement": answer.statement.text,
        "assumptions": answer.assumptions,
    }
    if theorem.refutes:
        raise RefutedByTheorem(f"{statement.name}: {statement.says}")
