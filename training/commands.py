"""The command line's ``train``: every experiment that can be trained."""

from __future__ import annotations

import typer

from training.fa_rnn.commands.train import fa_rnn
from training.state_regularized.commands import dfa, parentheses, tomita

app = typer.Typer(
    name="train",
    no_args_is_help=True,
    help=(
        "Train a network: on a language, whose automaton is then extracted and certified; or from rules, on"
        " labelled sentences."
    ),
)
app.command()(tomita)
app.command()(parentheses)
app.command()(dfa)
app.command("fa-rnn")(fa_rnn)
