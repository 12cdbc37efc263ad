"""The command line's ``results``: the tables of the experiments, from the results that were kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from automata.errors import InputError, OutputError
from automata.text.printable_text import printable
from ratproof.commands.app import AsJson, HtmlFile, command_line, example
from ratproof.commands.terminal import console
from ratproof.html.page import PLAIN, HtmlPage, HtmlTable, cells, write_html
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs

KEPT = Path(__file__).parent / "results"

app = typer.Typer(name="results")


@app.command("results", epilog=example("results", "results text", "results trained"))
def results(
    context: typer.Context,
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="FOLDER",
            help="with results below it, or a name of those kept by ratproof (default: all of these)",
        ),
    ] = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Print the tables of the experiments, beside the papers'."""
    from training.engine.results import results_in

    require_outputs({"--html": html})
    found = results_in(_place(folder))
    if not found:
        raise InputError(f"{folder}: has no results, where a folder with some is right{_names()}")
    status = show(found, as_json)
    if html is not None:
        why = write_html(_page(found, command_line(context)), html)
        if why:
            raise OutputError(why)
    return status


def _page(found: list[dict[str, Any]], command: str) -> HtmlPage:
    from training.tables import tables

    made = [HtmlTable(title, header, [cells(*row) for row in rows]) for title, header, rows in tables(found)]
    runs = "run" if len(found) == 1 else "runs"
    return HtmlPage("Results of the experiments", f"{len(found):,} {runs}", PLAIN, (), command, tables=made)


def _place(folder: str | None) -> Path:
    if folder is None:
        if not KEPT.is_dir():
            raise InputError(f"results: a folder with results must be named{_names()}")
        return KEPT
    place = Path(folder)
    if not place.exists() and folder in _kept_names():
        return KEPT / folder
    if not place.is_dir():
        raise InputError(f"{folder}: is no folder, where one with results is right{_names()}")
    return place


def _kept_names() -> list[str]:
    return sorted(path.name for path in KEPT.iterdir() if path.is_dir()) if KEPT.is_dir() else []


def _names() -> str:
    if not KEPT.is_dir():
        return "; the results that ratproof keeps come with its repository, not with the installed package"
    return f"; those kept by ratproof are {', '.join(_kept_names())}"


def show(found: list[dict[str, Any]], as_json: bool) -> int:
    """Print the tables of some results.

    Raises :class:`~automata.errors.InputError` where there are results, and no table of any of them.
    """
    from training.tables import rows_of, tables

    made = tables(found)
    if found and not made:
        names = ", ".join(sorted({one["experiment"] for one in found}))
        raise InputError(
            f"no table can be made of results of {printable(names)}, which have none of its metrics"
        )
    if as_json:
        print_json({"results": found, "rows": [row.to_json() for row in rows_of(found)]})
        return 0
    out = console()
    if not found:
        out.print("no results")
    for title, header, rows in made:
        out.print(f"\n{title}")
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
            out.print("  " + "  ".join(cells).rstrip(), soft_wrap=True)
    return 0
