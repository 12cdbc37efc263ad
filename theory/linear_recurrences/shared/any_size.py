"""Nested sums over indices 1, ..., K with a symbolic K, for identities that hold for every K.

An expression is a polynomial in named, indexed values. An index is free (j, any index) or bound by a sum over
all indices. A Kronecker delta at a bound index substitutes the other index, because both have the same range.
Nothing is subtracted, and factors commute, so an identity holds in every commutative semiring for every K.


>>> t = AnySize()
>>> write(t.sum(lambda i: t.q[i] * t.sum(lambda j: t.k[j] * t.v[i])))
'Sum(Sum(k[i]*q[l]*v[l], (i, 1, K)), (l, 1, K))'
>>> write(t.sum(lambda i: t.where(i, t.j, t.q[i])))
'q[j]'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import permutations

Place = str
Atom = tuple[str, tuple[Place, ...]]
"""The name and the indices of a value."""
DELTA = "="
"""The name of a Kronecker delta, which no weight has."""
LETTERS = "ilmp"
"""The names of bound indices in text."""


@dataclass(frozen=True)
class Product:
    """A product of values, summed over its bound indices."""

    atoms: tuple[Atom, ...]
    bound: frozenset[Place]

    def renamed(self, names: Mapping[Place, Place]) -> Product:
        """Return the product with renamed indices."""
        atoms = tuple(sorted((name, tuple(names.get(p, p) for p in indices)) for name, indices in self.atoms))
        return Product(atoms, frozenset(names.get(p, p) for p in self.bound))

    def canonical(self) -> Product:
        """Return a canonical form: equal products have the same one.

        It is the smallest form under all renamings of the bound indices.
        """
        names = [f"_{number}" for number in range(len(self.bound))]
        return min(
            (
                self.renamed(dict(zip(order, names, strict=True)))
                for order in permutations(sorted(self.bound))
            ),
            key=lambda product: product.atoms,
        )

    def without_deltas(self) -> Product:
        """Eliminate every delta with a bound index by substituting the other index."""
        for name, indices in self.atoms:
            if name == DELTA and indices[0] == indices[1]:  # a duplicate delta
                rest = tuple(atom for atom in self.atoms if atom != (name, indices))
                return Product(rest, self.bound).without_deltas()
            tied = [p for p in indices if name == DELTA and p in self.bound]
            if tied:
                one = tied[0]
                other = indices[1] if indices[0] == one else indices[0]
                left = Product(
                    tuple(atom for atom in self.atoms if atom != (name, indices)), self.bound - {one}
                )
                return left.renamed({one: other}).without_deltas()
        return self


class Expression:
    """A polynomial of indexed values, and of sums over all indices."""

    def __init__(self, terms: Mapping[Product, int]) -> None:
        self.terms = Counter(terms)

    def __add__(self, other: Expression) -> Expression:
        return Expression(self.terms + other.terms)

    def __mul__(self, other: Expression) -> Expression:
        """Return the product; raise ValueError if both share a bound index, like a sum and itself."""
        result: Counter[Product] = Counter()
        for one, n in self.terms.items():
            for two, m in other.terms.items():
                if one.bound & two.bound:
                    raise ValueError(
                        "a sum must not be multiplied by itself; create a new sum for each factor"
                    )
                result[_product(one.atoms + two.atoms, one.bound | two.bound)] += n * m
        return Expression(result)


class Named(Expression):
    """A named value; ``k[j]`` is the value at an index."""

    def __init__(self, name: str, *indices: Place) -> None:
        super().__init__({Product(((name, indices),), frozenset()): 1})
        self.name = name

    def __getitem__(self, indices: Place | tuple[Place, ...]) -> Expression:
        return Named(self.name, *(indices if isinstance(indices, tuple) else (indices,)))


class AnySize:
    """A token whose weights have indices from 1 to a symbolic K; j is a free index."""

    j: Place = "j"
    zero, one = Expression({}), Expression({Product((), frozenset()): 1})

    def __init__(self) -> None:
        self._bound = 0

    def __getattr__(self, name: str) -> Named:
        return Named(name)

    def sum(self, term: Callable[[Place], Expression]) -> Expression:
        """Return the sum of ``term(i)`` over all indices i."""
        self._bound += 1
        index = f"*{self._bound}"
        result: Counter[Product] = Counter()
        for product, times in term(index).terms.items():
            result[_product(product.atoms, product.bound | {index})] += times
        return Expression(result)

    def where(self, i: Place, j: Place, value: Expression) -> Expression:
        """Return the value if i is j, else zero."""
        return value if i == j else Named(DELTA, i, j) * value


def same(a: Expression, b: Expression) -> bool:
    """Return whether two expressions are equal for every K."""
    return _canonical(a) == _canonical(b)


def write(value: Expression) -> str:
    """Return the expression as text, with its products in order."""
    return " + ".join(_written(p, n) for p, n in sorted(_canonical(value).items(), key=_order)) or "0"


def _product(atoms: tuple[Atom, ...], bound: frozenset[Place]) -> Product:
    return Product(tuple(sorted(atoms)), bound).without_deltas()


def _canonical(value: Expression) -> Counter[Product]:
    result: Counter[Product] = Counter()
    for product, times in value.terms.items():
        result[product.canonical()] += times
    return +result


def _order(item: tuple[Product, int]) -> tuple[int, tuple[Atom, ...]]:
    return len(item[0].bound), item[0].atoms


def _written(product: Product, times: int) -> str:
    letters = dict(zip(sorted(product.bound), LETTERS, strict=False))
    atoms = [
        name + (f"[{', '.join(letters.get(p, p) for p in indices)}]" if indices else "")
        for name, indices in product.atoms
    ]
    text = "*".join(([str(times)] if times > 1 or not atoms else []) + atoms)
    for letter in letters.values():
        text = f"Sum({text}, ({letter}, 1, K))"
    return text
