"""Verdicts, counterexamples and certificates as Markdown, all of them read from what ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from page_text import plain, table
from sphinx.util.logging import getLogger
from verdicts import NOT_RUN, Verdicts

from ratproof.checkers.table import MALFORMED, checker_of
from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.kinds import KINDS
from ratproof.report.details import chance
from theory.claim import TORCH, Claim

_log = getLogger(__name__)


def as_word(verdict: str, expected: str) -> str:
    """A verdict, coloured by whether it is the one that is expected; the words say so too."""
    if NOT_RUN in verdict:
        return f"[{verdict}]{{.verdict .not-run}}"
    if verdict == expected == "refuted":
        return "[✗ refuted, as expected]{.verdict .refuted-as-expected}"
    if verdict == expected:
        return f"[✓ {verdict}]{{.verdict .as-expected}}"
    return f"[{verdict}, not {expected}]{{.verdict .not-as-expected}}"


def verdict_table(claim: Claim, verdicts: Verdicts) -> str:
    """A row for each variant and kind of evidence, up the ladder; what is promised and did not run says
    so.
    """
    rows = list(_rows(claim, verdicts))
    return table(
        ("variant", "evidence", "verdict", "cases", "seconds", "of bound", "ran"), rows, css="verdicts"
    )


def counted(claim: Claim, verdicts: Verdicts) -> str:
    """A sentence for each result that rests on a test on counts of random runs."""
    results = [
        r
        for variant in claim.variants
        for r in verdicts.of(claim.name, variant.name)
        if "false_alarm" in r.get("facts", {})
    ]
    return "".join(f"`{r['variant']}`, {r['kind']}\n: {plain(chance(r['facts']))}.\n" for r in results)


def counterexample(result: dict[str, Any]) -> str:
    """The sentence that the run printed."""
    return Counterexample(**result["counterexample"]).sentence()


def when_and_where(verdicts: Verdicts) -> str:
    """Which run all this comes from."""
    if verdicts.written is None:
        return "Not run: these pages were built without a run of `ratproof verify`.\n"
    versions = ", ".join(f"{name} {version}" for name, version in verdicts.versions.items())
    when = f"{verdicts.written:%Y-%m-%d at %H:%M} UTC"
    lines = [
        f"From the run of `ratproof verify` on {when}, with {plain(versions)}; {plain(verdicts.platform)}.\n"
    ]
    lines += [
        f":::{{warning}}\nThe run was not complete: {plain(trouble)}.\n:::\n" for trouble in verdicts.troubles
    ]
    return "\n".join(lines)


def decided(claim: Claim, verdicts: Verdicts) -> str:
    """A sentence for each result that was decided for all strings, from its certificate, which the checker
    reads once more here.
    """
    lines = []
    for variant in claim.variants:
        for result, certificate in verdicts.certificates(claim.name, variant.name):
            if str(certificate.get("format", "")).startswith("ratproof certificate"):
                lines.append(f"`{variant.name}`\n: {_decided(result, certificate)}\n")
    return "\n".join(["What was decided for all strings:\n", *lines]) if lines else ""


def _decided(result: dict[str, Any], certificate: dict[str, Any]) -> str:
    program = checker_of(certificate)
    try:
        program.verdict(certificate)
        checked = "accepts it"
    except MALFORMED as error:
        checked = f"rejects it ({plain(str(error))})"
        _log.warning("%s, %s: the certificate is rejected: %s", result["claim"], result["variant"], error)
    checker = f"The independent checker ({{py:mod}}`{program.__name__}`) {checked}."
    if result.get("certificate_file"):
        checker += f" To have it checked again: `ratproof check-certificate {result['certificate_file']}`."
    if "cell" in certificate:
        return (
            f"{plain(result['why'])}. {_every_size(certificate)}This is a"
            f" [certificate](/formats.md#certificates) of {plain(certificate['claims'])}; more is on the page"
            f" on [what is not rational](/not_rational.md). {checker}"
        )
    if "boxes" in certificate:
        return (
            "the most probable centroid is the DFA's state after every string, in each of the cases;"
            f" {result['cases']:,} pairs of a state and a symbol were checked, and each case has a"
            f" [certificate](/formats.md#certificates) of its boxes. {checker}"
        )
    if certificate.get("claims") == "different":
        text = (
            f"{plain(counterexample(result))}; no smaller string tells this unit's two automata apart"
            if result.get("counterexample")
            else f"they differ on {_string(certificate['word'])}"
        )
        return f"{text}. This is a [certificate](/formats.md#certificates) of a difference. {checker}"
    a, b = (certificate[side]["states"] for side in "AB")
    return (
        f"equal on all strings, in each of {result['cases']:,} cases, each with a certificate that was"
        " checked in the run. One of these [certificates](/formats.md#certificates) came with the verdicts,"
        f" for automata with {a} and {b} states. {checker}"
    )


def _every_size(certificate: dict[str, Any]) -> str:
    hypotheses = certificate.get("every size", [])
    return (
        "The hypotheses of the theorem, each checked in balls: " + "; ".join(map(plain, hypotheses)) + ". "
        if hypotheses
        else ""
    )


def hankel(claim: Claim, certificate: dict[str, Any]) -> str:
    """A certificate that no other automaton does: for which weights, and the block with its determinant, or
    the range of scores.
    """
    if certificate.get("type") == "range":
        case = claim.case.from_json(certificate["case"])
        scores = plain(", ".join(certificate["scores"]))
        return (
            f"More than that: {plain(certificate['says'])}, for {plain(case.describe())}. From its single"
            f" states it scores {scores}; with any initial distribution a mean of these, and"
            f" {plain(certificate['value'])} is none.\n"
        )
    if certificate.get("type") != "hankel":
        return ""
    case = claim.case.from_json(certificate["case"])
    unit = f", unit {certificate['unit']}" if "units" in certificate["case"] else ""
    said = f"More than that: {plain(certificate['says'])}, for {plain(case.describe())}{unit}."
    suffixes = [_string(s) for s in certificate["suffixes"]]
    rows = [
        [f"**{_string(p)}**", *map(plain, values)]
        for p, values in zip(certificate["prefixes"], certificate["values"], strict=True)
    ]
    block = table(["prefix, suffix", *suffixes], rows, css="hankel")
    return (
        f"{said} The certificate is a block of its Hankel matrix, H\\[p, s\\] = f(ps), with a row for each"
        f" prefix p and a column for each suffix s:\n\n{block}\nIts determinant is"
        f" {plain(certificate['determinant'])}, which is not 0, so its rank is {len(rows)}; an automaton's"
        " states are at least the rank ({py:mod}`automata.hankel`).\n"
    )


def _string(symbols: list[str]) -> str:
    return plain("".join(symbols)) or "ε"


def _rows(claim: Claim, verdicts: Verdicts) -> Iterator[list[str]]:
    for variant in claim.variants:
        name = f"`{variant.name}`"
        for kind in KINDS:
            results = verdicts.of(claim.name, variant.name, kind)
            if verdicts.beside is not None:
                on_gpu = verdicts.beside.of(claim.name, variant.name, kind)
                results = results + [r for r in on_gpu if r["ran"] == TORCH]
            if not results and kind in variant.kinds:
                yield [name, kind, as_word(NOT_RUN, variant.expected), "", "", "", ""]
                name = ""
            for r in results:
                facts = r.get("facts", {})
                text = "".join(f" ({plain(facts[name])})" for name in ("text", "rules") if name in facts)
                verdict = as_word(r["verdict"], variant.expected) + (
                    f"<br>{plain(r['why'])}" if r.get("why") else ""
                )
                yield [
                    name,
                    kind + text,
                    verdict,
                    f"{r['cases']:,}",
                    f"{r['seconds']:.1f}",
                    _share(r["share"]),
                    f"torch, {r['device']}" if r["ran"] == TORCH else r["ran"] or "",
                ]
                name = ""


def _share(share: float | None) -> str:
    if share is None:
        return ""
    return f"{share:.2f}" if share >= 0.005 else "\\<0.01"
