"""The HTML page of ``verify`` and ``check``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator

from automata.errors import InputError
from ratproof.evidence.counterexample import Counterexample, ScriptedCounterexample
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Result
from ratproof.html.page import (
    BAD,
    GOOD,
    UNSURE,
    Drawing,
    Finding,
    HtmlCell,
    HtmlPage,
    HtmlTable,
    cells,
    drawings_of,
    write_html,
)
from ratproof.ladder.outcome import Outcome
from ratproof.report import not_run_reasons, summary
from ratproof.report.ladder import VariantRow, rows
from ratproof.report.refutation import simplest

MOST_DRAWINGS = 12
"""Maximum number of counterexamples with drawings; unexpected counterexamples are drawn first."""
LONGEST_SCRIPT = 20_000
"""Maximum number of characters of a script that the page includes."""


def write_outcome(
    outcome: Outcome,
    file: str,
    title: str,
    command: str,
    reproduce: Callable[[Result], str],
    claims_file: str | None = None,
) -> None:
    """Write the page of a run of evidence; if that fails, record the reason in ``outcome.not_written``."""
    why = write_html(outcome_page(outcome, title, command, reproduce, claims_file), file)
    outcome.not_written = "; ".join(filter(None, (outcome.not_written, why)))


def outcome_page(
    outcome: Outcome,
    title: str,
    command: str = "",
    reproduce: Callable[[Result], str] | None = None,
    claims_file: str | None = None,
) -> HtmlPage:
    """Return the page of a run of evidence.

    Args:
        outcome: The results to show.
        title: Title of the page.
        command: The command that was run.
        reproduce: A function that returns the command that reproduces a result.
        claims_file: The file of the user's own claims, or ``None``.
    """
    different = [result.verdict for result in outcome.results if not result.as_expected]
    unsure = set(different) <= {Verdict.UNKNOWN} and not outcome.errors
    mark = GOOD if outcome.as_expected else UNSURE if unsure else BAD
    notes = [f"{what}: not run: {why}" for why, what in not_run_reasons(outcome).items()]
    return HtmlPage(
        title,
        "as expected" if outcome.as_expected else "not as expected",
        mark,
        [summary(outcome), *(f"error: {error}" for error in outcome.errors), *notes, *outcome.notes],
        command,
        list(_findings(rows(outcome.results, outcome.not_run), claims_file)),
        [_results_table(outcome.results, reproduce)],
    )


def _results_table(results: Iterable[Result], reproduce: Callable[[Result], str] | None) -> HtmlTable:
    header = ["Claim", "Variant", "Evidence", "Ran", "Expected", "Verdict", "Cases", "Seconds"]
    lines = []
    for result in results:
        line = cells(result.claim, result.variant, result.kind, result.device or result.ran or "")
        mark = UNSURE if result.verdict == Verdict.UNKNOWN else GOOD if result.as_expected else BAD
        line += [HtmlCell(result.expected), HtmlCell(result.verdict, mark)]
        line += cells(f"{result.counted:,}", f"{result.seconds:.1f}")
        lines.append(line if reproduce is None else [*line, HtmlCell(reproduce(result), code=True)])
    return HtmlTable("Results", header if reproduce is None else [*header, "Reproduce"], lines)


def _findings(table: Iterable[VariantRow], claims_file: str | None) -> Iterator[Finding]:
    """Yield each variant's refutation, unexpected refutations first, and the reasons for unknown results."""
    left = MOST_DRAWINGS
    for row in sorted(table, key=lambda row: not row.unexpected):
        title = f"{row.claim.name}, {row.variant.name}"
        title += f": expected {row.variant.expected}" if row.unexpected else ""
        best = simplest(row.results)
        if best is not None:
            finding = _counterexample(title, best, claims_file, left > 0)
            left -= bool(finding.drawings)
            yield finding
        for result in row.results:
            unexplained = result.counterexample is None and result.why
            if unexplained and (result.verdict == Verdict.REFUTED or not result.as_expected):
                yield Finding(f"{title}, {result.kind}", f"{result.verdict}: {result.why}")


def _counterexample(title: str, result: Result, claims_file: str | None, draw: bool) -> Finding:
    counterexample = result.counterexample
    assert counterexample is not None
    command = ""
    if result.kept is not None and isinstance(counterexample, Counterexample):
        option = "" if claims_file is None else f" --claims {shlex.quote(claims_file)}"
        command = f"ratproof replay {shlex.quote(result.kept)}{option}"
    elif result.kept is not None:
        command = f"python {shlex.quote(result.kept)}"
    script = counterexample.program("") if isinstance(counterexample, ScriptedCounterexample) else ""
    script = script if len(script) <= LONGEST_SCRIPT else ""
    drawings = _automata(counterexample) if draw and isinstance(counterexample, Counterexample) else []
    return Finding(f"{title}, {result.kind}", counterexample.sentence(), command, script, drawings)


def _automata(counterexample: Counterexample) -> list[Drawing]:
    """Return the automaton of the unit that differs, if it is small enough to draw."""
    from ratproof.ladder.counterexample_files import load

    try:
        automata = load(counterexample.to_json(), "counterexample").automata()
    except InputError:  # a user's own claim cannot be loaded here
        return []
    chosen = automata[counterexample.unit] if counterexample.unit < len(automata) else automata[0]
    return drawings_of({f"the automaton of unit {counterexample.unit}": chosen})
