"""A cell's weights, fractions by name: their shapes, some example weights, and JSON."""

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
from theory.not_rational.cell import PLACES, Cell
from theory.not_rational.vectors import State

FIELDS = {"letters", "weights"}


@dataclass(frozen=True)
class WeightedCell:
    """A cell with weights.

    Attributes:
        cell: the cell.
        letters: the alphabet; a letter is its place in it.
        units: how many.
        weights: by name, fractions in lists as
            :attr:`Cell.shapes <theory.not_rational.cells.Cell>` says.

    Raises:
        InputError: a weight is missing, is not of the cell, or has another shape; or a letter is there twice.
    """

    cell: Cell
    letters: tuple[str, ...]
    units: int
    weights: Mapping[str, Any]

    def __post_init__(self) -> None:
        missing, extra = set(self.cell.shapes) - set(self.weights), set(self.weights) - set(self.cell.shapes)
        if missing or extra:
            wrong = f"lacks {sorted(missing)[0]}" if missing else f"has no {shorten(sorted(extra)[0])}"
            raise InputError(
                f"the cell {self.cell.name} {wrong}; its weights are {', '.join(self.cell.shapes)}"
            )
        if self.units < 1 or not self.letters or len(set(self.letters)) != len(self.letters):
            raise InputError(
                f"{self.cell.name}: right are one unit or more, and letters of which none is there twice"
            )
        if self.units < (fewest := self.cell.fewest):
            raise InputError(
                f"{self.cell.name}: right are {fewest} units or more; with fewer it computes something else"
            )
        for name, shape in self.cell.shapes.items():
            if _shape(self.weights[name]) != (right := self.sizes(shape)):
                raise ShapeError(
                    f"{name} of the cell {self.cell.name} has not the shape {list(right)}, which is"
                    f" {_words(shape)}"
                )
            if name in self.cell.positive and not all(number > 0 for number in _numbers(self.weights[name])):
                raise InputError(
                    f"{name} of the cell {self.cell.name} has a number that is not greater than 0"
                )

    def sizes(self, shape: tuple[str, ...]) -> tuple[int, ...]:
        """A shape in numbers."""
        return tuple({"units": self.units, "letters": len(self.letters)}[name] for name in shape)

    def start(self, arithmetic: Arithmetic) -> State:
        """The cell's state before any letter."""
        return self.cell.start(self.units, len(self.letters), arithmetic)

    def to_json(self) -> dict[str, Any]:
        """What :func:`from_json` reads, weights as strings."""
        return {
            "letters": list(self.letters),
            "weights": {name: _mapped(write_number, w) for name, w in self.weights.items()},
        }

    def over(self, number: Any) -> dict[str, Any]:
        """The weights as other numbers."""
        return {name: _mapped(number, w) for name, w in self.weights.items()}


def some(cell: Cell, units: int | None = None, letters: str = "ab", seed: int | None = None) -> WeightedCell:
    """A cell with arbitrary weights, eighths between -2 and 2 (0 and 2 where they must be positive); the same
    for the same seed. Without a number it has one unit, or as many as it needs.

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
    if "alpha" in weights:  # SCRN: alpha is between 0 and 1, and the last letter leaves the context as it is
        weights["alpha"] = Fraction(1, 2)
        weights["W_s"] = [[*row[:-1], Fraction(0)] for row in weights["W_s"]]
    return WeightedCell(cell, tuple(letters), units, weights)


def from_json(cell: Cell, text: str, where: str) -> WeightedCell:
    """A cell with the weights of a JSON text: an object with ``letters``, a list, and ``weights``, strings in
    lists, by name.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice = next((name for name, count in Counter(name for name, _ in pairs).items() if count > 1), None)
        if twice is not None:
            raise FormatError(f"{where}: the field {shorten(twice)} is there twice")
        return dict(pairs)

    try:
        data = json.loads(text, object_pairs_hook=once)
    except FormatError:
        raise
    except (ValueError, RecursionError):
        raise FormatError(
            f"{where}: is no JSON, where an object with the fields letters and weights is right"
        ) from None
    if not isinstance(data, dict) or set(data) != FIELDS or not isinstance(data["weights"], dict):
        raise FormatError(f"{where}: right is an object with the fields letters and weights")
    letters = data["letters"]
    if not isinstance(letters, list) or not all(isinstance(letter, str) and letter for letter in letters):
        raise FormatError(f'{where}: letters is not a list of symbols such as ["a", "b"]')
    try:
        weights = {name: _mapped(_fraction, value) for name, value in data["weights"].items()}
        places: Any = next((w for name, w in weights.items() if cell.shapes.get(name, ())[:1] == PLACES), [])
        return WeightedCell(cell, tuple(letters), len(places) if isinstance(places, list) else 0, weights)
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None


def _fraction(text: Any) -> Fraction:
    if not isinstance(text, str):
        raise InputError(f'weight {shorten(text)} is no string; write it as "2", "-3/7" or "0.25"')
    number = parse_number(text)
    if not isinstance(number, Fraction):
        raise InputError(f"weight {shorten(text)} is not finite")
    return number


def _mapped(function: Any, value: Any) -> Any:
    return (
        [_mapped(function, part) for part in value] if isinstance(value, (list, tuple)) else function(value)
    )


def _filled(sizes: list[int], weight: Any) -> Any:
    return [_filled(sizes[1:], weight) for _ in range(sizes[0])] if sizes else weight()


def _shape(value: Any) -> tuple[int, ...] | None:
    """The lengths of lists in lists; ``None`` where they differ."""
    if not isinstance(value, (list, tuple)):
        return ()
    inner = {_shape(part) for part in value}
    return (len(value), *inner.pop()) if len(inner) == 1 and None not in inner else None  # type: ignore[misc]


def _numbers(value: Any) -> list[Any]:
    """All numbers in lists in lists."""
    return [n for part in value for n in _numbers(part)] if isinstance(value, (list, tuple)) else [value]


def _words(shape: tuple[str, ...]) -> str:
    return " by ".join(shape) or "a single number"
