"""The ladder as a table, narrow enough for a phone: a row a variant, a column a rung, a sign a verdict."""

from __future__ import annotations

from collections.abc import Sequence

from page_text import plain, table
from rich.console import Console
from verdicts import Verdicts

from ratproof.evidence.results import Result
from ratproof.report.ladder import COLUMNS, Row
from ratproof.report.marks import Mark
from ratproof.report.refutation import in_short, simplest
from theory.claim import Claim, Variant

CSS = {
    Mark.HOLDS: "as-expected",
    Mark.REFUTED: "refuted-as-expected",
    Mark.UNEXPECTED: "not-as-expected",
    Mark.UNKNOWN: "not-as-expected",
    Mark.NOT_RUN: "not-run",
}
TITLES = {
    "exa": "sampled, in exact arithmetic",
    "cpu": "sampled, by torch on the CPU",
    "gpu": "sampled, by torch on a GPU",
    "grd": "gradients of torch, sampled",
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
            marks = [row.mark(column) for column in COLUMNS.values()]
            made.append([f"`{variant.name}`", *("" if m is None else sign(m) for m in marks)])
    head = ["", *(f'<abbr title="{TITLES[name]}">{name}</abbr>' for name in COLUMNS)]
    return table(head, made, css="rungs")


def row_of(claim: Claim, variant: Variant, verdicts: Verdicts) -> Row:
    """All that ran of a variant, on corpora too: a column's mark is the worst of its results."""
    here, beside = ([] if v is None else v.of(claim.name, variant.name) for v in (verdicts, verdicts.beside))
    return Row(claim, variant, "", list(map(Result.from_json, here)), list(map(Result.from_json, beside)))


def smallest(claim: Claim, variant: Variant, verdicts: Verdicts) -> Result | None:
    """The result with the simplest counterexample."""
    return simplest([Result.from_json(r) for r in verdicts.of(claim.name, variant.name)])


def unequal(result: Result) -> str:
    """The counterexample of a result: the string and the two scores."""
    assert result.counterexample is not None
    return in_short(result.counterexample, Console(force_terminal=False, legacy_windows=False))


def legend() -> str:
    """What the signs and the columns mean."""
    signs = ", ".join(f"{sign(mark)} {mark.words}" for mark in Mark)
    columns = ", ".join(f"*{name}* {title}" for name, title in TITLES.items())
    return f"{signs}; blank: no such rung. Columns: {columns}.\n"


def gpu(verdicts: Verdicts) -> str:
    """Whether any network ran on a GPU, which one, and when."""
    if verdicts.beside is not None and verdicts.beside.written is not None:
        kept = verdicts.beside
        place = f"on one {plain(kept.gpu)} with torch {plain(kept.versions.get('torch', '?'))}"
        return (
            f"GPU: the run of `ratproof verify --device cuda` on {kept.written:%Y-%m-%d}, {place}; it is kept"
            " in the project, and shown beside the CPU's.\n"
        )
    if verdicts.written is None or any(r["device"] == "cuda" for r in verdicts.results):
        return ""
    return "GPU: not run. The networks ran on the CPU; `ratproof verify --device cuda` runs them on a GPU.\n"
