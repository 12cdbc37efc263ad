"""The command line's ``results``: tables of the experiments, from stored results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from automata.errors import InputError, OutputError
from automata.text.printable_text import printable
from ratproof.commands.app import AsJson, HtmlFile, command_line, example
from ratproof.commands.terminal import console
from ratproof.html.page import PLAIN, HtmlPage, HtmlTable, cells, write_html
from ratproof.process.exit_statuses import NO
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs

KEPT = Path(__file__).parent / "results"

app = typer.Typer(name="results")


@app.command("results", epilog=example("results", "results text", "results trained", "results --recheck 1"))
def results(
    context: typer.Context,
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="FOLDER",
            help="a folder with results, or a name of the stored results (default: all stored results)",
        ),
    ] = None,
    with_commands: Annotated[
        bool, typer.Option("--commands", help="also print the command that makes each row")
    ] = False,
    again: Annotated[
        int | None,
        typer.Option(
            "--recheck",
            min=1,
            metavar="N",
            help="train N random stored networks again, and compare weights, certificates and figures",
        ),
    ] = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Print the results of the experiments next to the papers' results.

    A row combines the runs that differ only in the seed. If a model has several rows, they show the settings
    in which they differ. With --recheck, the exit status is 0 if all new runs equal the stored runs. It is 3
    if a new run differs and has another processor, Python version or torch version, which may round
    differently. It is 1 if a new run differs otherwise, or if a stored certificate is rejected.
    """
    from training.engine.results import result_files, results_in

    if again is not None:
        if with_commands or html is not None:
            raise InputError("--recheck is not supported with --commands or --html")
        return _recheck(_folder(folder), again, as_json)
    source = _folder(folder)
    require_outputs({"--html": html}, reads=result_files(source))
    selected = results_in(source)
    if not selected:
        raise InputError(f"{folder}: the folder must contain results{_names()}")
    status = show(selected, as_json, with_commands)
    if html is not None:
        why = write_html(_page(selected, command_line(context)), html)
        if why:
            raise OutputError(why)
    return status


def _recheck(folder: Path, count: int, as_json: bool) -> int:
    from training.recheck import rechecked

    checks, out = [], console()
    for one in rechecked(folder, count):
        checks.append(one)
        if not as_json:
            out.print(str(one), soft_wrap=True)
    if as_json:
        print_json({"rechecks": [one.to_json() for one in checks]})
    statuses = {one.status for one in checks}
    return NO if NO in statuses else max(statuses)


def _page(results: list[dict[str, Any]], command: str) -> HtmlPage:
    from training.tables import commands, tables, warnings

    shown = [
        HtmlTable(title, header, [cells(*row) for row in rows])
        for title, header, rows in [*tables(results), commands(results)]
    ]
    runs = "run" if len(results) == 1 else "runs"
    return HtmlPage(
        "Results of the experiments",
        f"{len(results):,} {runs}",
        PLAIN,
        warnings(results),
        command,
        tables=shown,
    )


def _folder(folder: str | None) -> Path:
    if folder is None:
        if not KEPT.is_dir():
            raise InputError(f"results: a folder with results must be passed{_names()}")
        return KEPT
    path = Path(folder)
    if not path.exists() and folder in _kept_names():
        return KEPT / folder
    if not path.is_dir():
        raise InputError(f"{folder}: the path must be a folder with results{_names()}")
    return path


def _kept_names() -> list[str]:
    return sorted(path.name for path in KEPT.iterdir() if path.is_dir()) if KEPT.is_dir() else []


def _names() -> str:
    if not KEPT.is_dir():
        return "; the stored results are part of the repository, not of the installed package"
    return f"; the stored results are {', '.join(_kept_names())}"


def show(selected: list[dict[str, Any]], as_json: bool, with_commands: bool = False) -> int:
    """Print the tables of some results, and a note if results with the same seed disagree; return 0.

    Raises:
        InputError: If there are results, but none of them belongs to a table.
    """
    from training.groups import groups_of
    from training.tables import commands, rows_of, tables, warnings

    sections = tables(selected)
    if selected and not sections:
        names = ", ".join(sorted({one["experiment"] for one in selected}))
        raise InputError(f"results of {printable(names)} must have the metrics of at least one table")
    if as_json:
        shown = [row.to_json() for row in rows_of(selected)]
        groups = [group.to_json() for group in groups_of(selected)]
        print_json({"results": selected, "rows": shown, "groups": groups})
        return 0
    out = console()
    if not selected:
        out.print("no results")
    for title, header, rows in [*sections, commands(selected)] if with_commands else sections:
        out.print(f"\n{title}", soft_wrap=True)
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
            out.print("  " + "  ".join(cells).rstrip(), soft_wrap=True)
    for sentence in warnings(selected):
        out.print(f"\n{sentence}", soft_wrap=True)
    return 0
