"""Commands on claims: claims, verify."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ratproof.commands.app import AsJson, app, print_json
from ratproof.kinds import KINDS
from ratproof.terminal import console
from theory.claim import Claim
from theory.registry import claims as all_claims

NOT_AS_EXPECTED = 1
INTERRUPTED = 130


@app.command()
def claims(as_json: AsJson = False) -> None:
    """List the claims, their variants and kinds of evidence."""
    if as_json:
        print_json({"claims": [_described(claim) for claim in all_claims().values()]})
        return
    out = console()
    for claim in all_claims().values():
        source = claim.source
        out.print(f"[bold]{claim.name}[/]  {claim.title}  ({source.statement}, section {source.section})")
        table = Table(box=None, pad_edge=False, show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True)
        table.add_column()
        for variant in claim.variants:
            table.add_row(f"  {variant.name}", variant.expected, f"{variant.says} [dim]({', '.join(variant.kinds)})[/]")
        out.print(table)


def _described(claim: Claim) -> dict[str, Any]:
    variants = [{"name": v.name, "expected": v.expected, "says": v.says, "kinds": list(v.kinds)} for v in claim.variants]
    return {
        "name": claim.name, "title": claim.title, "statement": claim.statement, "source": claim.source.__dict__,
        "hypotheses": list(claim.hypotheses), "uses": list(claim.uses), "variants": variants,
    }  # fmt: skip


@app.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(metavar="[CLAIM]...", help="all without")] = None,
    kind: Annotated[str | None, typer.Option("--kind", help=f"only this kind of evidence: {', '.join(KINDS)}")] = None,
    examples: Annotated[int | None, typer.Option("--examples", min=1, help="random cases a test")] = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="fresh random cases; without, the same in every run of the same installation"),
    ] = None,
    device: Annotated[str, typer.Option("--device", help="where the networks run: cpu or cuda")] = "cpu",
    text: Annotated[
        str | None, typer.Option("--text", help="a corpus, one sentence a line: compare on every prefix of it too")
    ] = None,
    embeddings: Annotated[str | None, typer.Option("--embeddings", help="vectors of its words: GloVe text, or npz")] = None,
    units: Annotated[int, typer.Option("--units", min=1, help="of the network on the corpus")] = 64,
    junit: Annotated[str | None, typer.Option("--junit", help="write a JUnit file for CI")] = None,
    as_json: AsJson = False,
) -> int:
    """Verify claims: run their evidence, and compare each verdict with the one that is expected."""
    from ratproof.counterexamples import versions
    from ratproof.report import show
    from ratproof.verify import Request
    from ratproof.verify import verify as run

    request = Request(tuple(names or ()), kind, examples, seed, device, text, embeddings, units, junit)
    screen = console(error=True)
    bar = Progress(
        TextColumn("verify"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"),
        console=screen, transient=True, disable=not screen.is_terminal,
    )  # fmt: skip
    with bar:
        task = bar.add_task("", total=None)
        outcome = run(request, lambda test, done, total: bar.update(task, completed=done, total=total, description=test[:60]))
    if as_json:
        print_json({
            "results": [r.to_json() for r in outcome.results], "as_expected": outcome.as_expected,
            "interrupted": outcome.interrupted, "errors": outcome.errors, "notes": outcome.notes,
            "when": datetime.now(UTC).isoformat(timespec="seconds"), "platform": platform.platform(), "versions": versions(),
        })  # fmt: skip
    else:
        show(outcome, console())
    return INTERRUPTED if outcome.interrupted else 0 if outcome.as_expected else NOT_AS_EXPECTED
