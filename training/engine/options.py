"""Command-line options for the fields of a settings dataclass."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Annotated, Any, get_type_hints

import typer

from training.engine.settings import Settings, option


def options_of(kind: type[Settings], but: tuple[str, ...] = ()) -> list[inspect.Parameter]:
    """Return a command-line option with help for each field of a settings class, except the fields ``but``.

    The default ``None`` means that the user did not set the option.
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
    """Return the option's name; for a Boolean field, return the names for true and for false."""
    return f"{option(name)}/--no-{option(name)[2:]}" if kind is bool else option(name)


def _help(one: Any) -> str:
    words = one.metadata.get("one_of")
    return str(one.metadata["says"]) + (f" ({', '.join(words)})" if words else "")
