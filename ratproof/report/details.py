"""The details of a variant: its evidence, proof, counterexample and remarks."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from automata.aliases import JsonObject
from automata.text.printable_text import write_string
from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.ledger import TOO_SHORT, left_out_in_words
from ratproof.evidence.results import Result
from ratproof.report.ladder import VariantRow
from ratproof.report.lines import print_command, print_paragraph
from ratproof.report.proof_text import paragraphs
from ratproof.report.refutation import simplest
from theory.claim import THEOREMS, TORCH


def show_details(row: VariantRow, out: Console, claims_file: str | None = None) -> None:
    """Print a variant's evidence, proof, counterexample and remarks, if any evidence ran."""
    if not row.results:
        return
    out.print()
    out.print(Text(f"{row.claim.name}, {row.variant.name}", style="bold"))
    for result in row.results:
        out.print(_numbers(result))
        if result.verdict == Verdict.HOLDS and "numbers" in result.facts:
            compared, elements = result.facts["numbers"]
            out.print(f"{'compared':>27}{compared / max(1, elements):>10.1%} of elements")
        if result.informative is not None and result.verdict != Verdict.REFUTED:
            out.print(f"{'informative':>27}{_cases(result.informative):>16}".rstrip())
            for fact, what in (("accepted", "accepted"), ("not_zero", "score not zero")):
                if result.cases and fact in result.facts:
                    out.print(f"{what:>27}{_cases(result.facts[fact]):>16}".rstrip())
    longest = [
        f"{_name(result)} {result.facts['longest']:,}"
        for result in row.results
        if result.verdict == Verdict.HOLDS and result.kind != "exhausted" and "longest" in result.facts
    ]
    if longest:
        print_paragraph(out, f"longest compared strings, in symbols: {', '.join(longest)}", by=2)
    for result in row.results:
        if result.certificate is not None and result.certificate.get("type") == "induction":
            _show_proof(result, result.certificate, out)
    if not row.unexpected:  # unexpected results are printed before the table
        show_refutation(row, out, claims_file)
    modules = dict.fromkeys(r.facts["module"] for r in row.results if "module" in r.facts)
    if modules:  # usually one module, which all kinds of evidence ran
        print_paragraph(out, f"tested: {'; '.join(modules)}", by=2)
    # a refuted result stopped at its counterexample, so its counts are not shown
    through = [r for r in row.results if r.verdict != Verdict.REFUTED]
    tests = [r.facts["test_strings"] for r in through if r.cases and "test_strings" in r.facts]
    if tests:
        number, which = tests[0]
        words = f"strings that distinguish the automaton from others: {number:,}, {which}"
        print_paragraph(out, words, by=2)
    for why in dict.fromkeys(r.facts["constant"] for r in row.results if "constant" in r.facts):
        print_paragraph(out, f"the variant's automata give all strings the same score: {why}", by=2)
    shares = _largest([r.facts.get("rounding", {}) for r in row.results])
    if shares:
        listed = " and ".join(f"{share:.0e} in {name}" for name, share in shares.items())
        words = f"rounding: the largest difference, relative to the size of the results, was {listed}"
        print_paragraph(out, words, by=2)
    sizes = _largest([r.facts.get("largest_sizes", {}) for r in through])
    if sizes:
        listed = ", ".join(f"{name} = {size:,}" for name, size in sizes.items())
        print_paragraph(out, f"largest sizes that ran: {listed}", by=2)
    for result in row.results:
        for line in _remarks(result):
            print_paragraph(out, line)


def _largest(facts: list[JsonObject]) -> JsonObject:
    return {name: max(own.get(name, 0) for own in facts) for fact in facts for name in fact}


def show_refutation(row: VariantRow, out: Console, claims_file: str | None = None) -> None:
    """Print a variant's simplest counterexample, and its refutations that have no counterexample."""
    best = simplest(row.results)
    if best is not None:
        option = "" if claims_file is None else f" --claims {shlex.quote(claims_file)}"
        _show_counterexample(best, out, option)
    for result in row.results:
        if result.verdict == Verdict.REFUTED and result.counterexample is None:
            _show_heading(result, _refutation(result), out)
            print_paragraph(out, result.why, by=2)


def _refutation(result: Result) -> str:
    """Return how a result without a counterexample was refuted.

    A variant that is expected to hold is refuted by a false assertion of a check that is written for it.
    """
    if result.kind in THEOREMS:
        return "refuted by a theorem"
    return "an assertion is false" if result.expected == Verdict.HOLDS else "no automaton exists"


def _cases(number: int) -> str:
    return f"{number:,} {'case ' if number == 1 else 'cases'}"


def _name(result: Result) -> str:
    """Return the kind of evidence, and the device if torch ran strings."""
    where = result.device if result.ran == TORCH else None
    return result.kind + (f" ({where})" if where is not None else "")


def _numbers(result: Result) -> Text:
    """Format a result's cases, seconds, and largest share of the rounding bound."""
    share = "" if result.share is None else f"{result.share:.0%}" if result.share >= 0.005 else "<1%"
    verdict = f"  {_name(result):16} {result.verdict!s}"
    line = f"{verdict}{_cases(result.cases):>{43 - len(verdict)}}{result.seconds:>9.1f} s"
    more = ""
    if result.verdict == Verdict.HOLDS:  # a counterexample shows the size of the difference itself
        more = f"{share:>7} of the bound" if share else ""
        if result.kind == "exhausted" and "longest" in result.facts:
            more = f"   up to length {result.facts['longest']}"
    return Text(line + more)


def _show_heading(result: Result, what: str, out: Console) -> None:
    out.print()
    out.print(Text(f"{result.claim}, {result.variant}: {what}", style="bold"))


def _show_proof(result: Result, proof: JsonObject, out: Console) -> None:
    _show_heading(result, "proof", out)
    for says, formulas in paragraphs(proof):
        print_paragraph(out, says, by=2)
        for formula in formulas:
            print_paragraph(out, formula, by=6)


def _show_counterexample(result: Result, out: Console, option: str) -> None:
    counterexample = result.counterexample
    assert counterexample is not None
    _show_heading(result, "counterexample", out)
    print_paragraph(out, counterexample.sentence(), by=2)
    for fact in ("layout", "shrinking"):
        if result.facts.get(fact):
            print_paragraph(
                out, f"but {result.facts[fact]}" if fact == "layout" else result.facts[fact], by=2
            )
    certificate = result.certificate
    if certificate is not None and certificate.get("type") == "hankel":
        block = (
            f"the Hankel block of {_strings(certificate['prefixes'])} by {_strings(certificate['suffixes'])}"
        )
        print_paragraph(
            out, f"and {certificate['says']}: {block} has determinant {certificate['determinant']}", by=2
        )
    if certificate is not None and certificate.get("type") == "range":
        scores = ", ".join(certificate["scores"])
        print_paragraph(out, f"and {certificate['says']}: the scores from each state are {scores}", by=2)
    if result.kept is not None and not isinstance(counterexample, Counterexample):
        print_command(out, "python", shlex.quote(result.kept))
    elif result.kept is not None:
        print_command(out, "ratproof replay", f"{shlex.quote(result.kept)}{option}")


def _strings(strings: Sequence[Sequence[str]]) -> str:
    return "{" + ", ".join(map(write_string, strings)) + "}"


def chance(facts: JsonObject) -> str:
    """Return a sentence on the false-alarm rate of a statistical test and the errors that it can detect."""
    return (
        f"{facts['runs']:,} sampled runs of each string; the probability of a false alarm in any of at most"
        f" {facts['tests']:,} counts is at most {facts['false_alarm']:g}; a probability that is wrong by"
        f" {facts['finds']:.3f} is found 999 times in 1,000"
    )


def _remarks(result: Result) -> list[str]:
    """Return remarks that the table does not contain, such as the strings that were not compared."""
    facts, who = result.facts, f"{result.claim}, {result.variant}"
    lines = (
        [f"{who}: {facts['on_numbers']['says']}"]
        if result.verdict == Verdict.HOLDS and "on_numbers" in facts
        else []
    )
    if "few" in facts and isinstance(result.counterexample, Counterexample):
        lines += [f"{who}: {hint}" for hint in _hint_of_slack(result.counterexample, *facts["few"])]
    left = left_out_in_words(facts, but=frozenset({TOO_SHORT}))
    if left and result.cases:  # if there is no case, the verdict's reason already contains this text
        lines.append(f"{who}, {result.kind}: {left}")
    return [*_longer_remarks(result), *(["", *lines] if lines else [])]


def _hint_of_slack(counterexample: Counterexample, few: float, dtype: str) -> list[str]:
    """Return a hint if the scores differ by only a few roundings, else an empty list."""
    network, score = float(counterexample.network), float(counterexample.automaton)
    if not math.isfinite(score) or not abs(network - score) <= few * abs(score):
        return []
    return [
        f"the scores differ by a few roundings of {dtype}. If the module computes its weights, for example as"
        " a sigmoid, they may differ from the automaton's by roundings: set the allowed difference with"
        " slack=, or let module_claim derive it with formula="
    ]


def _longer_remarks(result: Result) -> list[str]:
    facts = result.facts
    if "false_alarm" in facts:
        return ["", f"{result.claim}, {result.variant}: {chance(facts)}"]
    if "rules" in facts:
        return [
            "",
            (
                f"{facts['rules']}: {facts['labels']} labels, {facts['states']} states, rank {facts['rank']},"
                f" {facts['words']:,} words; all sentences, in {facts['dtype']} without rounding: all values"
                f" are integers of at most {facts['largest']:,}"
            ),
        ]
    if "text" not in facts:
        return []
    lacking = f"; {facts['words_without_vector']:,} of {facts['words']:,} words have no word vector"
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
