"""Mutations of JSON texts: a value, a key, a number."""

from __future__ import annotations

import copy
import re
from random import Random
from typing import Any

from proofs_tests.mutated_files import json_text
from proofs_tests.mutated_files.changed_bytes import Mutant
from proofs_tests.mutated_files.json_text import Object
from proofs_tests.mutated_files.values import KEYS, NUMBERS, VALUES


def of_json(data: bytes, random: Random) -> Mutant:
    """Change one value, key or number of a JSON text."""
    whole = [json_text.loads(data.decode())]
    change = change_json(whole, random)
    return json_text.dumps(whole[0]).encode("utf-8", "surrogatepass"), change


def change_json(whole: list[Any], random: Random) -> str:
    """Change one place of the document in ``whole[0]``, and describe the change."""
    numbers = (
        [place for place in json_text.places(whole) if is_number(json_text.get(*place))]
        if random.random() < 0.3
        else []
    )
    if numbers:
        parent, at = random.choice(numbers)
        where, new = description(parent, at), random.choice(NUMBERS)
        json_text.put(parent, at, new)
        return f"number at {where}: now {new!r:.60}"
    parent, at = some_place(whole, random)
    value = json_text.get(parent, at)
    where = f"{description(parent, at)} = {json_text.dumps(value):.40}"
    ways = (
        "value",
        "value",
        "value",
        "number",
        "number",
        "remove",
        "rename",
        "double",
        "add",
        "exchange",
        "borrow",
        "nest",
        "empty",
    )
    way = (
        "number"
        if isinstance(value, str) and value[-1:].isdigit() and random.random() < 0.4
        else random.choice(ways)
    )
    if way == "number" and isinstance(value, (str, int, float)) and not isinstance(value, bool):
        new: Any = random.choice(NUMBERS) if isinstance(value, str) else nudged(value, random)
    elif way == "borrow":
        new = copy.deepcopy(json_text.get(*some_place(whole, random)))
    elif way == "nest":
        new = [value] if random.random() < 0.5 else Object([(random.choice(KEYS), value)])
    elif way == "empty" and isinstance(value, (list, Object)):
        new = [] if isinstance(value, list) else Object([])
    elif way in ("value", "number", "empty") or parent is whole:
        new = copy.deepcopy(random.choice(VALUES))
        new = Object(list(new.items())) if isinstance(new, dict) else new
    else:
        inside = parent.fields if isinstance(parent, Object) else parent
        if way == "remove":
            del inside[at]
        elif way == "rename" and isinstance(parent, Object):
            inside[at] = (random.choice(KEYS), value)
        elif way == "exchange":
            other = random.randrange(len(inside))
            one = value
            json_text.put(parent, at, json_text.get(parent, other))
            json_text.put(parent, other, one)
        elif way == "add" and isinstance(parent, Object):
            inside.insert(at, (random.choice(KEYS), random.choice((None, 0, "x"))))
        else:
            inside.insert(random.randrange(len(inside) + 1), copy.deepcopy(inside[at]))
        return f"{way} at {where}"
    json_text.put(parent, at, new)
    return f"{way} at {where}: now {json_text.dumps(new):.60}"


def is_number(value: Any) -> bool:
    """Whether a value is a text that is a number."""
    return isinstance(value, str) and re.fullmatch(r"-?[0-9]+([./][0-9]+)?", value) is not None


def some_place(whole: list[Any], random: Random) -> tuple[Any, int]:
    """A random place of the document: of all, or at the end of a random walk from the top, so that long lists
    do not get all mutations.
    """
    if random.random() < 0.3:
        return random.choice(json_text.places(whole))
    parent, at = whole, 0
    while True:
        inside = json_text.get(parent, at)
        count = (
            len(inside.fields)
            if isinstance(inside, Object)
            else len(inside)
            if isinstance(inside, list)
            else 0
        )
        if not count or random.random() < 0.1:
            return parent, at
        weights = [
            4
            if isinstance(json_text.get(inside, i), Object)
            else 2
            if isinstance(json_text.get(inside, i), list)
            else 1
            for i in range(count)
        ]
        parent, at = inside, random.choices(range(count), weights)[0]


def nudged(number: float, random: Random) -> Any:
    """A number near another one, or unlike it."""
    return random.choice(
        (
            number + 1,
            number - 1,
            -number,
            number * 2,
            number + 0.5,
            10 * number + 7,
            0,
            float(number),
            str(number),
            2**40,
            10**9,
        )
    )


def description(parent: Any, at: int) -> str:
    """The description of a place, for people."""
    return repr(parent.fields[at][0]) if isinstance(parent, Object) else f"[{at}]"
