"""Reading and writing of automata as JSON.

Every weight is a string; a JSON number is read as its decimal text. States are 0 to n - 1, the symbol ""
stands for epsilon, and a weight that is not listed is zero.

>>> print(dumps(loads('{"semiring": "real", "states": 2, "alphabet": ["a"], "initial": [[0, "1"]],'
...                   ' "final": [[1, "0.5"]], "transitions": [[0, 1, "a", "-3/7"]]}')))
{
  "semiring": "real",
  "states": 2,
  "alphabet": ["a"],
  "initial": [[0, "1"]],
  "final": [[1, "1/2"]],
  "transitions": [
    [0, 1, "a", "-3/7"]
  ]
}
<BLANKLINE>
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeGuard

from automata.aliases import JsonObject, Weight, Weights
from automata.errors import FormatError, InputError, LimitReached
from automata.semirings import Semiring, semiring
from automata.symbols import EPSILON
from automata.text.number_text import MOST_DIGITS, shorten
from automata.text.printable_text import has_half_a_character
from automata.weights import warn_merged
from automata.wfsa import WFSA, require_states

SHAPES = {
    "alphabet": "a list of strings",
    "initial": "a list of [state, weight]",
    "final": "a list of [state, weight]",
    "transitions": "a list of [source, target, symbol, weight]",
}
FIELDS = ("semiring", "states", "alphabet", "initial", "final", "transitions")


def loads(text: str, where: str = "automaton") -> WFSA:
    """Parse an automaton from JSON.

    Duplicate weights are summed, and a ``UserWarning`` lists them.

    Args:
        text: The JSON text.
        where: The name of the file for error messages.

    Raises:
        FormatError: If the text is invalid. The message names the file, the field and the requirement.
    """
    return from_json(_parse(text, where), where)


def from_json(data: object, where: str = "automaton") -> WFSA:
    """Convert a parsed JSON object to an automaton; see :func:`loads`."""
    reader = _Reader(where)
    if not isinstance(data, dict):
        raise reader.error("", f"must be an object with {', '.join(FIELDS)}, got {_kind(data)}")
    for name in data:
        if name not in FIELDS:
            raise reader.error(
                shorten(name)[1:-1], f"is unknown; the fields of an automaton are {', '.join(FIELDS)}"
            )
    for name in FIELDS:
        if name not in data:
            raise reader.error(name, f"is missing; an automaton has the fields {', '.join(FIELDS)}")
    if not isinstance(data["semiring"], str):
        raise reader.error("semiring", f"must be a name, got {_kind(data['semiring'])}")
    with reader.at("semiring"):
        k = semiring(data["semiring"])
    n = data["states"]
    if not _is_count(n):
        raise reader.error("states", f"must be a non-negative integer, got {shorten(n)}")
    try:
        require_states(n)
    except LimitReached as error:  # a limit on files, not on computations
        raise FormatError(f"{where}: {error}") from None
    alphabet = reader.items(data["alphabet"], "alphabet")
    for i, symbol in enumerate(alphabet):
        if not isinstance(symbol, str):
            raise reader.error(f"alphabet[{i}]", f"must be a string, got {_kind(symbol)}")
        if symbol == EPSILON:
            raise reader.error(f"alphabet[{i}]", 'must not be "", which is reserved for epsilon')
        if has_half_a_character(symbol):
            raise reader.error(
                f"alphabet[{i}]",
                f"must be valid Unicode, got {shorten(symbol)}, which contains a lone surrogate",
            )
    twice = [symbol for symbol, count in Counter(alphabet).items() if count > 1]
    if twice:
        raise reader.error("alphabet", f"must have distinct symbols, got {shorten(twice[0])} twice")
    known = {*alphabet, EPSILON}
    vectors = [
        [
            reader.weighted_state(item, f"{name}[{i}]", n, k)
            for i, item in enumerate(reader.items(data[name], name))
        ]
        for name in ("initial", "final")
    ]
    items = reader.items(data["transitions"], "transitions")
    transitions = [reader.transition(item, f"transitions[{i}]", n, known, k) for i, item in enumerate(items)]
    initial, final = ((q for q, _ in vector) for vector in vectors)
    warn_merged(where, ((p, q, s) for p, q, s, _ in transitions), initial, final, stacklevel=4)
    with reader.at(""):
        return WFSA.from_edges(k, n, alphabet, vectors[0], vectors[1], transitions)


def dumps(automaton: WFSA) -> str:
    """Return the automaton as JSON text with one transition per line, or raise InputError."""
    data = to_readable_json(automaton)
    short = {name: json.dumps(data[name], ensure_ascii=False) for name in FIELDS}
    rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in data["transitions"])
    short["transitions"] = f"[\n    {rows}\n  ]" if rows else "[]"
    return "{\n" + ",\n".join(f'  "{name}": {short[name]}' for name in FIELDS) + "\n}\n"


def to_readable_json(automaton: WFSA) -> JsonObject:
    """Return the automaton as a JSON object, or raise InputError if it could not be read from a file."""
    data = to_json(automaton)
    for weight in (row[-1] for name in ("initial", "final", "transitions") for row in data[name]):
        if len(weight) > MOST_DIGITS:
            raise InputError(
                f"weight {shorten(weight)} must have at most {MOST_DIGITS} digits, the limit for reading a"
                " file"
            )
    return data


def to_json(automaton: WFSA) -> JsonObject:
    """Return the automaton as a JSON object.

    Raises InputError if a symbol is not valid Unicode text, or a weight overflowed float64.
    """
    k = automaton.semiring
    for symbol in automaton.alphabet:
        if not isinstance(symbol, str):
            raise InputError(f"symbol {shorten(symbol)} must be a string to be written as JSON")
        if has_half_a_character(symbol):
            raise InputError(f"symbol {shorten(symbol)} must be valid Unicode, but contains a lone surrogate")

    @cache  # weights are often repeated
    def text(weight: Weight) -> str:
        if isinstance(weight, float) and not k.contains(weight):
            raise InputError(f"weights must be in the range of float64 to be written, got {k.format(weight)}")
        return k.format(weight)

    def vector(weights: Weights) -> list[list[int | str]]:
        return [[q, text(w)] for q, w in enumerate(weights.tolist()) if w != k.zero]

    return {
        "semiring": k.name,
        "states": automaton.states,
        "alphabet": list(automaton.alphabet),
        "initial": vector(automaton.initial),
        "final": vector(automaton.final),
        "transitions": [[e.source, e.target, e.symbol, text(e.weight)] for e in automaton.edges()],
    }


class JsonNumber:
    """A JSON number with a fraction or exponent, stored as text so that a weight is parsed exactly."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class _Reader:
    """A parser for the parts of a document, whose error messages contain the file and the field."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.weights: dict[str, Weight] = {}  # parsed weights by their text

    def error(self, field: str, message: str) -> FormatError:
        return FormatError(f"{self.where}: {f'field {field} ' if field else ''}{message}")

    @contextmanager
    def at(self, field: str) -> Iterator[None]:
        try:
            yield
        except LimitReached as error:
            raise error.about(self.where) from None
        except FormatError:
            raise
        except InputError as error:
            raise FormatError(f"{self.where}: {f'field {field}: ' if field else ''}{error}") from None

    def items(self, value: object, field: str) -> list[object]:
        if not isinstance(value, list):
            raise self.error(field, f"must be {SHAPES[field]}, got {_kind(value)}")
        return value

    def row(self, value: object, field: str, shape: str) -> list[object]:
        if not isinstance(value, list) or len(value) != len(shape.split(",")):
            raise self.error(field, f"must be [{shape}], got {shorten(value)}")
        return value

    def state(self, value: object, field: str, n: int) -> int:
        if not _is_count(value) or value >= n:
            raise self.error(field, f"must have a state of the automaton, got {shorten(value)}; {_states(n)}")
        return value

    def weight(self, value: object, field: str, k: Semiring) -> Weight:
        if isinstance(value, JsonNumber | int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise self.error(
                field, f'must have a string such as "1" or "-3/7" as its weight, got {shorten(value)}'
            )
        if value not in self.weights:
            with self.at(field):
                self.weights[value] = k.parse(value)
        return self.weights[value]

    def weighted_state(self, value: object, field: str, n: int, k: Semiring) -> tuple[int, Weight]:
        state, weight = self.row(value, field, "state, weight")
        return self.state(state, field, n), self.weight(weight, field, k)

    def transition(
        self, value: object, field: str, n: int, known: set[object], k: Semiring
    ) -> tuple[int, int, str, Weight]:
        source, target, symbol, weight = self.row(value, field, "source, target, symbol, weight")
        if not isinstance(symbol, str) or symbol not in known:
            raise self.error(field, f"must have a symbol of the alphabet, got {shorten(symbol)}")
        return (
            self.state(source, field, n),
            self.state(target, field, n),
            symbol,
            self.weight(weight, field, k),
        )


def _parse(text: str, where: str) -> object:
    def once(pairs: list[tuple[str, Weight]]) -> JsonObject:
        names = Counter(name for name, _ in pairs)
        for name, count in names.items():
            if count > 1:
                raise FormatError(f"{where}: field {shorten(name)} must occur once, got {count} times")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=once, parse_float=JsonNumber, parse_constant=JsonNumber)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"{where}: line {error.lineno}, column {error.colno}: the file must be JSON: {error.msg}"
        ) from None
    except FormatError:
        raise
    except RecursionError:
        raise FormatError(f"{where}: the JSON is nested too deeply for an automaton") from None
    except ValueError:  # Python reads no longer integers
        raise FormatError(f"{where}: a number must have at most {MOST_DIGITS} digits") from None


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _states(n: int) -> str:
    return f"the states are 0 to {n - 1}" if n else "it has no states"


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
