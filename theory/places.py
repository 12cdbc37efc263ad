"""Sums over places 1, ..., n: concrete ones, for a recurrence and an automaton, and symbolic ones, for
a proof for every n.

A claim whose network has a size writes its step, and its automaton's weights, once, as functions of places;
:class:`Concrete` runs them on numbers (or variables), :class:`~theory.symbolic_places.SymbolicPlaces` on
places that are symbols, in sympy, which is imported when a proof asks for them.

>>> from automata.semirings import REAL
>>> dot = lambda of, j: of.sum(lambda i: of.times(of.at("W", j, i), of.at("c", i)))
>>> dot(Concrete(REAL, 2, {"W": ((1, 2), (3, 4)), "c": (5, 6)}), 1)
17
>>> every = symbolic()
>>> dot(every, every.j)
Sum(W[j, i]*c[i], (i, 1, j + m))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from automata.semirings import Semiring
from theory.weights import total

if TYPE_CHECKING:
    from theory.symbolic_places import SymbolicPlaces


@dataclass(frozen=True)
class Concrete:
    """Places 1 to n, over a semiring.

    Attributes:
        over: the semiring.
        n: how many places.
        entries: vectors and matrices, as nested tuples.
        sizes: how many places there are of another kind, by the size's name.
    """

    over: Semiring
    n: int
    entries: Mapping[str, Any]
    sizes: Mapping[str, int] = field(default_factory=dict)

    @property
    def one(self) -> Any:
        """The semiring's one."""
        return self.over.one

    @property
    def zero(self) -> Any:
        """The semiring's zero."""
        return self.over.zero

    def at(self, name: str, *places: int) -> Any:
        """The number at a place, or at two; places begin with 1."""
        value = self.entries[name]
        for place in places:
            value = value[place - 1]
        return value

    def plus(self, a: Any, b: Any) -> Any:
        """The semiring's sum."""
        return self.over.plus(a, b)

    def times(self, a: Any, b: Any) -> Any:
        """The semiring's product, in this order."""
        return self.over.times(a, b)

    def sum(self, of: Callable[[Any], Any], size: str | None = None) -> Any:
        """The sum of ``of(i)`` over all places i; of another kind, with the name of their size."""
        return total(self.over, (of(i) for i in range(1, (self.n if size is None else self.sizes[size]) + 1)))

    def where(self, i: int, j: int, value: Callable[[], Any]) -> Any:
        """The value where i is j, else zero."""
        return value() if i == j else self.over.zero


AnyPlaces: TypeAlias = "Concrete | SymbolicPlaces"
"""Of either kind."""


def symbolic(first: bool | None = None) -> SymbolicPlaces:
    """Places that are symbols; see :class:`~theory.symbolic_places.SymbolicPlaces`."""
    from theory.symbolic_places import SymbolicPlaces

    return SymbolicPlaces(first)
