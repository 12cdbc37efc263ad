"""A report as a Python object, with the text of its command and a view for notebooks."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from rich.console import Console

from automata.aliases import JsonObject
from automata.truth import NoTruthValue
from ratproof.evidence.counterexample import ScriptedCounterexample
from ratproof.evidence.results import Result
from ratproof.html.outcome_page import outcome_page
from ratproof.html.page import fragment
from ratproof.ladder.outcome import Outcome


@dataclass(frozen=True)
class Report(NoTruthValue):
    """The results of a check or a verification.

    Attributes:
        as_expected: Whether all evidence ran with the expected verdict.
        results: A result for each claim, variant and kind of evidence.
        data: The object that the command prints with ``--json``.
        text: The output of the command.
        html: The report for a notebook.
    """

    ask: ClassVar[str] = ".as_expected or .check()"

    as_expected: bool
    results: tuple[Result, ...]
    data: JsonObject = field(repr=False)
    text: str = field(repr=False)
    html: str = field(repr=False)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def to_json(self) -> JsonObject:
        """Return the object that the command prints with ``--json``."""
        return self.data

    def check(self) -> None:
        """Raise AssertionError with the report unless everything is as expected.

        The report ends with the scripts that reproduce the counterexamples.
        """
        __tracebackhide__ = True
        if not self.as_expected:
            raise AssertionError("\n\n".join([self.text, *scripts_of(self.results)]))


def scripts_of(results: Iterable[Result]) -> list[str]:
    """Return the standalone scripts that reproduce the counterexamples of kernels without ratproof."""
    counterexamples = (result.counterexample for result in results)
    scripts = [each.program("") for each in counterexamples if isinstance(each, ScriptedCounterexample)]
    return [script for script in scripts if script]


def report_of(outcome: Outcome, show: Callable[[Outcome, Console], None]) -> Report:
    """Return the report on the outcome of a run, with the text that ``show`` prints."""
    out = Console(file=io.StringIO(), record=True, width=80, markup=False, emoji=False, highlight=False)
    show(outcome, out)
    title = ", ".join(dict.fromkeys(result.claim for result in outcome.results)) or "report"
    html = fragment(outcome_page(outcome, title))
    text = out.export_text().rstrip()
    return Report(outcome.as_expected, tuple(outcome.results), outcome.to_json(), text, html)
