"""The command line's options for the fields of a dataclass of settings: one an option, each with its help."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated, Any, get_type_hints

import typer

from training.engine.settings import Settings, option


def options_of(kind: type[Settings], but: tuple[str, ...] = ()) -> list[inspect.Parameter]:
    """Return a parameter of a command for each field of that kind of settings, ``but`` for some; its default
    is ``None``, which leaves the setting open.
    """
    types = get_type_hints(kind)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                types[one.name] | None, typer.Option(_flags(one.name, types[one.name]), help=_help(one))
            ],
        )
        for one in dataclasses.fields(kind)
        if one.name not in but
    ]


def _flags(name: str, kind: type) -> str:
    """What is true or false has an option for each."""
    return f"{option(name)}/--no-{option(name)[2:]}" if kind is bool else option(name)


def _help(one: Any) -> str:
    words = one.metadata.get("one_of")
    return str(one.metadata["says"]) + (f": {', '.join(words)}" if words else "")
