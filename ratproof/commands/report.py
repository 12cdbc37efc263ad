"""The report on the terminal: a table within 100 columns, and each counterexample as a person would write
it.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from automata.printable_text import write_string
from ratproof.commands.proof_text import paragraphs
from ratproof.record.kinds import Verdict
from ratproof.record.ledger import TOO_SHORT, left_out_in_words
from ratproof.record.results import Result
from ratproof.runner.verification import Outcome
from theory.claim import KERNEL

COLOURS = {Verdict.HOLDS: "green", Verdict.REFUTED: "cyan", Verdict.UNKNOWN: "yellow"}


def show(outcome: Outcome, out: Console, proofs: bool = False, claims_file: str | None = None) -> None:
    """Print the table, the counterexamples (and the proofs), what went wrong, and one line that sums up.

    For claims of ratproof's own (without ``claims_file``), also that torch networks did not run on a GPU,
    where they did not.
    """
    out.print(table(outcome.results))
    for result in outcome.results:
        if proofs and result.certificate is not None and result.certificate.get("type") == "induction":
            _show_proof(result, result.certificate, out)
    for result in _one_a_variant(outcome.results):
        _show_counterexample(
            result, out, "" if claims_file is None else f" --claims {shlex.quote(claims_file)}"
        )
    for result in outcome.results:
        if (
            result.verdict == Verdict.REFUTED
            and result.counterexample is None
            and (proofs or result.kind != KERNEL)
        ):
            out.print()
            what = "a theorem refutes it" if result.kind == KERNEL else "no automaton"
            out.print(Text(f"{result.claim}, {result.variant}: {what}", style="bold"))
            out.print(Padding(Text(result.why), (0, 0, 0, 2)))
    for result in outcome.results:
        for line in _remarks(result):
            out.print(Text(line))
    _tell_certificates(outcome.results, out)
    for result in outcome.results:
        if not result.as_expected:
            why = f": {result.why}" if result.why else ""
            line = (
                f"{result.claim}, {result.variant}, {result.kind}: expected {result.expected}, found"
                f" {result.verdict}{why}"
            )
            out.print(Text(line, style="red"))
    for error in outcome.errors:
        out.print(Text(f"error: {error}", style="red"))
    for why, told in _not_run(outcome).items():
        out.print(Text(f"{told}: not run: {why}"))
    if claims_file is None and outcome.results and not any(r.device == "cuda" for r in outcome.results):
        out.print(Text("The networks ran on the CPU; on cuda: not run (--device cuda).", style="dim"))
    for note in outcome.notes:
        out.print(Text(f"note: {note}"))
    out.print(summary(outcome))


def table(results: Sequence[Result]) -> Table:
    """A row for each claim, variant and kind."""
    made = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("claim", "variant", "evidence", "verdict"):
        made.add_column(name, no_wrap=True)
    for name in ("cases", "seconds", "of bound"):
        made.add_column(name, justify="right", no_wrap=True)
    last: tuple[str, str] | None = None
    for result in results:
        claim, variant = result.claim, result.variant
        shown = ("" if last and last[0] == claim else claim, "" if last == (claim, variant) else variant)
        last = (claim, variant)
        verdict = Text(
            str(result.verdict), style=COLOURS[result.verdict] if result.as_expected else "bold red"
        )
        if not result.as_expected:
            verdict.append(f", not {result.expected}")
        kind = (
            result.kind
            + ("" if result.device in (None, "cpu") else f" ({result.device})")
            + (" (text)" if "text" in result.facts else "")
            + (" (rules)" if "rules" in result.facts else "")
        )
        share = "" if result.share is None else f"{result.share:.2f}" if result.share >= 0.005 else "<0.01"
        made.add_row(*shown, kind, verdict, f"{result.cases:,}", f"{result.seconds:.1f}", share)
    return made


def summary(outcome: Outcome) -> Text:
    """One line: how many results were as expected, and how many were not."""
    good = sum(r.as_expected for r in outcome.results)
    cases = sum(r.cases for r in outcome.results)
    line = f"{good} of {len(outcome.results)} verdicts as expected, {cases:,} cases"
    if outcome.interrupted:
        line += "; interrupted, so this is not all"
    return Text(line, style="bold green" if outcome.as_expected else "bold red")


def _not_run(outcome: Outcome) -> dict[str, str]:
    """By the reason, the kinds of evidence that could not run here, and for how many variants."""
    reasons = dict.fromkeys(told["why"] for told in outcome.not_run)
    kinds_by_reason = {}
    for why in reasons:
        kinds = [told["kind"] for told in outcome.not_run if told["why"] == why]
        kinds_by_reason[why] = ", ".join(
            f"{kind} ({kinds.count(kind)} variants)" for kind in dict.fromkeys(kinds)
        )
    return kinds_by_reason


def _one_a_variant(results: Sequence[Result]) -> list[Result]:
    """For each refuted variant the result with the simplest counterexample, among those that show that no
    other automaton does if any do.

    Of equals, the one that comes with a certificate.
    """
    best: dict[tuple[str, str], Result] = {}
    for result in sorted((r for r in results if r.counterexample is not None), key=_plainness):
        best.setdefault((result.claim, result.variant), result)
    return [r for r in results if r in best.values()]


def _show_proof(result: Result, proof: dict[str, Any], out: Console) -> None:
    out.print()
    out.print(Text(f"{result.claim}, {result.variant}: proof", style="bold"))
    for says, formulas in paragraphs(proof):
        out.print(Padding(Text(says), (0, 0, 0, 2)))
        for formula in formulas:
            out.print(Padding(Text(formula), (0, 0, 0, 6)))


def _plainness(result: Result) -> tuple[Any, ...]:
    assert result.counterexample is not None
    kind = "" if result.certificate is None else result.certificate.get("type")
    return (
        kind not in ("hankel", "range"),
        *result.counterexample.simplicity,
        result.certificate is None,
        result.kind != "exhausted",
    )


def _show_counterexample(result: Result, out: Console, option: str) -> None:
    counterexample = result.counterexample
    assert counterexample is not None
    out.print()
    out.print(Text(f"{result.claim}, {result.variant}: counterexample", style="bold"))
    out.print(Text(f"  {counterexample.sentence()}"))
    certificate = result.certificate
    if certificate is not None and certificate.get("type") == "hankel":
        block = (
            f"the Hankel block of {_strings(certificate['prefixes'])} by {_strings(certificate['suffixes'])}"
        )
        out.print(Text(f"  and {certificate['says']}: {block} has determinant {certificate['determinant']}"))
    if certificate is not None and certificate.get("type") == "range":
        out.print(
            Text(
                f"  and {certificate['says']}: from its single states it scores"
                f" {', '.join(certificate['scores'])}"
            )
        )
    if result.kept is not None:
        out.print(Text(f"  ratproof replay {shlex.quote(result.kept)}{option}", style="dim"), soft_wrap=True)


def _tell_certificates(results: Sequence[Result], out: Console) -> None:
    written = [result.certificate_file for result in results if result.certificate_file is not None]
    if written:
        what = "a certificate" if len(written) == 1 else f"{len(written)} certificates"
        out.print(f"\n{what} of decided verdicts, which a short independent program checks:")
        out.print(
            Text(
                f"  ratproof check-certificate {written[0]}" + (" ..." if len(written) > 1 else ""),
                style="dim",
            ),
            soft_wrap=True,
        )


def _strings(strings: Sequence[Sequence[str]]) -> str:
    return "{" + ", ".join(map(write_string, strings)) + "}"


def chance(facts: dict[str, Any]) -> str:
    """What a test on counts is worth: how rare false alarms are, and what it finds."""
    return (
        f"{facts['runs']:,} sampled runs of each string; that any of at most {facts['tests']:,} counts gives"
        f" a false alarm has probability {facts['false_alarm']:g} at most; a probability that is off by"
        f" {facts['finds']:.3f} is found 999 times in 1,000"
    )


def _remarks(result: Result) -> list[str]:
    """What the row in the table does not say: what the verdict is about, and what was not compared."""
    facts, who = result.facts, f"{result.claim}, {result.variant}"
    told = (
        [f"{who}: {facts['on_numbers']['says']}"]
        if result.verdict == Verdict.HOLDS and "on_numbers" in facts
        else []
    )
    told += [f"{who}, {result.kind}: ran {facts['module']}"] if "module" in facts else []
    left = left_out_in_words(facts, but=frozenset({TOO_SHORT}))
    if left and result.cases:  # without a case, why it is unknown says it
        told.append(f"{who}, {result.kind}: {left}")
    return [*_longer_remarks(result), *(["", *told] if told else [])]


def _longer_remarks(result: Result) -> list[str]:
    facts = result.facts
    if "false_alarm" in facts:
        return ["", f"{result.claim}, {result.variant}: {chance(facts)}"]
    if "rules" in facts:
        return [
            "",
            (
                f"{facts['rules']}: {facts['labels']} labels, {facts['states']} states, rank {facts['rank']},"
                f" {facts['words']:,} words; all sentences, in {facts['dtype']}, which does not round: all"
                f" numbers are whole and at most {facts['largest']:,}"
            ),
        ]
    if "text" not in facts:
        return []
    lacking = f"; {facts['words_without_vector']:,} of {facts['words']:,} words have no vector of their own"
    return [
        "",
        f"{facts['text']}: {facts['prefixes']:,} prefixes of {facts['sentences']:,} sentences,"
        f" {facts['units']} units, {facts['scores_compared']:,} scores; the largest difference used"
        f" {result.share or 0:.3f} of its bound"
        + (lacking if facts["words_without_vector"] else "")
        + (
            f"; {facts['scores_without_bound']:,} scores might overflow and were not compared"
            if facts["scores_without_bound"]
            else ""
        ),
    ]
