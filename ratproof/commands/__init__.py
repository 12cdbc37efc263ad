"""The commands, in one file a subject; importing this package makes the whole command line."""

from ratproof.commands import (
    automata,
    checking,
    claims,
    deciding,
    hunting,
    not_rational,
    proving,
    rules,
    state_regularized,
)
from ratproof.commands.app import app
from ratproof.process import limits

app.add_typer(rules.rules, name="rules")
limits.add(app)

__all__ = [
    "app",
    "automata",
    "checking",
    "claims",
    "deciding",
    "hunting",
    "not_rational",
    "proving",
    "rules",
    "state_regularized",
]
