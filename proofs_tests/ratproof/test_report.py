"""Tests that the report shows each verdict once, within 80 columns, with unexpected verdicts first."""

import io
import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.kinds import RUN_ON_STRINGS, Verdict
from ratproof.evidence.results import Result, in_order
from ratproof.ladder.outcome import Outcome
from ratproof.report import show
from ratproof.report.ladder import COLUMNS, TableLayout
from ratproof.report.marks import Mark
from theory.claim import EXACT, TORCH
from theory.registry import claims

VARIANTS = {name: [v.name for v in claim.variants] for name, claim in claims().items()}
PROMISED = [(c, v, kind) for c in claims().values() for v in c.variants for kind in v.kinds]
LETTERS = st.text("aβ\x1b ", max_size=3)

MARKS = {
    ("holds", "holds"): "✓+",
    ("refuted", "refuted"): "✗x",
    ("holds", "refuted"): "!!",
    ("refuted", "holds"): "!!",
    ("holds", "unknown"): "??",
    ("refuted", "unknown"): "??",
}
"""The mark of each expected and actual verdict, in UTF-8 and in ASCII."""
NAMES = TableLayout.of(COLUMNS, 80).names
"""Width of the first column of the table."""


def on_torch(claim, variant):
    return TORCH in claim.runs_of(variant)


def result(claim, variant, kind, verdict=None, cases=7, seconds=1.0, counterexample=None, device="cpu"):
    verdict = Verdict(variant.expected) if verdict is None else verdict
    why = "no test ran" if verdict == Verdict.UNKNOWN else ""
    return Result(
        claim.name,
        variant.name,
        kind,
        variant.expected,
        verdict,
        None
        if kind not in RUN_ON_STRINGS
        else TORCH
        if kind == "sampled" and on_torch(claim, variant)
        else EXACT,
        device if kind == "sampled" and on_torch(claim, variant) else None,
        None,
        cases,
        seconds,
        counterexample=counterexample,
        why=why,
    )


@st.composite
def results(draw) -> list[Result]:
    """Draw results with any verdicts and kinds of evidence, and with counterexamples of any size."""
    indices = st.integers(0, len(PROMISED) - 1)
    several = []
    for claim, variant, kind in map(PROMISED.__getitem__, draw(st.sets(indices, min_size=1, max_size=12))):
        verdict = draw(st.sampled_from([Verdict(variant.expected)] * 3 + list(Verdict)))
        numbers = st.text("0123456789/-", min_size=1, max_size=60)
        counterexample = Counterexample(
            claim.name, variant.name, {}, draw(LETTERS), draw(st.lists(LETTERS, max_size=40)), 0,
            draw(numbers), draw(numbers), "0",
        )  # fmt: skip
        refuted = verdict == Verdict.REFUTED and draw(st.booleans())
        several.append(
            result(
                claim,
                variant,
                kind,
                verdict,
                draw(st.integers(0, 10**12)),
                draw(st.floats(0, 10**7)),
                counterexample if refuted else None,
                draw(st.sampled_from(["cpu", "cuda"])),
            )
        )
    return in_order(several, VARIANTS)


def report(outcome, details=False, encoding="utf-8", **options) -> list[str]:
    bytes_written = io.BytesIO()
    stream = io.TextIOWrapper(bytes_written, encoding, errors="backslashreplace")
    show(outcome, Console(file=stream, width=200, markup=False, emoji=False), details, **options)
    stream.flush()
    return bytes_written.getvalue().decode(encoding).splitlines()


def first_line(lines, *ends) -> int:
    return next(i for i, line in enumerate(lines) if line.endswith(ends))


@settings(max_examples=40)
@given(several=results(), details=st.booleans())
def test_no_line_is_wider_than_80_columns_or_ends_in_a_blank(several, details):
    for line in report(Outcome(several), details):
        assert (len(line) <= 80 and line == line.rstrip()) or line.startswith("      .ratproof/")


@settings(max_examples=40)
@given(several=results(), encoding=st.sampled_from(["utf-8", "ascii"]))
def test_every_result_has_its_mark_in_the_row_of_its_variant(several, encoding):
    lines = report(Outcome(several), details=True, encoding=encoding)
    table = lines[next(i for i, line in enumerate(lines) if line.endswith("cases   s")) :]
    for one in several:
        first = next(i for i, line in enumerate(table) if line.split("  ")[0] == one.claim)
        at = next(i for i, line in enumerate(table) if i > first and line.split()[0] == one.variant)
        row = table[at + (len(table[at]) <= 2 + len(one.variant))]  # a long name has a line of its own
        column = [where.holds(one) for where in COLUMNS.values()].index(True)
        # A long name may use the blanks before the first column's mark.
        begins = max(NAMES + 4 * column, 0 if row is not table[at] else 2 + len(one.variant))
        marks = MARKS[one.expected, str(one.verdict)]
        assert row[begins : NAMES + 4 * column + 4].strip() == marks[encoding == "ascii"]


@settings(max_examples=40)
@given(results())
def test_unexpected_results_come_first_and_are_repeated_in_the_totals(several):
    lines = report(Outcome(several))
    bad = {f"{r.claim}, {r.variant}" for r in several if not r.as_expected}
    before = " ".join(lines[: first_line(lines, "cases   s", "axioms of the real numbers")])
    assert {name for name in bad if f"unexpected: {name}:" in re.sub(" +", " ", before)} == bad
    totals = " ".join(lines)
    assert f"{sum(r.as_expected for r in several)} of {len(several)} verdicts as expected" in totals
    assert not bad or "; unexpected: " in totals


@settings(max_examples=40)
@given(several=results())
def test_without_details_a_variant_has_a_row_or_counts_as_a_needed_hypothesis(several):
    lines = report(Outcome(several))
    begin = next((i for i, line in enumerate(lines) if line.endswith("cases   s")), len(lines))
    variants = {(r.claim, r.variant) for r in several}
    unexpected = {(r.claim, r.variant) for r in several if not r.as_expected}
    counted = sum(name.startswith("without-") for _, name in variants - unexpected)
    rows = sum(any(mark.sign in line[NAMES:] for mark in Mark) for line in lines[begin:])
    assert rows + counted == len(variants)
    assert any(f"{counted} refuted variants that drop a hypothesis" in x for x in lines) == bool(counted)


def test_the_report_has_no_more_lines_per_claim_than_220_for_76_claims():
    nothing = Counterexample("c", "v", {}, "", ["a"], 0, "1", "0", "0")
    several = [
        result(c, v, kind, counterexample=nothing if v.expected == "refuted" else None)
        for c, v, kind in PROMISED
    ]
    assert 76 * len(report(Outcome(several))) < 220 * len(claims())


def test_an_unexpected_variant_is_shown_beside_the_only_other_one():
    """``fa-rnn-eq-4`` takes one line, unless its variant without a hypothesis is not refuted."""
    claim = claims()["fa-rnn-eq-4"]
    corrected, without = claim.variants
    one = [result(claim, corrected, "sampled")]
    lines = [line.split()[0] for line in report(Outcome(one)) if line.strip()]
    assert "fa-rnn-eq-4" in lines and "corrected" not in lines
    both = [*one, result(claim, without, "sampled", Verdict.HOLDS)]
    lines = [line.split()[0] for line in report(Outcome(both)) if line.strip()]
    assert {"fa-rnn-eq-4", "corrected", "without-row-vectors"} <= set(lines)


def test_evidence_that_did_not_run_is_a_column_of_dots_and_one_sentence():
    claim = claims()["proposition-7"]
    rungs = [(v, kind) for v in claim.variants for kind in v.kinds]
    several = [result(claim, v, kind) for v, kind in rungs if kind != "kernel-checked"]
    without_coq = [
        {"claim": claim.name, "variant": v.name, "kind": kind, "why": "there is no Coq"}
        for v, kind in rungs
        if kind == "kernel-checked"
    ]
    lines = report(Outcome(several, not_run=without_coq))
    alone = report(Outcome([], not_run=without_coq), details=True)
    assert not any(line.startswith("proposition-7, ") for line in alone)  # no details if it did not run
    assert next(line for line in lines if line.startswith("  corrected"))[60:].split()[0] == "·"
    assert lines.count("kernel-checked (5 variants): not run: there is no Coq") == 1
    assert sum("use --device cuda" in line for line in lines) == 1
    proofs = [one for one in several if one.kind == "proved"]
    assert proofs and not any("cuda" in line for line in report(Outcome(proofs)))  # proofs run no network


def test_a_false_assertion_is_not_shown_as_a_missing_automaton():
    claim = claims()["theorem-3.2"]
    false = result(claim, claim.variant("corrected-bound"), "sampled", Verdict.REFUTED)
    lines = report(Outcome([replace(false, why="theorem_3_2.py, line 40: assert not alpha < bound")]))
    assert "theorem-3.2, corrected-bound: an assertion is false" in lines
    without = {"claim": claim.name, "variant": "corrected-bound", "kind": "exhausted", "why": "no pynini"}
    assert "exhausted (1 variant): not run: no pynini" in report(Outcome([], not_run=[without]))


def test_details_contain_what_a_line_omits():
    claim = claims()["proposition-7"]
    variant = claim.variant("printed")
    counterexample = Counterexample(claim.name, "printed", {}, "c_0 = 1", [], 0, "1", "0", "0")
    outcome = Outcome([result(claim, variant, "exhausted", counterexample=counterexample)])
    row = "  printed                   ·   ·   ·       ·   ✗   ·       ·       ε: 1 ≠ 0   1"
    assert row in report(outcome)
    in_full = "  on the empty string the network gives 1, the automaton 0; c_0 = 1"
    assert in_full in report(outcome, details=True) and in_full not in report(outcome)


def test_a_counterexample_that_does_not_fit_a_row_has_a_line():
    claim = claims()["proposition-7"]
    counterexample = Counterexample(claim.name, "printed", {}, "", ["a"] * 9, 0, "1/2", "-1", "0")
    outcome = Outcome([result(claim, claim.variant("printed"), "exhausted", counterexample=counterexample)])
    lines = report(outcome)
    row = "  printed                   ·   ·   ·       ·   ✗   ·       ·              7   1"
    assert lines[lines.index(row) + 1] == '    "a a a a a a a a a": 1/2 ≠ -1'


def test_details_state_the_length_of_the_longest_strings():
    claim = claims()["corollary-9"]
    some = [result(claim, claim.variant("corrected"), kind) for kind in ("sampled", "gradient", "exhausted")]
    for one, longest in zip(some, (2049, 65, 4), strict=True):
        one.facts["longest"] = longest
    lines = " ".join(report(Outcome(some), details=True))
    assert "longest compared strings, in symbols: sampled (cpu) 2,049, gradient 65" in lines


def test_details_state_the_informative_cases_or_the_reason_for_none():
    claim = claims()["no-drift"]
    rows = [
        replace(result(claim, claim.variant(name), "exhausted", cases=9), informative=count, facts=facts)
        for name, count, facts in [
            ("corrected-identity", 1, {}),
            ("corrected", 0, {"constant": "it always is"}),
            ("without-equation-5", 2, {}),
        ]
    ]
    lines = report(Outcome(rows), details=True)
    assert [line for line in lines if "informative" in line or "same score" in line] == [
        "                informative         1 case",
        "                informative         0 cases",
        "  the variant's automata give all strings the same score: it always is",
        "3 of 3 verdicts as expected, 3 informative cases",
    ]
