"""Sums over indices 1 to n, which are concrete in recurrences and automata, and symbolic in proofs.

If the network of a claim has a size n, its step and the weights of its automaton are written once as
functions of indices. :class:`Concrete` evaluates them on numbers or variables.
:class:`~theory.symbolic_places.SymbolicPlaces` evaluates them on symbolic indices in sympy, which is imported
only if a proof requires it.


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
    """Vectors and matrices over a semiring, whose indices run from 1 to n.

    Attributes:
        over: the semiring.
        n: the number of indices.
        entries: vectors and matrices, as nested tuples.
        sizes: the sizes of other index ranges by name.
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

    def at(self, name: str, *indices: int) -> Any:
        """Return the entry of the vector or matrix ``name`` at these indices, which are counted from 1."""
        value = self.entries[name]
        for index in indices:
            value = value[index - 1]
        return value

    def plus(self, a: Any, b: Any) -> Any:
        """Return the sum of a and b in the semiring."""
        return self.over.plus(a, b)

    def times(self, a: Any, b: Any) -> Any:
        """Return the product of a and b, in this order, in the semiring."""
        return self.over.times(a, b)

    def sum(self, of: Callable[[Any], Any], size: str | None = None) -> Any:
        """Return the sum of ``of(i)`` for i = 1, ..., n, or for i = 1, ..., ``sizes[size]``."""
        return total(self.over, (of(i) for i in range(1, (self.n if size is None else self.sizes[size]) + 1)))

    def where(self, i: int, j: int, value: Callable[[], Any]) -> Any:
        """Return ``value()`` if i equals j, else zero."""
        return value() if i == j else self.over.zero


AnyPlaces: TypeAlias = "Concrete | SymbolicPlaces"
"""Vectors and matrices with concrete or symbolic indices."""


def symbolic(first: bool | None = None) -> SymbolicPlaces:
    """Return vectors and matrices with symbolic indices.

    See :class:`~theory.symbolic_places.SymbolicPlaces`, also for the argument ``first``.
    """
    from theory.symbolic_places import SymbolicPlaces

    return SymbolicPlaces(first)
