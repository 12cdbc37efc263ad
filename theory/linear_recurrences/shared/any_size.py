"""Sums over places 1, ..., K with K a symbol, sums within sums too: what an identity for every K is read in.

An expression is a polynomial in named numbers at places. A place is free (j, any place), or bound by a sum
over all places; a Kronecker delta at a bound place takes the other place for it, since both have one range.
Nothing is subtracted, and factors commute: an identity here holds in every commutative semiring, for every K.

>>> of = AnySize()
>>> dot = of.sum(lambda i: of.times(of.at("q", i), of.sum(lambda j: of.times(of.at("k", j), of.at("v", i)))))
>>> of.write(dot)
'Sum(Sum(k[i]*q[l]*v[l], (i, 1, K)), (l, 1, K))'
>>> of.write(of.sum(lambda i: of.where(i, of.j, lambda: of.at("q", i))))
'q[j]'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations

Place = str
Atom = tuple[str, tuple[Place, ...]]
"""A number's name and places."""
DELTA = "="
"""The name of a Kronecker delta, which no weight has."""
LETTERS = "ilmp"
"""The names of bound places, where they are written."""


@dataclass(frozen=True)
class Product:
    """Some numbers multiplied, and summed over its bound places."""

    atoms: tuple[Atom, ...]
    bound: frozenset[Place]

    def renamed(self, names: Mapping[Place, Place]) -> Product:
        """With other names for places."""
        atoms = tuple(sorted((name, tuple(names.get(p, p) for p in places)) for name, places in self.atoms))
        return Product(atoms, frozenset(names.get(p, p) for p in self.bound))

    def canonical(self) -> Product:
        """The least of its forms under all names of the bound places: equal products have one."""
        names = [f"_{number}" for number in range(len(self.bound))]
        return min(
            (
                self.renamed(dict(zip(order, names, strict=True)))
                for order in permutations(sorted(self.bound))
            ),
            key=lambda product: product.atoms,
        )

    def without_deltas(self) -> Product:
        """With each bound place that a delta ties to another put in that other's place."""
        for name, places in self.atoms:
            if name == DELTA and places[0] == places[1]:  # a second one that tied the same places
                rest = tuple(atom for atom in self.atoms if atom != (name, places))
                return Product(rest, self.bound).without_deltas()
            tied = [p for p in places if name == DELTA and p in self.bound]
            if tied:
                one = tied[0]
                other = places[1] if places[0] == one else places[0]
                left = Product(
                    tuple(atom for atom in self.atoms if atom != (name, places)), self.bound - {one}
                )
                return left.renamed({one: other}).without_deltas()
        return self


Expression = Counter[Product]


class AnySize:
    """Places 1 to K, K a symbol, with one place j of them."""

    j: Place = "j"

    def __init__(self) -> None:
        self._bound = 0

    @property
    def one(self) -> Expression:
        """The number one."""
        return Counter({Product((), frozenset()): 1})

    @property
    def zero(self) -> Expression:
        """The number zero."""
        return Counter()

    def at(self, name: str, *places: Place) -> Expression:
        """The number of that name, at a place or at none."""
        return Counter({Product(((name, places),), frozenset()): 1})

    def plus(self, a: Expression, b: Expression) -> Expression:
        """The sum of two."""
        return a + b

    def times(self, a: Expression, b: Expression) -> Expression:
        """The product of two; ``ValueError`` where both are sums over one place, as a sum times itself is."""
        result: Expression = Counter()
        for one, n in a.items():
            for other, m in b.items():
                if one.bound & other.bound:
                    raise ValueError("a sum is multiplied by itself: make it anew for each factor")
                result[self._product(one.atoms + other.atoms, one.bound | other.bound)] += n * m
        return result

    def sum(self, of: Callable[[Place], Expression]) -> Expression:
        """The sum of ``of(i)`` over all places i."""
        self._bound += 1
        place = f"*{self._bound}"
        result: Expression = Counter()
        for product, times in of(place).items():
            result[self._product(product.atoms, product.bound | {place})] += times
        return result

    def where(self, i: Place, j: Place, value: Callable[[], Expression]) -> Expression:
        """The value where i is j, else zero."""
        return value() if i == j else self.times(self.at(DELTA, i, j), value())

    def same(self, a: Expression, b: Expression) -> bool:
        """Are two expressions equal, for every K?"""
        return _canonical(a) == _canonical(b)

    def write(self, value: Expression) -> str:
        """The expression, its products in order."""
        return " + ".join(_written(p, n) for p, n in sorted(_canonical(value).items(), key=_order)) or "0"

    @staticmethod
    def _product(atoms: tuple[Atom, ...], bound: frozenset[Place]) -> Product:
        return Product(tuple(sorted(atoms)), bound).without_deltas()


def _canonical(value: Expression) -> Expression:
    result: Expression = Counter()
    for product, times in value.items():
        result[product.canonical()] += times
    return +result


def _order(item: tuple[Product, int]) -> tuple[int, tuple[Atom, ...]]:
    return len(item[0].bound), item[0].atoms


def _written(product: Product, times: int) -> str:
    letters = dict(zip(sorted(product.bound), LETTERS, strict=False))
    atoms = [
        name + (f"[{', '.join(letters.get(p, p) for p in places)}]" if places else "")
        for name, places in product.atoms
    ]
    text = "*".join(([str(times)] if times > 1 or not atoms else []) + atoms)
    for letter in letters.values():
        text = f"Sum({text}, ({letter}, 1, K))"
    return text
