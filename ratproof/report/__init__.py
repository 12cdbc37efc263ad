"""The report of ``verify`` and ``check``: unexpected results, the table of verdicts, details and totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from automata.text.number_text import plural
from ratproof.evidence.ledger import TOO_SHORT, joined, left_out_in_words
from ratproof.ladder.outcome import Outcome
from ratproof.process.streams import WIDTH
from ratproof.report.details import show_details, show_refutation
from ratproof.report.ladder import WIDE, VariantRow, ladder, rows
from ratproof.report.lines import print_command, print_paragraph

__all__ = ["not_run_reasons", "show", "summary"]


def show(outcome: Outcome, out: Console, details: bool = False, claims_file: str | None = None) -> None:
    """Print the report.

    Args:
        outcome: The results to print.
        out: The console. Lines have at most 80 columns, except for commands to paste, and for the table on a
            terminal that is wide enough for full words.
        details: Whether to print proofs and counterexamples in full, and a row for every variant.
        claims_file: The file of the user's own claims, or ``None`` for the papers' claims. The report on the
            papers' claims also states on which device the networks ran.
    """
    out.width = WIDE if out.is_terminal and out.width >= WIDE else min(out.width, WIDTH)
    kept = () if outcome.other_device is None else outcome.other_device.results
    table = rows(outcome.results, outcome.not_run, kept)
    unexpected = [row for row in table if row.unexpected]
    _show_unexpected(unexpected, outcome.errors, out, claims_file)
    for line in ladder(table, out, claims_file, every_row=details or claims_file is not None):
        out.print(line)
    if details:
        for row in table:
            show_details(row, out, claims_file)
    for sentence in _sentences(outcome, own=claims_file is None, left_out=not details):
        print_paragraph(out, sentence)
    _print_certificates(outcome, out)
    style = "bold green" if outcome.as_expected else "bold red"
    print_paragraph(out, summary(outcome), style=style)


def _show_unexpected(
    unexpected: Sequence[VariantRow], errors: Sequence[str], out: Console, claims_file: str | None
) -> None:
    for row in unexpected:
        name = f"{row.claim.name}, {row.variant.name}"
        for verdict, kinds, why in _alike(row):
            expected = f'expected verdict "{row.variant.expected}", got "{verdict}"'
            line = f"unexpected: {name}: {expected} ({kinds}){why}"
            print_paragraph(out, line, style="bold red")
        show_refutation(row, out, claims_file)
        out.print()
    for error in errors:
        print_paragraph(out, f"error: {error}", style="red")


def _alike(row: VariantRow) -> list[tuple[str, str, str]]:
    """Return the unexpected verdicts and reasons of a row, each with the kinds of evidence that share it."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for result in row.results:
        if not result.as_expected:
            why = "" if result.counterexample is not None or not result.why else f"; {result.why}"
            kinds.setdefault((str(result.verdict), why), []).append(result.kind)
    return [(verdict, ", ".join(names), why) for (verdict, why), names in kinds.items()]


def summary(outcome: Outcome) -> str:
    """Return one line: the number of expected verdicts, the number of cases, and the unexpected variants."""
    good = sum(r.as_expected for r in outcome.results)
    cases = sum(r.counted for r in outcome.results)
    kind = "informative " if any(r.informative is not None for r in outcome.results) else ""
    counted = f"{cases:,} {kind}{'case' if cases == 1 else 'cases'}"
    line = f"{good} of {len(outcome.results)} verdicts as expected, {counted}"
    bad = dict.fromkeys(f"{r.claim} {r.variant}" for r in outcome.results if not r.as_expected)
    if bad:
        line += f"; unexpected: {', '.join(bad)}"
    if outcome.interrupted or outcome.stopped:
        why = "interrupted" if outcome.interrupted else "stopped at the first unexpected result"
        line += f"; {why}, so the results are incomplete"
    return line


def _sentences(outcome: Outcome, own: bool, left_out: bool) -> list[str]:
    """Return sentences about evidence that did not run, strings that were not compared, and other notes."""
    sentences = [f"{what}: not run: {why}" for why, what in not_run_reasons(outcome).items()]
    if own and outcome.results:
        sentences += _other_device(outcome)
    counts: dict[str, int] = {}
    for result in outcome.results if left_out else ():
        counts = joined(counts, result.facts.get("left_out", {})) if result.cases else counts
    none = sum(count for reason, count in counts.items() if reason != TOO_SHORT)
    if none and own:
        strings = "1 string was" if none == 1 else f"{none:,} strings were"
        sentences.append(f"Skipped: {strings} not compared, or only in part; --details lists the reasons.")
    elif none:
        words = left_out_in_words({"left_out": counts}, but=frozenset({TOO_SHORT}))
        sentences.append(f"Skipped: {words}.")
    return [*sentences, *(f"note: {note}" for note in outcome.notes)]


def _other_device(outcome: Outcome) -> list[str]:
    """Return sentences about the device on which the networks did not run."""
    if outcome.other_device is not None:
        return [outcome.other_device.sentence()]
    if all(result.device is None for result in outcome.results):
        return []  # no network ran in torch
    if outcome.device == "cpu":
        return ["Networks ran on the CPU only; use --device cuda to run them on a GPU."]
    return ["Networks ran on the GPU only."]


def not_run_reasons(outcome: Outcome) -> dict[str, str]:
    """Return the kinds of evidence that could not run, with the number of variants, grouped by reason."""
    reasons = dict.fromkeys(entry["why"] for entry in outcome.not_run)
    kinds_by_reason = {}
    for why in reasons:
        kinds = [entry["kind"] for entry in outcome.not_run if entry["why"] == why]
        kinds_by_reason[why] = ", ".join(
            f"{kind} ({plural(count, 'variant')})" for kind, count in Counter(kinds).items()
        )
    return kinds_by_reason


def _print_certificates(outcome: Outcome, out: Console) -> None:
    written = [result.certificate_file for result in outcome.results if result.certificate_file is not None]
    if written:
        what = "A certificate" if len(written) == 1 else f"{len(written)} certificates"
        out.print(f"{what} of decided verdicts, which a short independent program can check:")
        more = " ..." if len(written) > 1 else ""
        print_command(out, "ratproof check-certificate", f"{written[0]}{more}")
