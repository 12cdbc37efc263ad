"""The command line's ``results``: the tables of the experiments, from the results that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ratproof.commands.app import AsJson, example
from ratproof.commands.terminal import console
from ratproof.process.json_answers import print_json

KEPT = Path(__file__).parent / "results"

app = typer.Typer(name="results")


@app.command("results", epilog=example("results", "results trained"))
def results(
    folder: Annotated[
        str | None,
        typer.Argument(metavar="FOLDER", help="with results below it (default: those kept by ratproof)"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print the tables of the experiments, beside the papers'."""
    from training.engine.results import results_in
    from training.tables import rows_of, tables

    found = results_in(KEPT if folder is None else folder)
    if as_json:
        print_json({"results": found, "rows": [row.to_json() for row in rows_of(found)]})
        return 0
    out = console()
    if not found:
        out.print(f"no results in {KEPT if folder is None else folder}", soft_wrap=True)
    for title, header, rows in tables(found):
        out.print(f"\n{title}")
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
            out.print("  " + "  ".join(cells).rstrip(), soft_wrap=True)
    return 0
