"""The command line's options for the fields of a dataclass of settings: one an option, each with its help."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints

import typer

from training.engine.settings import Settings, option


def with_settings(
    kind: type[Settings], without: Mapping[str, Any] | None = None, but: tuple[str, ...] = ()
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator for a command whose last parameter, ``given``, gets the settings that its user named, by
    name; the command has an option for each field of ``kind``.

    Args:
        kind: of the settings.
        without: the command's parameters that have no option, and their values.
        but: the fields that have no option.
    """
    absent = dict(without or {})

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        own = inspect.signature(command, eval_str=True)
        kept = [parameter for name, parameter in own.parameters.items() if name not in ("given", *absent)]
        made = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in _parameters(kind, but)
        ]
        names = [parameter.name for parameter in made]

        def run(**arguments: Any) -> int:
            given = {name: arguments.pop(name) for name in names}
            named = {name: value for name, value in given.items() if value is not None}
            return command(**arguments, **absent, given=named)

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept] + made
        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": int}
        return run

    return decorate


def _parameters(kind: type[Settings], but: tuple[str, ...]) -> list[inspect.Parameter]:
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
