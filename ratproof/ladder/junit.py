"""Conversion of the results of a run to a JUnit file, which CI services display."""

from __future__ import annotations

from xml.etree import ElementTree

from automata.text.printable_text import printable
from ratproof.evidence.results import Result
from ratproof.ladder.outcome import Outcome


def junit(outcome: Outcome, name: str) -> bytes:
    """Return a JUnit test suite, as XML, with this name and a test for each result.

    A test fails if its verdict is not the expected one. Evidence that cannot run on this machine is skipped.

    >>> junit(Outcome([]), "my_claim.py").decode().splitlines()[1]
    '<testsuite name="my_claim.py" tests="0" failures="0" skipped="0" errors="0" />'
    """
    name = printable(name)
    unexpected = [result for result in outcome.results if not result.as_expected]
    troubles = [*outcome.errors, *(["interrupted: results are incomplete"] if outcome.interrupted else [])]
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(outcome.results) + len(outcome.not_run) + len(troubles)),
        failures=str(len(unexpected)),
        skipped=str(len(outcome.not_run)),
        errors=str(len(troubles)),
    )
    for result in outcome.results:
        test = _test(suite, result.claim, f"{result.variant}: {result.kind}", result.seconds)
        if not result.as_expected:
            ElementTree.SubElement(test, "failure", message=_message(result))
    for row in outcome.not_run:
        test = _test(suite, row["claim"], f"{row['variant']}: {row['kind']}")
        ElementTree.SubElement(test, "skipped", message=printable(row["why"]))
    for trouble in troubles:
        ElementTree.SubElement(_test(suite, name, "the run"), "error", message=printable(trouble))
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"


def _test(suite: ElementTree.Element, group: str, name: str, seconds: float = 0.0) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=group, name=name, time=f"{seconds:.3f}")


def _message(result: Result) -> str:
    details = result.counterexample.sentence() if result.counterexample is not None else result.why
    message = f"expected {result.expected}, the verdict is {result.verdict}"
    return f"{message}: {printable(details)}" if details else message
