"""The weights of a cell as fractions by name, example weights, and conversion to and from JSON."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from automata.errors import FormatError, InputError, ShapeError
from automata.text.number_text import parse_number, shorten, write_number
from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.cell import PER_UNIT, Cell
from theory.not_rational.vectors import State

FIELDS = {"letters", "weights"}


@dataclass(frozen=True)
class WeightedCell:
    """A cell with weights.

    Attributes:
        cell: the cell.
        letters: the alphabet; a letter is represented by its index.
        units: the number of units.
        weights: the weights by name, as nested lists of fractions. Their shapes must be ``cell.shapes``.

    Raises:
        InputError: If a weight is missing or unknown or has the wrong shape, or if a letter occurs twice.
    """

    cell: Cell
    letters: tuple[str, ...]
    units: int
    weights: Mapping[str, Any]

    def __post_init__(self) -> None:
        missing, extra = set(self.cell.shapes) - set(self.weights), set(self.weights) - set(self.cell.shapes)
        if missing or extra:
            wrong = (
                f"{sorted(missing)[0]} is missing" if missing else f"{shorten(sorted(extra)[0])} is unknown"
            )
            raise InputError(f"{self.cell.name}: the weights must be {', '.join(self.cell.shapes)}; {wrong}")
        if self.units < 1 or not self.letters or len(set(self.letters)) != len(self.letters):
            raise InputError(
                f"{self.cell.name}: there must be at least one unit, and distinct letters, got"
                f" {self.units} units and the letters {list(self.letters)!r:.60}"
            )
        if self.units < (fewest := self.cell.fewest):
            raise InputError(
                f"{self.cell.name}: the number of units must be at least {fewest}, got {self.units}"
            )
        for name, shape in self.cell.shapes.items():
            if _shape(self.weights[name]) != (right := self.sizes(shape)):
                raise ShapeError(
                    f"{self.cell.name}: {name} must have shape {list(right)}, which is {_words(shape)}"
                )
            if name in self.cell.positive and not all(number > 0 for number in _numbers(self.weights[name])):
                raise InputError(f"{self.cell.name}: the numbers of {name} must be positive")

    def sizes(self, shape: tuple[str, ...]) -> tuple[int, ...]:
        """Return the shape with the numbers of units and letters instead of ``units`` and ``letters``."""
        return tuple({"units": self.units, "letters": len(self.letters)}[name] for name in shape)

    def start(self, arithmetic: Arithmetic) -> State:
        """Return the initial state of the cell."""
        return self.cell.start(self.units, len(self.letters), arithmetic)

    def to_json(self) -> dict[str, Any]:
        """Return the weights as strings, in the form that :func:`from_json` reads."""
        return {
            "letters": list(self.letters),
            "weights": {name: _mapped(write_number, w) for name, w in self.weights.items()},
        }

    def over(self, number: Any) -> dict[str, Any]:
        """Return the weights, with the function ``number`` applied to each of them."""
        return {name: _mapped(number, w) for name, w in self.weights.items()}


def some(cell: Cell, units: int | None = None, letters: str = "ab", seed: int | None = None) -> WeightedCell:
    """Return a cell with pseudorandom weights, which are multiples of 1/8 from -2 to 2.

    Weights that must be positive are positive. The same seed gives the same weights. By default, the cell has
    the minimum number of units.

    >>> from theory.not_rational.cells import CELLS
    >>> some(CELLS["elman"]).to_json()["weights"]
    {'W_h': [['7/8', '-3/8']], 'U_h': [['-5/4']], 'b_h': ['9/8']}
    """
    rng = random.Random(cell.seed if seed is None else seed)

    def weight(_: Any = None) -> Fraction:
        eighths = 1 + int(rng.random() * 16)
        return Fraction(eighths if rng.random() < 0.5 else -eighths, 8)

    units = cell.fewest if units is None else units
    sizes = {"units": units, "letters": len(letters)}
    weights = {name: _filled([sizes[s] for s in shape], weight) for name, shape in cell.shapes.items()}
    weights |= {name: _mapped(abs, weights[name]) for name in cell.positive}
    if "alpha" in weights:  # SCRN: alpha is between 0 and 1, and the last letter adds nothing to the context
        weights["alpha"] = Fraction(1, 2)
        weights["W_s"] = [[*row[:-1], Fraction(0)] for row in weights["W_s"]]
    return WeightedCell(cell, tuple(letters), units, weights)


def from_json(cell: Cell, text: str, where: str) -> WeightedCell:
    """Parse the weights of a cell from a JSON text.

    The text is an object with two fields. ``letters`` is a list of strings. ``weights`` maps the name of each
    weight to a string or to nested lists of strings. Error messages start with ``where``, such as a file
    name.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice = next((name for name, count in Counter(name for name, _ in pairs).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"{where}: the field {shorten(twice)} must occur once")
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=once)
    except FormatError:
        raise
    except (ValueError, RecursionError):
        raise FormatError(f"{where}: must be a JSON object with the fields letters and weights") from None
    if not isinstance(data, dict) or set(data) != FIELDS or not isinstance(data["weights"], dict):
        raise FormatError(f"{where}: must be a JSON object with the fields letters and weights")
    letters = data["letters"]
    if not isinstance(letters, list) or not all(isinstance(letter, str) and letter for letter in letters):
        raise FormatError(f'{where}: letters must be a list of symbols such as ["a", "b"]')
    try:
        weights = {name: _mapped(_fraction, value) for name, value in data["weights"].items()}
        rows: Any = next((w for name, w in weights.items() if cell.shapes.get(name, ())[:1] == PER_UNIT), [])
        return WeightedCell(cell, tuple(letters), len(rows) if isinstance(rows, list) else 0, weights)
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None


def _fraction(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise InputError(f'a weight must be a string such as "2", "-3/7" or "0.25", got {shorten(text)}')
    number = parse_number(text)
    if not isinstance(number, Fraction):
        raise InputError(f"a weight must be finite, got {shorten(text)}")
    return number


def _mapped(function: Any, value: Any) -> Any:
    return (
        [_mapped(function, part) for part in value] if isinstance(value, (list, tuple)) else function(value)
    )


def _filled(sizes: list[int], weight: Any) -> Any:
    return [_filled(sizes[1:], weight) for _ in range(sizes[0])] if sizes else weight()


def _shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of nested lists, or ``None`` if parts of a list have different shapes."""
    if not isinstance(value, (list, tuple)):
        return ()
    inner = {_shape(part) for part in value}
    return (len(value), *inner.pop()) if len(inner) == 1 and None not in inner else None  # type: ignore[misc]


def _numbers(value: Any) -> list[Any]:
    return [n for part in value for n in _numbers(part)] if isinstance(value, (list, tuple)) else [value]


def _words(shape: tuple[str, ...]) -> str:
    return " by ".join(shape) or "a single number"
