"""The options ``-v`` and ``-q``, which control the progress output of long commands."""

from __future__ import annotations

import inspect
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated

import typer

from automata.errors import InputError
from ratproof.commands.terminal import LOGGER, VERBOSITY

COMMANDS = {"verify", "check", "hunt", "certify"}
"""The commands with these options, besides all of :data:`GROUP`."""
GROUP = "train"


def _option(name: str, help: str) -> inspect.Parameter:
    annotation = Annotated[bool, typer.Option(f"-{name[0]}", f"--{name}", help=help)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=annotation)


OPTIONS = (
    _option("verbose", "print a line for each step on standard error"),
    _option("quiet", "print no progress (default without a terminal: a line every 30 seconds)"),
)


def add(app: typer.Typer, path: str = "") -> None:
    """Add the two options to the commands of the app and its groups that report progress."""
    for command in app.registered_commands:
        callback = command.callback
        if callback is None or hasattr(callback, "has_verbosity"):
            continue
        if path == GROUP or (not path and (command.name or callback.__name__) in COMMANDS):
            command.callback = _with_verbosity(callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            add(group.typer_instance, group.name or str(group.typer_instance.info.name))


def _with_verbosity(command: Callable[..., int | None]) -> Callable[..., int | None]:
    @wraps(command)
    def run(*arguments: object, verbose: bool = False, quiet: bool = False, **options: object) -> int | None:
        if verbose and quiet:
            raise InputError("-v and -q cannot be used together")
        with _set(verbose - quiet):
            return command(*arguments, **options)

    signature = inspect.signature(command, eval_str=True)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *OPTIONS])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in run.__signature__.parameters.values()}  # type: ignore[attr-defined]
    run.has_verbosity = True  # type: ignore[attr-defined]
    return run


@contextmanager
def _set(verbosity: int) -> Iterator[None]:
    """Set the verbosity: 1 logs at level INFO, -1 shows no progress."""
    token, before = VERBOSITY.set(verbosity), LOGGER.level
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    if verbosity > 0:
        LOGGER.addHandler(handler)
        LOGGER.setLevel(logging.INFO)
    try:
        yield
    finally:
        VERBOSITY.reset(token)
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(before)
