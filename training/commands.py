"""The command line's ``train``: every experiment that can be trained."""

from __future__ import annotations

import typer

from ratproof.commands.app import example
from training.fa_rnn.commands.train import fa_rnn
from training.state_regularized.commands import dfa, parentheses, tomita

app = typer.Typer(
    name="train",
    no_args_is_help=True,
    help=(
        "Train a network on a language, or from rules. Of a language, the automaton is then extracted and"
        " certified; from rules, the network is trained on labelled sentences."
    ),
)
app.command(epilog=example("train tomita --grammar 5 --seed 0 -o five"))(tomita)
app.command(epilog=example("train parentheses --depth 2 -o nested"))(parentheses)
app.command(epilog=example("train dfa even.json -o even"))(dfa)
app.command("fa-rnn", epilog=example("train fa-rnn --data home -o house"))(fa_rnn)
