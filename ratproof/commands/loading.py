"""The group of all commands, which imports a command when it runs, because importing torch is slow."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ratproof.commands import installed, verbosity
from ratproof.commands.table import GROUPS, ROWS
from ratproof.process import limits

SETTINGS: Mapping[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}
"""Settings of the application and of all groups."""


class Commands(TyperGroup):
    """The commands of :data:`~ratproof.commands.table.GROUPS`, and those that other packages install."""

    application: typer.Typer
    """The application to which the commands add themselves."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"commands": {}})  # also load the commands that are already imported

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, by group."""
        return list(dict.fromkeys([*ROWS, *installed.entries()]))

    def get_command(self, ctx: Any, name: str) -> Any:
        """Import and return the command with this name, or return ``None`` if there is none."""
        if name not in self.commands and name in self.list_commands(ctx):
            self.commands[name] = load(name, self.application)
        return self.commands.get(name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Resolve the command, or fail and suggest a similar name.

        Typer only suggests commands that are already imported.
        """
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = get_close_matches(args[0], self.list_commands(ctx), 1)
            ctx.fail(f"No such command {args[0]!r}" + (f"; did you mean {near[0]}?" if near else ""))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Complete the name of a command without importing it."""
        for name in self.list_commands(ctx):
            row = ROWS.get(name)
            self.commands.setdefault(name, TyperCommand(name, help=None if row is None else row.does))
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one line per command, by group."""
        others = [name for name in installed.entries() if name not in ROWS]
        groups = {title: [(row.name, row.does) for row in rows] for title, rows in GROUPS.items()}
        if others:
            sources = installed.entries()
            groups["Installed"] = [(name, f"Provided by {sources[name].value}.") for name in others]
        widest = max(len(name) for rows in groups.values() for name, _ in rows)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{widest}}", does) for name, does in rows])


def load(name: str, app: typer.Typer) -> Any:
    """Import and return the command or group with this name."""
    row = ROWS.get(name)
    if row is not None and row.module is not None:
        import_module(row.module)
    installed.add(name, app)
    limits.add(app)
    verbosity.add(app)
    holder = typer.Typer(**SETTINGS)
    holder.callback()(lambda: None)
    holder.registered_commands = [c for c in app.registered_commands if _name(c) == name]
    holder.registered_groups = [g for g in app.registered_groups if g.name == name]
    return typer.main.get_command(holder).commands[name]  # type: ignore[attr-defined]


def _name(command: Any) -> str:
    return str(command.name or command.callback.__name__.replace("_", "-"))
