"""The independent program for each kind of certificate, and its judgement."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from automata.equivalence import Answer, Unknown
from automata.io.json_format import to_json
from automata.wfsa import WFSA
from ratproof.checkers import (
    check_bisimulation,
    check_boxes,
    check_certificate,
    check_chain,
    check_counter,
    check_hankel,
    check_invariant,
)

FORMAT = check_certificate.FORMAT
MALFORMED = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    ArithmeticError,
    MemoryError,
    RecursionError,
)
"""The exceptions that a program raises on a certificate that does not show what it claims."""
SHOWN = 16
"""The number of a digest's 64 digits in texts for people."""


@dataclass(frozen=True)
class Judgement:
    """The judgement of the independent program on a certificate.

    Attributes:
        verdict: ``"accepted"``, ``"rejected"``, or ``"unknown"`` where checking it is more work than the
            program takes on.
        claims: what the certificate claims; ``None`` unless accepted.
        why: the reason in words; ``None`` if accepted.
        about: what was accepted, in full, with a sentence under ``says``; ``None`` unless accepted.
    """

    verdict: str
    claims: str | None = None
    why: str | None = None
    about: dict[str, Any] | None = None


PROGRAMS: dict[str, ModuleType] = {
    program.ABOUT: program
    for program in (
        check_certificate,
        check_bisimulation,
        check_chain,
        check_hankel,
        check_invariant,
        check_boxes,
        check_counter,
    )
}
"""The programs, by what the certificates are about that they check.

:meta hide-value:
"""
OLDER = {"nodes": check_boxes, "boxes": check_invariant, "cell": check_hankel}
"""The programs for certificates without a field ``about``, by a field that they have.

:meta hide-value:
"""


def checker_of(data: dict[str, Any]) -> ModuleType:
    """The program for a certificate: the one that its field ``about`` names.

    Raises ``ValueError`` where no program is for that.
    """
    if "about" in data:
        about = data["about"]
        if not isinstance(about, str) or about not in PROGRAMS:
            right = ", ".join(f'"{known}"' for known in PROGRAMS)
            raise ValueError(f"its field about is {about!r:.60}, where one of {right} is right")
        return PROGRAMS[about]
    for field, program in OLDER.items():
        if field in data:
            return program
    first = data.get("A")
    of_field = isinstance(first, dict) and first.get("semiring") in ("real", "counting")
    return check_certificate if of_field else check_bisimulation


def judge(data: dict[str, Any]) -> Judgement:
    """Have the certificate checked by its program."""
    try:
        program = checker_of(data)
        claims = program.verdict(data)
        return Judgement("accepted", claims, about=program.about(data))
    except TimeoutError as error:
        return Judgement("unknown", why=str(error))
    except MALFORMED as error:
        return Judgement(
            "rejected", why=str(error) if type(error) is ValueError else f"it is malformed: {error!r}"
        )


def automaton_digest(automaton: WFSA) -> str:
    """SHA-256 of an automaton, as the programs print it: of its exact weights; the order of its symbols does
    not count.

    >>> from automata.semirings import REAL
    >>> one, other = (WFSA(REAL, [1], [weight], {"a": [[2]]}) for weight in ("1/2", 0.5))
    >>> automaton_digest(one) == automaton_digest(other)
    True
    """
    exact = automaton if automaton.semiring.float_only else automaton.to_exact()
    return str(check_certificate.digest(check_certificate.normal(to_json(exact))))


def accepted_certificate(answer: Answer) -> dict[str, Any]:
    """The answer's certificate, which the independent program accepts."""
    if isinstance(answer, Unknown) or answer.certificate is None:
        raise RuntimeError(f"it is not decided: {answer}")
    data = answer.certificate.to_json()
    if checker_of(data).verdict(data) != answer.verdict:
        raise RuntimeError(f"the certificate does not show what it should: {answer}")
    return data
