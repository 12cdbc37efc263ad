"""Named weights of a network over any semiring, which are the cases of most claims.

>>> from fractions import Fraction
>>> from automata.semirings import REAL
>>> gate = Weights(REAL, "ab", {"c_0": Fraction(0), "f": {"a": Fraction(1, 2), "b": Fraction(1)}})
>>> gate.f["a"]
Fraction(1, 2)
>>> gate.describe()
'c_0 = 0, f(a) = 1/2, f(b) = 1'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Any

from automata.errors import InputError
from automata.semirings import Semiring, semiring
from automata.text.number_text import shorten

Tree = Any
"""A weight, a vector (a tuple of weights), a matrix (a tuple of rows), or a tuple of matrices."""
FIELDS = {"semiring", "alphabet", "size", "weights"}
DEEPEST = 3
"""Maximum nesting depth of lists: an array with three indices."""


@dataclass(frozen=True)
class Weights:
    """Named weights; ``weights.f`` is the entry named f.

    Attributes:
        over: the semiring of the weights.
        alphabet: the symbols, in order.
        entries: the value of each name: a constant, or a table with a value for each symbol or for
            each window of symbols. Shorter windows occur at the start of a string. A value is a weight, or
            a vector or matrix of weights as nested tuples.
        size: the name and value of the network's size, such as ``("n", 3)``; ``None`` if the size is fixed.
    """

    over: Semiring
    alphabet: str
    entries: Mapping[str, Any]
    size: tuple[str, int] | None = None

    def __getattr__(self, name: str) -> Any:
        entries = self.__dict__.get("entries", {})
        if name in entries:
            return entries[name]
        raise AttributeError(f"there is no weight named {name!r}; the weights are {', '.join(entries)}")

    def __hash__(self) -> int:
        return hash((self.over.name, self.alphabet, self.size, self.describe()))

    @property
    def n(self) -> int:
        """The network's size."""
        assert self.size is not None
        return self.size[1]

    def describe(self) -> str:
        """Describe the weights on one line: the size, the constants, and then the weights by symbol."""
        constant = [
            f"{name} = {_written(value)}"
            for name, value in self.entries.items()
            if not isinstance(value, dict)
        ]
        tables = {name: value for name, value in self.entries.items() if isinstance(value, dict)}
        keys = dict.fromkeys(chain.from_iterable(tables.values()))
        read = [
            f"{name}({key}) = {_written(table[key])}"
            for key in keys
            for name, table in tables.items()
            if key in table
        ]
        return ", ".join(([f"{self.size[0]} = {self.size[1]}"] if self.size else []) + constant + read)

    def renamed(self, names: dict[str, str]) -> Weights:
        """Return the weights of the letters in ``names`` only, under the new names of these letters.

        Windows that contain other letters are dropped.
        """
        new = str.maketrans(names)
        entries = {
            name: (
                {key.translate(new): w for key, w in value.items() if set(key) <= set(names)}
                if isinstance(value, dict)
                else value
            )
            for name, value in self.entries.items()
        }
        return replace(self, alphabet="".join(names.values()), entries=entries)

    def changed(self, **entries: Any) -> Weights:
        """Return the weights with new or additional values of these names."""
        return replace(self, entries={**self.entries, **entries})

    def to_json(self) -> dict[str, Any]:
        """Return the semiring, the alphabet, the size and the weights as JSON; each weight is a string."""
        write: Callable[[Any], str] = self.over.format
        return {
            "semiring": self.over.name,
            "alphabet": self.alphabet,
            "size": list(self.size) if self.size else None,
            "weights": _each(lambda value, name: _mapped(write, value), self.entries),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Weights:
        """Read the result of :meth:`to_json`.

        Raises:
            InputError: If the data has another form. This is checked before large objects are created.
        """
        if not isinstance(data, dict) or set(data) != FIELDS:
            raise InputError(
                f"the case must be an object with {', '.join(sorted(FIELDS))}, got {shorten(data)}"
            )
        over, alphabet, size, weights = (
            semiring(data["semiring"]),
            data["alphabet"],
            data["size"],
            data["weights"],
        )
        if not isinstance(alphabet, str) or len(set(alphabet)) != len(alphabet):
            raise InputError(
                f"the field alphabet must be a string of distinct letters, got {shorten(alphabet)}"
            )
        if not isinstance(weights, dict):
            raise InputError(
                f"the field weights must be an object with weights by name, got {shorten(weights)}"
            )

        def read(value: Any, name: str, depth: int = 0) -> Any:
            if isinstance(value, list) and depth < DEEPEST:
                return tuple(read(part, name, depth + 1) for part in value)
            if not isinstance(value, str):
                right = "a string, or a list or table of strings"
                raise InputError(f"the weight {shorten(name)} must be {right}, got {shorten(value)}")
            try:
                return over.parse(value)
            except InputError as error:
                raise InputError(f"the weight {shorten(name)}: {error}") from None

        entries = _each(read, weights)
        return cls(
            over, alphabet, entries, None if size is None else _size(size, sum(map(_count, entries.values())))
        )


def _size(size: Any, weights: int) -> tuple[str, int]:
    """Return the name and value of a size.

    The size must not exceed the number of weights, so that no object larger than the file is created.
    """
    if (
        not isinstance(size, list)
        or len(size) != 2
        or not isinstance(size[0], str)
        or type(size[1]) is not int
    ):
        raise InputError(f"the field size must be null, or a name and an integer, got {shorten(size)}")
    if not 1 <= size[1] <= max(1, weights):
        raise InputError(
            f"the size {shorten(size[0])} must be between 1 and the number of weights, got {shorten(size[1])}"
        )
    return size[0], size[1]


def _count(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value
    return sum(map(_count, parts)) if isinstance(value, (dict, tuple)) else 1


def _each(function: Callable[[Any, str], Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """Apply a function of a value and its name to each constant, and to each value of a table."""
    return {
        name: {key: function(w, name) for key, w in value.items()}
        if isinstance(value, dict)
        else function(value, name)
        for name, value in entries.items()
    }


def _mapped(function: Callable[[Any], Any], value: Tree) -> Any:
    return [_mapped(function, part) for part in value] if isinstance(value, tuple) else function(value)


def _written(value: Tree) -> str:
    return f"({', '.join(map(_written, value))})" if isinstance(value, tuple) else str(value)


def total(k: Semiring, values: Any) -> Any:
    """Return the sum of the weights in the semiring; the empty sum is its zero.

    >>> from automata.semirings import MAX_PLUS
    >>> total(MAX_PLUS, [2, 3, 1]), total(MAX_PLUS, [])
    (3, -inf)
    """
    numbers = iter(values)
    return reduce(k.plus, numbers, next(numbers, k.zero))  # it is slow to add zero to a fraction
