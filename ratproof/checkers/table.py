"""The independent program for each kind of certificate, and a function that judges a certificate with it."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from automata.aliases import JsonObject
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
    check_regions,
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
"""The exceptions that a program raises for a certificate that does not prove its claim."""
DIGEST_DIGITS = 16
"""Number of hex digits of a digest that messages show."""


@dataclass(frozen=True)
class Judgement:
    """The judgement of the independent program on a certificate.

    Attributes:
        verdict: ``"accepted"``, ``"rejected"``, or ``"unknown"`` if the program's limits are exceeded.
        claims: The claim of the certificate; ``None`` unless accepted.
        why: The reason for the verdict, in words; ``None`` if accepted.
        about: The fields that describe what the certificate proves, with a sentence under ``says``; ``None``
            unless accepted.
    """

    verdict: str
    claims: str | None = None
    why: str | None = None
    about: JsonObject | None = None


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
        check_regions,
    )
}
"""The checker module for each value of the field ``about``.

:meta hide-value:
"""
WITHOUT_ABOUT = {"nodes": check_boxes, "boxes": check_invariant, "cell": check_hankel}
"""The programs for certificates without a field ``about``, by a field that these certificates have.

:meta hide-value:
"""


def checker_of(data: JsonObject) -> ModuleType:
    """Return the program for a certificate, by its field ``about``.

    Raises:
        ValueError: If no program checks such certificates.
    """
    if "about" in data:
        about = data["about"]
        if not isinstance(about, str) or about not in PROGRAMS:
            right = ", ".join(f'"{known}"' for known in PROGRAMS)
            raise ValueError(f"'about' must be one of {right}, got {about!r:.60}")
        return PROGRAMS[about]
    for field, program in WITHOUT_ABOUT.items():
        if field in data:
            return program
    first = data.get("A")
    of_field = isinstance(first, dict) and first.get("semiring") in ("real", "counting")
    return check_certificate if of_field else check_bisimulation


def judge(data: JsonObject) -> Judgement:
    """Check the certificate with its program."""
    try:
        program = checker_of(data)
        claims = program.verdict(data)
        return Judgement("accepted", claims, about=program.about(data))
    except TimeoutError as error:
        return Judgement("unknown", why=str(error))
    except MALFORMED as error:
        return Judgement("rejected", why=str(error) if type(error) is ValueError else f"malformed: {error!r}")


def automaton_digest(automaton: WFSA) -> str:
    """Return the SHA-256 of an automaton's exact weights, as the programs print it.

    It does not depend on the order of the symbols.

    >>> from automata.semirings import REAL
    >>> one, other = (WFSA(REAL, [1], [weight], {"a": [[2]]}) for weight in ("1/2", 0.5))
    >>> automaton_digest(one) == automaton_digest(other)
    True
    """
    exact = automaton if automaton.semiring.float_only else automaton.to_exact()
    return str(check_certificate.digest(check_certificate.normal(to_json(exact))))


def accepted_certificate(answer: Answer) -> JsonObject:
    """Return the result's certificate, if the independent program accepts it."""
    if isinstance(answer, Unknown) or answer.certificate is None:
        raise RuntimeError(f"the result has no certificate: {answer}")
    data = answer.certificate.to_json()
    if checker_of(data).verdict(data) != answer.verdict:
        raise RuntimeError(f"the certificate does not prove its claim: {answer}")
    return data
