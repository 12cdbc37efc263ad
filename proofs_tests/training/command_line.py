"""The command line with the commands of training, whether or not training is installed."""

import pytest
import typer

import ratproof.commands.rules  # noqa: F401 (ratproof's own commands on rules)
from ratproof import main
from ratproof.process import limits
from training.campaign.commands import app as campaign
from training.commands import app as train
from training.results_command import app as results
from training.rules.commands import app as rules


@pytest.fixture
def command_line(monkeypatch):
    app = typer.Typer(context_settings={"help_option_names": ["-h", "--help"]})
    app.callback()(lambda: None)
    app.add_typer(train, name="train")
    app.add_typer(campaign, name="campaign")
    app.add_typer(rules, name="rules")
    app.registered_commands += results.registered_commands
    limits.add(app)
    command = typer.main.get_command(app)
    monkeypatch.setattr(main, "_command", lambda: command)  # it caches the command of ratproof's app
