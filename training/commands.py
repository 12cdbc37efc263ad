"""The command ``ratproof train``, with a subcommand for each experiment."""

from __future__ import annotations

from typing import Annotated

import typer

from automata.errors import InputError
from ratproof.commands.app import AsJson, example
from ratproof.commands.terminal import console, headed
from ratproof.process.json_answers import print_json
from training.dfa_command import with_cells
from training.experiment_command import experiment_command
from training.experiment_list import EXPERIMENTS, RECORDS

app = typer.Typer(
    name="train",
    no_args_is_help=True,
    help="Train a network on a language, from rules, or on text. For a language, the automaton is then"
    " extracted and certified. From rules, the network is trained on labelled sentences. On text, the run"
    " decides whether the trained units are equal to their automata.",
)


@app.callback(invoke_without_command=True)
def frame(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--list", help="list the experiments with their data and cost")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Train a network."""
    if every and context.invoked_subcommand is None:
        _list(as_json)
        return 0
    if every or as_json:
        what = "--list" if every else "--json"
        raise InputError(
            f"{what} must not come before an experiment; ratproof train --list lists the experiments"
        )
    if context.invoked_subcommand is None:
        raise InputError("the name of an experiment is missing; ratproof train --list lists them")
    return 0


def _list(as_json: bool) -> None:
    if as_json:
        print_json({"experiments": [one.to_json() for one in EXPERIMENTS]})
        return
    out = console()
    for one in EXPERIMENTS:
        out.print(headed(one.name, f": ratproof {one.command}, {one.cost}"), soft_wrap=True)
        out.print(f"  {one.paper}", soft_wrap=True)
        out.print(f"  data: {one.data}", soft_wrap=True)
        if one.models:
            out.print(f"  models: {', '.join(one.models)}", soft_wrap=True)


for _record in RECORDS:
    if _record.does:
        _example = example(f"{_record.command} {_record.example}")
        app.command(_record.name, short_help=f"{_record.does}.", epilog=_example)(
            with_cells(experiment_command(_record)) if _record.name == "dfa" else experiment_command(_record)
        )
