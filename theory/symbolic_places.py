"""Symbolic indices in sympy, for proofs for every size.

>>> of = SymbolicPlaces()
>>> of.sum(lambda i: of.where(i, of.j, lambda: of.at("c", i)))
c[j]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import sympy


class SymbolicPlaces:
    """Vectors and matrices with symbolic indices from 1 to n = j + m, where j >= 1 and m >= 0.

    So j stands for any index, and n for any size.

    Args:
        first: ``None`` for any j >= 1. If a proof treats the first index separately, ``True`` for j = 1 and
            ``False`` for any j >= 2.
    """

    zero, one = sympy.Integer(0), sympy.Integer(1)

    def __init__(self, first: bool | None = None) -> None:
        some = {
            None: sympy.Symbol("j", integer=True, positive=True),
            True: sympy.Integer(1),
            False: sympy.Symbol("k", integer=True, nonnegative=True) + 2,
        }
        self.j = some[first]
        self.n = self.j + sympy.Symbol("m", integer=True, nonnegative=True)
        self.i = sympy.Symbol("i", integer=True)

    def at(self, name: str, *indices: Any) -> Any:
        """Return the symbol for the entry of the vector or matrix ``name`` at these indices."""
        return sympy.IndexedBase(name)[indices] if indices else sympy.Symbol(name)

    def plus(self, a: Any, b: Any) -> Any:
        """Return the sum of a and b."""
        return a + b

    def times(self, a: Any, b: Any) -> Any:
        """Return the product of a and b over Q, in which factors commute."""
        return a * b

    def sum(self, of: Callable[[Any], Any], size: str | None = None) -> Any:
        """Return the sum of ``of(i)`` for i = 1, ..., n, with Kronecker deltas evaluated.

        If ``size`` is the name of another size, such as r, return the sum for i_r = 1, ..., r.
        """
        if size is not None:
            index = sympy.Symbol(f"i_{size}", integer=True)
            return sympy.Sum(of(index), (index, 1, sympy.Symbol(size, integer=True, positive=True)))
        return sympy.simplify(sympy.summation(of(self.i), (self.i, 1, self.n)))

    def where(self, i: Any, j: Any, value: Callable[[], Any]) -> Any:
        """Return ``value()`` times the Kronecker delta of i and j."""
        return sympy.KroneckerDelta(i, j) * value()

    def same(self, a: Any, b: Any) -> bool:
        """Return whether two expressions are equal.

        Nested sums are compared by their terms, so the nesting order does not matter.
        """
        return terms(a) == terms(b) or bool(sympy.simplify(sympy.expand(a - b)) == 0)

    def write(self, value: Any) -> str:
        """Return the expression as text.

        The size j + m is written as n. If ``first`` is ``False``, the index k + 2 is written as j.

        >>> for some in (None, True, False):
        ...     of = SymbolicPlaces(some)
        ...     print(of.write(of.at("c", of.j) + of.n))
        n + c[j]
        n + c[1]
        n + c[j]
        """
        names = {self.n: sympy.Symbol("n")} | (
            {} if self.j.is_Symbol or self.j.is_Integer else {self.j: sympy.Symbol("j")}
        )
        return str(value.subs(names))


def terms(value: Any) -> Counter[tuple[Any, frozenset[Any]]]:
    """Return the terms of the expanded expression, with their coefficients.

    A term is a pair of a product and the ranges over which it is summed. The result does not depend on the
    order of nested finite sums, or on whether a factor without the index of a sum is inside or outside this
    sum.


    >>> i, s, K, r = sympy.symbols("i s K r", integer=True)
    >>> x, y = map(sympy.IndexedBase, "xy")
    >>> inside = sympy.Sum(y[s] * sympy.Sum(x[i], (i, 1, K)), (s, 1, r))
    >>> outside = sympy.Sum(sympy.Sum(x[i] * y[s], (s, 1, r)), (i, 1, K))
    >>> inside == outside, terms(inside) == terms(outside)
    (False, True)
    """
    counts: Counter[tuple[Any, frozenset[Any]]] = Counter()
    for part in sympy.Add.make_args(sympy.expand(value)):
        number, factors = part.as_coeff_mul()
        sums = [factor for factor in factors if isinstance(factor, sympy.Sum)]
        plain = sympy.Mul(*(factor for factor in factors if not isinstance(factor, sympy.Sum)))
        products: list[tuple[Any, frozenset[Any], Any]] = [(plain, frozenset(), number)]
        for one in sums:
            inner = terms(one.function)
            products = [
                (product * body, _disjoint_union(ranges, limits, one.limits), times * more)
                for product, ranges, times in products
                for (body, limits), more in inner.items()
            ]
        for body, ranges, times in products:
            counts[sympy.expand(body), ranges] += times
    return Counter({term: times for term, times in counts.items() if times != 0 and term[0] != 0})


def _disjoint_union(*parts: Any) -> frozenset[Any]:
    """Return the union of the ranges of summation; raise ValueError if two ranges share an index variable."""
    ranges = [limit for part in parts for limit in part]
    if len({limit[0] for limit in ranges}) != len(ranges):
        raise ValueError("two sums must not have the same index; give their sizes different names")
    return frozenset(ranges)
