"""What is refuted as expected, a line each: the paper, the place, and the smallest counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from automata.printable_text import EMPTY, printable, write_string
from ratproof.record.counterexample import Counterexample
from ratproof.record.kinds import Verdict
from ratproof.record.results import Result
from ratproof.report.ladder import Row
from ratproof.report.lines import fitted
from ratproof.report.marks import plain
from theory.papers import PAPERS

MANY = 30
"""More lines than this are too many for readings that no paper prints."""


def errata(table: Sequence[Row], out: Console) -> Iterator[Text]:
    """A title and a line for each variant that is refuted as it should be; nothing where there is none. Where
    they are many, those that drop a hypothesis are counted: they are no errata.
    """
    refuted = [row for row in table if row.variant.expected == str(Verdict.REFUTED) and not row.unexpected]
    refuted = [row for row in refuted if row.results]
    if not refuted:
        return
    dropped = [row for row in refuted if row.variant.name.startswith("without-")]
    many = len(refuted) > MANY
    if many:
        refuted = [row for row in refuted if row not in dropped]
    unequal = "!=" if plain(out) else "≠"
    letters = ", ".join(p.letters for p in PAPERS.values())
    yield Text(
        f"Refuted, as expected ({letters}: the papers above): network {unequal} automaton", style="bold"
    )
    places = [
        f"{PAPERS[row.claim.source.paper].letters if row.claim.source.paper in PAPERS else '  '}"
        f" {row.claim.name}"
        for row in refuted
    ]
    wide = max(map(len, places))
    names = max(len(row.variant.name) for row in refuted)
    for place, row in zip(places, refuted, strict=True):
        yield fitted(
            Text(f"{place:{wide}} {row.variant.name:{names}} {_smallest(row.results, out, unequal)}")
        )
    if many and dropped:
        yield Text(f"and {len(dropped)} readings without a hypothesis (--details has them)", style="dim")


def _smallest(results: Sequence[Result], out: Console, unequal: str) -> str:
    best = simplest(results)
    if best is None or best.counterexample is None:
        return "no automaton" if any(r.kind != "kernel-checked" for r in results) else "a theorem"
    return in_short(best.counterexample, out, unequal)


def in_short(counterexample: Counterexample, out: Console, unequal: str) -> str:
    """The string and the two scores."""
    string = write_string(counterexample.string)
    if string == EMPTY:
        string = '""' if plain(out) else "ε"
    return f"{string}: {printable(counterexample.network)} {unequal} {printable(counterexample.automaton)}"


def simplest(results: Sequence[Result]) -> Result | None:
    """The result with the simplest counterexample: of those that show that no other automaton does, if any
    do; of equals, the one that comes with a certificate.
    """
    with_one = [result for result in results if result.counterexample is not None]
    return min(with_one, key=_plainness, default=None)


def _plainness(result: Result) -> tuple[object, ...]:
    assert result.counterexample is not None
    kind = "" if result.certificate is None else result.certificate.get("type")
    return (
        kind not in ("hankel", "range"),
        *result.counterexample.simplicity,
        result.certificate is None,
        result.kind != "exhausted",
    )
