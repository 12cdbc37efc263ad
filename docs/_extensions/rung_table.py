"""The ladder as a table, narrow enough for a phone: a row a variant, a column a rung, a sign a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from page_text import plain, table
from rich.console import Console
from verdicts import Verdicts

from ratproof.record.counterexample import Counterexample
from ratproof.record.kinds import Verdict
from ratproof.record.results import Result
from ratproof.report.errata import in_short, simplest
from ratproof.report.ladder import COLUMNS, Row
from ratproof.report.marks import Mark
from theory.claim import Claim, Variant

CSS = {
    Mark.HOLDS: "as-expected",
    Mark.REFUTED: "refuted-as-expected",
    Mark.UNEXPECTED: "not-as-expected",
    Mark.UNKNOWN: "not-as-expected",
    Mark.NOT_RUN: "not-run",
}
TITLES = {
    "cpu": "sampled, on the CPU",
    "gpu": "sampled, on a GPU",
    "xck": "cross-checked with OpenFst",
    "exh": "exhausted: all short strings",
    "dec": "decided for all strings",
    "prv": "proved for all weights",
    "coq": "kernel-checked by Coq",
}


def sign(mark: Mark) -> str:
    """A mark with its words, for those who point at it and those who do not see it."""
    return f'<span class="mark {CSS[mark]}" title="{mark.words}" aria-label="{mark.words}">{mark.sign}</span>'


def rung_table(claims: Sequence[Claim], verdicts: Verdicts, linked: bool = True) -> str:
    """The table of these claims, each with a line for itself where it is linked."""
    made = []
    for claim in claims:
        if linked:
            link = f"[{plain(claim.source.statement)}](/claims/{claim.name}.md)"
            made.append([f"**{link}** {plain(claim.title)}", *[""] * len(COLUMNS)])
        for variant in claim.variants:
            row = row_of(claim, variant, verdicts)
            marks = [row.mark(kind, device) for kind, device in COLUMNS.values()]
            made.append([f"`{variant.name}`", *("" if m is None else sign(m) for m in marks)])
    head = ["", *(f'<abbr title="{TITLES[name]}">{name}</abbr>' for name in COLUMNS)]
    return table(head, made, css="rungs")


def row_of(claim: Claim, variant: Variant, verdicts: Verdicts) -> Row:
    """All that ran of a variant, on corpora too: a column's mark is the worst of its results."""
    return Row(claim, variant, "", [_result(r) for r in verdicts.of(claim.name, variant.name)])


def smallest(claim: Claim, variant: Variant, verdicts: Verdicts) -> Result | None:
    """The result with the simplest counterexample."""
    return simplest([_result(r) for r in verdicts.of(claim.name, variant.name)])


def unequal(result: Result) -> str:
    """The counterexample of a result: the string and the two scores."""
    assert result.counterexample is not None
    return in_short(result.counterexample, Console(force_terminal=False, legacy_windows=False), "≠")


def legend() -> str:
    """What the signs and the columns mean."""
    signs = ", ".join(f"{sign(mark)} {mark.words}" for mark in Mark)
    columns = ", ".join(f"*{name}* {title}" for name, title in TITLES.items())
    return f"{signs}; blank: no such rung. Columns: {columns}.\n"


def gpu(verdicts: Verdicts) -> str:
    """Whether any network ran on a GPU."""
    if verdicts.written is None or any(r["device"] == "cuda" for r in verdicts.results):
        return ""
    return "GPU: not run. The networks ran on the CPU; `ratproof verify --device cuda` runs them on a GPU.\n"


def _result(data: dict[str, object]) -> Result:
    fields = {name: value for name, value in data.items() if name in Result.__dataclass_fields__}
    fields["verdict"] = Verdict(fields["verdict"])
    if fields.get("counterexample") is not None:
        fields["counterexample"] = Counterexample(**fields["counterexample"])
    return Result(**fields)  # type: ignore[arg-type]
