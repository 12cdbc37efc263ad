"""The table of verdicts: a row for each variant, a column for each kind of evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Result
from ratproof.evidence.subjects import OnlyVariant, Subject, subject_named
from ratproof.report.lines import fitted
from ratproof.report.marks import Mark, legend, plain
from ratproof.report.refutation import smallest
from theory.claim import EXACT, TORCH, Claim, Variant
from theory.papers import PAPERS, Paper


@dataclass(frozen=True)
class Column:
    """The evidence that a column of the report shows.

    Attributes:
        word: Heading of the column if the output is wide enough.
        kind: Kind of evidence.
        ran: Implementation that ran (``"exact"`` or ``"torch"``), if the kind has more than one column.
        device: Device on which torch ran.
    """

    word: str
    kind: str
    ran: str | None = None
    device: str | None = None

    def holds(self, result: Result) -> bool:
        """Return whether the column shows this result."""
        return (
            result.kind == self.kind
            and self.ran in (None, result.ran)
            and self.device in (None, result.device)
        )

    def is_promised(self, claim: Claim | Subject, variant: Variant | OnlyVariant) -> bool:
        """Return whether the variant should have the evidence that this column shows."""
        return self.kind in variant.kinds and (self.ran is None or self.ran in claim.runs_of(variant))


COLUMNS = {
    "exa": Column("exact", "sampled", EXACT),
    "cpu": Column("CPU", "sampled", TORCH, "cpu"),
    "gpu": Column("GPU", "sampled", TORCH, "cuda"),
    "grd": Column("gradient", "gradient"),
    "xck": Column("OpenFst", "cross-checked"),
    "exh": Column("exhausted", "exhausted"),
    "dec": Column("decided", "decided"),
    "prv": Column("proved", "proved"),
    "coq": Column("Coq", "kernel-checked"),
    "R": Column("reals", "kernel-checked-reals"),
}
"""The columns, from the weakest kind of evidence to the strongest."""
OF_KERNELS = {kind: Column(kind, kind) for kind in ("exact", "sampled", "gradient", "split", "independence")}
"""The columns for users' kernels."""
OF_MODELS = {
    "pieces": Column("pieces", "pieces"),
    "batch": Column("batch", "batch"),
    "pad": Column("pad", "padding"),
    "reuse": Column("reuse", "reuse"),
    "order": Column("order", "reorder"),
    "rewind": Column("rewind", "rewind"),
    "snap": Column("snap", "snapshot"),
    "grad": Column("grad", "gradient"),
}
"""The columns for users' models with a state; a table shows only the columns that its models use."""
LEGENDS = (
    (
        OF_KERNELS,
        (
            "exact: equal bit for bit, on inputs that need no rounding; sampled, gradient:",
            "within derived bounds; split: one call equals two; independence: other",
            "sequences and heads do not change a result",
        ),
    ),
    (
        OF_MODELS,
        (
            "Results must agree, within 8 times the measured rounding, if inputs are split",
            "into pieces, batched or padded (pad); if the model is used again (reuse); and",
            "if its state is reordered (order), rewound, or restored from a snapshot (snap).",
            "grad: gradients must agree",
        ),
    ),
    (
        COLUMNS,
        (
            "exa cpu gpu: sampled in exact arithmetic, by torch on the CPU, on a GPU;",
            "grd: gradient; xck: OpenFst; exh: exhausted; dec: decided; prv: proved;",
            "coq: Coq; R: Coq with its axioms of the real numbers",
        ),
    ),
)
"""Explanations of the columns' headings."""
WIDE = 120
"""The minimum width of the output, in characters, for full headings of the columns for claims."""
CASES, SECONDS = 13, 4
"""The widths, in characters, of the columns for the number of cases and the time."""


@dataclass(frozen=True)
class TableLayout:
    """The headings and widths of a table's columns.

    Attributes:
        columns: The columns with marks.
        headings: Their headings.
        widths: Widths of the columns with marks.
        names: Width of the first column.
    """

    columns: tuple[Column, ...]
    headings: tuple[str, ...]
    widths: tuple[int, ...]
    names: int

    @classmethod
    def of(cls, columns: Mapping[str, Column], width: int) -> TableLayout:
        """Return the layout with full words if they fit, otherwise with short labels."""
        words = tuple(column.word for column in columns.values())
        widths = tuple(len(word) + 2 for word in words)
        if columns is COLUMNS and width < WIDE:
            words = tuple(columns)
            widths = tuple(len(word) + 1 for word in words)
        return cls(tuple(columns.values()), words, widths, width - sum(widths) - CASES - SECONDS)

    def heading(self, title: str) -> Text:
        """Return the header line, which begins with the title."""
        labels = "".join(f"{word:>{size}}" for word, size in zip(self.headings, self.widths, strict=True))
        return Text(f"{title:{self.names}}{labels}{'cases':>{CASES}}{'s':>{SECONDS}}", style="bold")


@dataclass
class VariantRow:
    """A row of the table: a variant, on random cases or on a corpus.

    Attributes:
        claim, variant: The claim and its variant.
        corpus: ``"text"``, ``"rules"`` or the empty string.
        results: Results of the run.
        other_device: Results of a stored run on the other device, for the columns of that device.
    """

    claim: Claim | Subject
    variant: Variant | OnlyVariant
    corpus: str
    results: list[Result] = field(default_factory=list)
    other_device: list[Result] = field(default_factory=list)

    @property
    def columns(self) -> Mapping[str, Column]:
        """The first set of columns that covers all kinds of evidence of the variant."""
        kinds = set(self.variant.kinds)
        ladders = (COLUMNS, OF_KERNELS, OF_MODELS)
        return next(all_of for all_of in ladders if kinds <= {column.kind for column in all_of.values()})

    @property
    def unexpected(self) -> bool:
        """Whether any result is unexpected."""
        return not all(result.as_expected for result in self.results)

    @property
    def refuted(self) -> bool:
        """Whether the variant is refuted, as expected."""
        return bool(self.results) and self.variant.expected == str(Verdict.REFUTED) and not self.unexpected

    @property
    def hypothesis_alone(self) -> bool:
        """Whether the variant drops a hypothesis and is refuted as expected."""
        return self.refuted and self.variant.name.startswith("without-")

    def mark(self, column: Column) -> Mark | None:
        """Return the mark in a column, or None if the variant has no such evidence."""
        others = self.other_device if column.device else []
        here = [result for result in (*self.results, *others) if column.holds(result)]
        if here:
            return min((Mark.of(result) for result in here), key=_ALARM.index)
        return Mark.NOT_RUN if not self.corpus and column.is_promised(self.claim, self.variant) else None


_ALARM = (Mark.UNEXPECTED, Mark.UNKNOWN, Mark.REFUTED, Mark.HOLDS, Mark.NOT_RUN)


def rows(
    results: Sequence[Result], not_run: Sequence[Mapping[str, str]] = (), other_device: Sequence[Result] = ()
) -> list[VariantRow]:
    """Return a row for each variant and corpus, in the order of the results.

    Variants that did not run come last.

    Args:
        results: Results of the run.
        not_run: Claim, variant, kind and reason of the evidence that could not run.
        other_device: Results of a stored run on the other device.
    """
    by_key: dict[tuple[str, str, str], VariantRow] = {}
    keys = [(r.claim, r.variant, _corpus(r)) for r in results]
    keys += [(n["claim"], n["variant"], "") for n in not_run]
    for name, variant, corpus in keys:
        claim = subject_named(name)
        by_key.setdefault((name, variant, corpus), VariantRow(claim, claim.variant(variant), corpus))
    for result, key in zip(results, keys, strict=False):
        by_key[key].results.append(result)
    for result in other_device:
        row = by_key.get((result.claim, result.variant, _corpus(result)))
        if row is not None:
            row.other_device.append(result)
    return list(by_key.values())


def ladder(
    table: Sequence[VariantRow], out: Console, claims_file: str | None = None, every_row: bool = True
) -> Iterator[Text]:
    """Yield the legend, a heading per paper, a line per claim, and a row per variant.

    Args:
        table: The rows.
        out: The console, whose width and encoding determine the layout.
        claims_file: The file of the user's own claims, or ``None``.
        every_row: Whether to yield every row. If false, the papers of a group share one heading, and the
            variants that drop a hypothesis and are refuted as expected are only counted. A claim takes
            one line if its only other variant is ``corrected``.
    """
    hidden = [row for row in table if not every_row and row.hypothesis_alone]
    shown = [row for row in table if row not in hidden]
    yield from _legend(table, len(hidden), out)
    for (heading, _), of_paper in groupby(
        shown, key=lambda row: (_heading(row, claims_file, every_row), tuple(row.columns))
    ):
        own = list(of_paper)
        layout = TableLayout.of(_columns_of(own), out.width)
        title = heading
        if len(title) > layout.names:
            yield Text(title, style="bold")
            title = ""
        yield layout.heading(title)
        for _, of_claim in groupby(own, key=lambda row: row.claim.name):
            yield from _claim_rows(list(of_claim), layout, out, every_row)


def _columns_of(table: Sequence[VariantRow]) -> Mapping[str, Column]:
    """Return the columns for rows of one kind; for models, only the columns that have results."""
    columns = table[0].columns
    if columns is not OF_MODELS:
        return columns
    kinds = {kind for row in table for kind in row.variant.kinds}
    return {label: column for label, column in columns.items() if column.kind in kinds}


def _legend(table: Sequence[VariantRow], hidden: int, out: Console) -> Iterator[Text]:
    for columns, lines in LEGENDS:
        if columns is COLUMNS and out.width >= WIDE:
            continue
        if any(row.columns is columns for row in table) or (columns is COLUMNS and not table):
            yield from (Text(line, style="dim") for line in lines)
    yield Text(f"{legend(out)}, blank: n/a", style="dim")
    if any(row.refuted for row in table):
        unequal = "!=" if plain(out) else "≠"
        line = (
            f"{Mark.REFUTED.on(out)} rows end with a string, and the network's score {unequal} the"
            " automaton's score"
        )
        yield Text(line, style="dim")
    if hidden:
        line = f"{hidden} refuted variants that drop a hypothesis are hidden; --details shows them"
        yield Text(line, style="dim")


def _paper_of(claim: Claim | Subject) -> Paper | None:
    return None if isinstance(claim, Subject) else PAPERS.get(claim.source.paper)


def _heading(row: VariantRow, claims_file: str | None, every_row: bool) -> str:
    paper = _paper_of(row.claim)
    if paper is None:
        return claims_file or "your own"
    return str(paper) if every_row or not paper.among else paper.among


def _claim_rows(
    variants: Sequence[VariantRow], layout: TableLayout, out: Console, every_row: bool
) -> Iterator[Text]:
    claim = variants[0].claim
    paper = _paper_of(claim)
    if paper is not None and paper.among and not every_row:
        for row in variants:
            variant = row.variant.name.removeprefix("corrected").removeprefix("-")
            name = " ".join(filter(None, (claim.name, variant)))
            dated = f"{name} ({paper.year})"
            yield from _row(row, dated if len(dated) <= layout.names else name, layout, out)
        return
    if not every_row and _has_only_hypotheses(variants):
        yield from _row(variants[0], claim.name, layout, out)
        return
    yield fitted(Text.assemble((claim.name, "bold"), f"  {claim.title}"))
    for row in variants:
        yield from _row(row, row.variant.name + (f" ({row.corpus})" if row.corpus else ""), layout, out)


def _has_only_hypotheses(shown: Sequence[VariantRow]) -> bool:
    """Return whether ``corrected`` is the claim's only row, because all other variants drop a hypothesis."""
    names = [variant.name for variant in shown[0].claim.variants if not variant.name.startswith("without-")]
    return len(shown) == 1 and names == ["corrected"] == [shown[0].variant.name] and not shown[0].corpus


def _row(row: VariantRow, name: str, layout: TableLayout, out: Console) -> Iterator[Text]:
    most = layout.names + 2  # a name may extend into the spaces before the first mark
    name = f"  {name}" if len(name) + 2 <= most else f" {name}"
    style = "bold red" if row.unexpected else ""
    if len(name) > most:
        yield fitted(Text(name, style=style))
        name = ""
    line = Text(name, style=style)
    end = layout.names
    for column, width in zip(layout.columns, layout.widths, strict=True):
        end += width
        mark = row.mark(column)
        if mark is not None:
            line.append(" " * (end - 1 - len(line)))
            line.append(mark.on(out), style=mark.style)
    line.append(" " * (end - len(line)))
    cases, seconds = (sum(getattr(r, key) for r in row.results) for key in ("counted", "seconds"))
    what = smallest(row.results, out) if row.refuted else _count(cases)
    fits = len(what) < CASES
    line.append(f"{what if fits else _count(cases):>{CASES}}{_time(seconds):>{SECONDS}}")
    yield line
    if not fits:
        yield fitted(Text(f"    {what}"))


def _count(number: int) -> str:
    """Format a number with at most eight characters: in full, in millions, or as a power of ten."""
    for size, letter, most in ((1, "", 999_999), (10**6, " M", 9_999)):
        if round(number / size) <= most:
            return f"{number / size:,.0f}{letter}"
    return f"{number:.0e}"


def _time(seconds: float) -> str:
    """Format a time with at most three characters, in seconds, minutes, hours or days."""
    for size, letter, most in ((1, "", 999), (60, "m", 99), (3600, "h", 99)):
        if round(seconds / size) <= most:
            return f"{seconds / size:.0f}{letter}"
    return f"{seconds / 86400:.0f}d"


def _corpus(result: Result) -> str:
    return next((name for name in ("text", "rules") if name in result.facts), "")
