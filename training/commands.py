"""The command line's ``train``: every experiment that can be trained."""

from __future__ import annotations

from collections.abc import Callable
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


def _add(name: str, does: str, train: Callable[..., int], options: str) -> None:
    """Add a command, with what the list of commands says that it does, and an example."""
    app.command(name, short_help=f"{does}.", epilog=example(f"train {name} {options}"))(train)


_add("tomita", "Learn a Tomita grammar", tomita, "--grammar 5 --seed 0 -o five")
_add("nested", "Learn balanced parentheses up to a depth", nested, "--depth 2 -o nested")
_add("dfa", "Learn the language of an automaton in a file", dfa, "even.json -o even")
_add("fa-rnn", "Train an FA-RNN that begins as rules of one's own", fa_rnn, "--data home -o house")
_add(
    "ptb", "Model the language of the Penn Treebank", ptb, "--model rrnn-f --preset small --data data -o run"
)
_add(
    "wikipedia", "Model the language of Wikipedia's articles", wikipedia, "--model sr-lstm --data data -o run"
)
_add(
    "imdb",
    "Classify the reviews of IMDB word by word",
    imdb,
    "--model sr-lstm-p --preset small --data data -o run",
)
for _name, _title in IMAGES.items():
    _options = "--model sr-lstm-p --preset small --data data -o run"
    _add(_name, f"Classify {_title} pixel by pixel", images(_name), _options)
for _name, _title in TITLES.items():
    _options = "--model rrnn-f --seed 0 --data data -o run"
    _add(_name, f"Classify the sentences of {_title}", command(_name), _options)
for _name, _title in WITH_RULES.items():
    _options = "--model bifa-rnn --share 0.1 --data data -o run"
    _add(_name, f"Classify {_title}'s sentences, with rules", with_rules(_name), _options)
for _name, _title in DRAWN.items():
    _add(_name, _title, recognised(_name), "--model sr-lstm-p --seed 0 -o run")
