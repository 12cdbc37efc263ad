"""The ladder: a row a variant, a column a rung, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Result
from ratproof.evidence.subjects import OnlyVariant, Subject, subject_named
from ratproof.process.streams import WIDTH
from ratproof.report.lines import fitted
from ratproof.report.marks import Mark, legend, plain
from ratproof.report.refutation import smallest
from theory.claim import EXACT, TORCH, Claim, Variant
from theory.papers import PAPERS, Paper


@dataclass(frozen=True)
class Column:
    """The evidence that a column of the report shows.

    Attributes:
        kind: of evidence.
        ran: what ran, where a kind has more than one column.
        device: where torch ran.
    """

    kind: str
    ran: str | None = None
    device: str | None = None

    def holds(self, result: Result) -> bool:
        """Return whether the result belongs in this column."""
        return (
            result.kind == self.kind
            and self.ran in (None, result.ran)
            and self.device in (None, result.device)
        )

    def is_promised(self, claim: Claim | Subject, variant: Variant | OnlyVariant) -> bool:
        """Return whether the variant has such evidence."""
        return self.kind in variant.kinds and (self.ran is None or self.ran in claim.runs_of(variant))


COLUMNS = {
    "exa": Column("sampled", EXACT),
    "cpu": Column("sampled", TORCH, "cpu"),
    "gpu": Column("sampled", TORCH, "cuda"),
    "grd": Column("gradient"),
    "xck": Column("cross-checked"),
    "exh": Column("exhausted"),
    "dec": Column("decided"),
    "prv": Column("proved"),
    "coq": Column("kernel-checked"),
}
"""The columns, from the lowest rung up."""
OF_KERNELS = {
    "exa": Column("exact"),
    "smp": Column("sampled"),
    "grd": Column("gradient"),
    "spl": Column("split"),
    "ind": Column("independence"),
}
"""The columns of users' kernels."""
OF_MODELS = {
    "pcs": Column("pieces"),
    "bat": Column("batch"),
    "pad": Column("padding"),
    "use": Column("reuse"),
    "ord": Column("reorder"),
}
"""The columns of users' models with a state."""
LEGENDS = (
    (
        OF_KERNELS,
        (
            "exact inputs, bit for bit; sampled, and gradients, within derived bounds;",
            "split in two calls; independence of other strings and heads",
        ),
    ),
    (
        OF_MODELS,
        (
            "the same in pieces; in a batch; with padding; in a second use; with a state",
            "whose rows are reordered: within 8 times the rounding, which is measured",
        ),
    ),
    (COLUMNS, ("sampled (exa cpu gpu), gradients, OpenFst, exhausted, decided, proved, Coq",)),
)
"""Explanations of the columns."""
CASES, SECONDS = 13, 4
NAMES = WIDTH - 4 * len(COLUMNS) - CASES - SECONDS


@dataclass
class Row:
    """A variant on one corpus, or on random cases alone, with its result in each column.

    Attributes:
        claim, variant: which.
        corpus: ``"text"`` or ``"rules"``, or nothing.
        results: of the run.
        beside: of a kept run on the other device, for the columns of that device alone.
    """

    claim: Claim | Subject
    variant: Variant | OnlyVariant
    corpus: str
    results: list[Result] = field(default_factory=list)
    beside: list[Result] = field(default_factory=list)

    @property
    def columns(self) -> Mapping[str, Column]:
        """The columns that it has marks in: those in which all its kinds of evidence have one."""
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
        """Whether the variant only drops a hypothesis, and is refuted as expected."""
        return self.refuted and self.variant.name.startswith("without-")

    def mark(self, column: Column) -> Mark | None:
        """Return the mark in a column, or None if the variant has no such rung."""
        others = self.beside if column.device else []
        here = [result for result in (*self.results, *others) if column.holds(result)]
        if here:
            return min((Mark.of(result) for result in here), key=_ALARM.index)
        return Mark.NOT_RUN if not self.corpus and column.is_promised(self.claim, self.variant) else None


_ALARM = (Mark.UNEXPECTED, Mark.UNKNOWN, Mark.REFUTED, Mark.HOLDS, Mark.NOT_RUN)


def rows(
    results: Sequence[Result], not_run: Sequence[Mapping[str, str]] = (), beside: Sequence[Result] = ()
) -> list[Row]:
    """Return a row for each variant and corpus, in the order of the results.

    The variants that did not run follow.

    Args:
        results: of the run.
        not_run: what could not run here.
        beside: results of a kept run on the other device.
    """
    by_key: dict[tuple[str, str, str], Row] = {}
    keys = [(r.claim, r.variant, _corpus(r)) for r in results]
    keys += [(n["claim"], n["variant"], "") for n in not_run]
    for name, variant, corpus in keys:
        claim = subject_named(name)
        by_key.setdefault((name, variant, corpus), Row(claim, claim.variant(variant), corpus))
    for result, key in zip(results, keys, strict=False):
        by_key[key].results.append(result)
    for result in beside:
        row = by_key.get((result.claim, result.variant, _corpus(result)))
        if row is not None:
            row.beside.append(result)
    return list(by_key.values())


def ladder(
    table: Sequence[Row], out: Console, claims_file: str | None = None, every_row: bool = True
) -> Iterator[Text]:
    """Yield a heading per paper, a line per claim, a row per variant, and the legend.

    Args:
        table: the rows.
        out: tells which signs it can show.
        claims_file: of claims of a user's own.
        every_row: without, papers that are listed among others have one heading, and what drops a hypothesis
            and is refuted as expected is counted below.
    """
    hidden = [row for row in table if not every_row and row.hypothesis_alone]
    shown = [row for row in table if row not in hidden]
    for (heading, labels_there), of_paper in groupby(
        shown, key=lambda row: (_heading(row, claims_file, every_row), tuple(row.columns))
    ):
        title = heading
        if len(title) > NAMES:
            yield Text(title, style="bold")
            title = ""
        labels = "".join(f"{label:>4}" for label in labels_there).ljust(4 * len(COLUMNS))
        yield Text(f"{title:{NAMES}}{labels}{'cases':>{CASES}}{'s':>{SECONDS}}", style="bold")
        for _, of_claim in groupby(of_paper, key=lambda row: row.claim.name):
            yield from _of_claim(list(of_claim), out, every_row)
    for columns, lines in LEGENDS:
        if any(row.columns is columns for row in table) or (columns is COLUMNS and not table):
            yield from (Text(line, style="dim") for line in lines)
    yield Text(f"{legend(out)}, blank: none", style="dim")
    if any(row.refuted for row in table):
        unequal = "!=" if plain(out) else "≠"
        line = f"{Mark.REFUTED.on(out)} rows: string: network {unequal} automaton"
        line += f"; with --details: {len(hidden)} that drop a hypothesis" if hidden else ""
        yield Text(line, style="dim")


def _paper_of(claim: Claim | Subject) -> Paper | None:
    return None if isinstance(claim, Subject) else PAPERS.get(claim.source.paper)


def _heading(row: Row, claims_file: str | None, every_row: bool) -> str:
    paper = _paper_of(row.claim)
    if paper is None:
        return claims_file or "your own"
    return str(paper) if every_row or not paper.among else paper.among


def _of_claim(variants: Sequence[Row], out: Console, every_row: bool) -> Iterator[Text]:
    claim = variants[0].claim
    paper = _paper_of(claim)
    if paper is not None and paper.among and not every_row:
        for row in variants:
            variant = row.variant.name.removeprefix("corrected").removeprefix("-")
            name = " ".join(filter(None, (claim.name, variant)))
            dated = f"{name} ({paper.year})"
            yield from _row(row, dated if len(dated) <= NAMES else name, out)
        return
    yield fitted(Text.assemble((claim.name, "bold"), f"  {claim.title}"))
    for row in variants:
        yield from _row(row, row.variant.name + (f" ({row.corpus})" if row.corpus else ""), out)


def _row(row: Row, name: str, out: Console) -> Iterator[Text]:
    name = f"  {name}"
    style = "bold red" if row.unexpected else ""
    if len(name) > NAMES + 2:  # a mark has blanks before it, which a name may use
        yield fitted(Text(name, style=style))
        name = ""
    line = Text(name, style=style)
    for number, column in enumerate(row.columns.values(), 1):
        mark = row.mark(column)
        if mark is not None:
            line.append(" " * (NAMES + 4 * number - 1 - len(line)))
            line.append(mark.on(out), style=mark.style)
    line.append(" " * (NAMES + 4 * len(COLUMNS) - len(line)))
    cases, seconds = (sum(getattr(r, name) for r in row.results) for name in ("counted", "seconds"))
    what = smallest(row.results, out) if row.refuted else _count(cases)
    fits = len(what) < CASES
    line.append(f"{what if fits else _count(cases):>{CASES}}{_time(seconds):>{SECONDS}}")
    yield line
    if not fits:
        yield fitted(Text(f"    {what}"))


def _count(number: int) -> str:
    """Format a number in at most eight columns: in full, in millions, or as a power of ten."""
    for size, letter, most in ((1, "", 999_999), (10**6, " M", 9_999)):
        if round(number / size) <= most:
            return f"{number / size:,.0f}{letter}"
    return f"{number:.0e}"


def _time(seconds: float) -> str:
    """Format a time in at most three columns, in seconds, minutes, hours or days."""
    for size, letter, most in ((1, "", 999), (60, "m", 99), (3600, "h", 99)):
        if round(seconds / size) <= most:
            return f"{seconds / size:.0f}{letter}"
    return f"{seconds / 86400:.0f}d"


def _corpus(result: Result) -> str:
    return next((name for name in ("text", "rules") if name in result.facts), "")
