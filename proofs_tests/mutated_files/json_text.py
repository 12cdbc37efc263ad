"""JSON for mutations: objects that may name a field twice, and text that no JSON writer writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Raw:
    """A value as it will stand in the file: ``1e400``, ``NaN``, or no JSON at all."""

    text: str


@dataclass
class Object:
    """An object's fields in their order."""

    fields: list[tuple[str, Any]]


def loads(text: str) -> Any:
    """The text as lists, objects of :class:`Object`, and plain values."""
    return json.loads(text, object_pairs_hook=Object)


def dumps(value: Any) -> str:
    """The text of a value that :func:`loads` read, however it was changed."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Object):
        return "{" + ", ".join(f"{json.dumps(name)}: {dumps(item)}" for name, item in value.fields) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return json.dumps(value)


def places(value: Any) -> list[tuple[Any, int]]:
    """Every place of a value: the list or object around it, and the position in it."""
    result: list[tuple[Any, int]] = []
    waiting = [value]
    while waiting:
        one = waiting.pop()
        inside = one.fields if isinstance(one, Object) else one if isinstance(one, list) else []
        for i in range(len(inside)):
            result.append((one, i))
            waiting.append(get(one, i))
    return result


def get(parent: Any, place: int) -> Any:
    """The value at a place."""
    return parent.fields[place][1] if isinstance(parent, Object) else parent[place]


def put(parent: Any, place: int, value: Any) -> None:
    """Set the value at a place."""
    if isinstance(parent, Object):
        parent.fields[place] = (parent.fields[place][0], value)
    else:
        parent[place] = value
