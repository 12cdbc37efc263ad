"""The command line's ``train``: every experiment that can be trained."""

from __future__ import annotations

from typing import Annotated

import typer

from automata.errors import InputError
from ratproof.commands.app import AsJson, example
from ratproof.commands.terminal import console, headed
from ratproof.process.json_answers import print_json
from training.classification_with_rules.commands import TITLES as WITH_RULES
from training.classification_with_rules.commands import command as with_rules
from training.classification_with_rules.commands import fa_rnn
from training.experiment_list import EXPERIMENTS
from training.images.commands import TITLES as IMAGES
from training.images.commands import command as images
from training.language_modelling.commands import ptb
from training.language_recognition.commands import TITLES as DRAWN
from training.language_recognition.commands import command as recognised
from training.rational_recurrences.commands import TITLES, command
from training.reviews.commands import imdb
from training.state_regularized.commands import dfa, nested, tomita
from training.wikipedia.commands import wikipedia

app = typer.Typer(
    name="train",
    no_args_is_help=True,
    help=(
        "Train a network on a language, from rules, or on text. Of a language, the automaton is then"
        " extracted"
        " and certified; from rules, the network is trained on labelled sentences; on text, the trained"
        " units are"
        " decided to be their automata."
    ),
)


@app.callback(invoke_without_command=True)
def frame(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--list", help="the experiments, the data that each needs, and its cost")
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
            f"{what} before an experiment is not right: ratproof train --list lists the experiments"
        )
    if context.invoked_subcommand is None:
        raise InputError("no experiment is named; ratproof train --list lists them")
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


app.command(epilog=example("train tomita --grammar 5 --seed 0 -o five"))(tomita)
app.command(epilog=example("train nested --depth 2 -o nested"))(nested)
app.command(epilog=example("train dfa even.json -o even"))(dfa)
app.command("fa-rnn", epilog=example("train fa-rnn --data home -o house"))(fa_rnn)
app.command("ptb", epilog=example("train ptb --model rrnn-f --preset small --data data -o run"))(ptb)
app.command("wikipedia", epilog=example("train wikipedia --model sr-lstm --data data -o run"))(wikipedia)
app.command("imdb", epilog=example("train imdb --model sr-lstm-p --preset small --data data -o run"))(imdb)
for _name in IMAGES:
    app.command(_name, epilog=example(f"train {_name} --model sr-lstm-p --preset small --data data -o run"))(
        images(_name)
    )
for _name in TITLES:
    app.command(_name, epilog=example(f"train {_name} --model rrnn-f --seed 0 --data data -o run"))(
        command(_name)
    )
for _name in WITH_RULES:
    app.command(_name, epilog=example(f"train {_name} --model bifa-rnn --share 0.1 --data data -o run"))(
        with_rules(_name)
    )
for _name in DRAWN:
    app.command(_name, epilog=example(f"train {_name} --model sr-lstm-p --seed 0 -o run"))(recognised(_name))
