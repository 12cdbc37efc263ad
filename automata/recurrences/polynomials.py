"""Free semirings: polynomials with natural coefficients in commuting (N[X]) or noncommuting variables (N<X>).

They have plus and times but no minus. An equation that holds here with a variable for every weight
is shown without subtraction or cancellation. It therefore holds in every commutative semiring
(N[X]), or in every semiring (N<X>).


>>> f, c, u = (POLYNOMIALS.variable(name) for name in "fcu")
>>> f * c + u == u + c * f, str(u + c * f)
(True, 'c f + u')
>>> f, c = (WORDS.variable(name) for name in "fc")
>>> f * c == c * f
False
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import groupby

import numpy as np

from automata.aliases import Weight
from automata.errors import InputError
from automata.semirings import Semiring

Monomial = tuple[str, ...]


class Polynomial:
    """A sum of words of variables with natural coefficients.

    If ``ordered`` is true, variables do not commute: the polynomial is in N<X> instead of N[X].
    """

    __slots__ = ("ordered", "terms")

    def __init__(self, terms: dict[Monomial, int], ordered: bool) -> None:
        self.terms, self.ordered = terms, ordered

    def _like(self, other: object) -> Polynomial | None:
        if isinstance(other, Polynomial):
            if other.ordered != self.ordered:
                raise TypeError("polynomials in commuting and in noncommuting variables cannot be combined")
            return other
        if not isinstance(other, (int, np.integer, Fraction)) or other < 0 or other != int(other):
            return None
        return Polynomial({(): int(other)} if other else {}, self.ordered)

    def __add__(self, other: object) -> Polynomial:
        like = self._like(other)
        if like is None:
            return NotImplemented
        total = Counter(self.terms)
        total.update(like.terms)
        return Polynomial(dict(total), self.ordered)

    def _times(self, left: Polynomial, right: Polynomial) -> Polynomial:
        total: Counter[Monomial] = Counter()
        for a, n in left.terms.items():
            for b, m in right.terms.items():
                total[a + b if self.ordered else tuple(sorted(a + b))] += n * m
        return Polynomial(dict(total), self.ordered)

    def __mul__(self, other: object) -> Polynomial:
        like = self._like(other)
        return NotImplemented if like is None else self._times(self, like)

    def __rmul__(self, other: object) -> Polynomial:
        like = self._like(other)
        return NotImplemented if like is None else self._times(like, self)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        like = self._like(other)
        return like is not None and self.terms == like.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        return (
            " + ".join(
                _monomial_text(m, n) for m, n in sorted(self.terms.items(), key=lambda t: (-len(t[0]), t[0]))
            )
            or "0"
        )

    __repr__ = __str__


def _monomial_text(monomial: Monomial, times: int) -> str:
    powers = [(name, len(list(same))) for name, same in groupby(monomial)]
    factors = [name if power == 1 else f"{name}^{power}" for name, power in powers]
    return " ".join(([] if times == 1 and factors else [str(times)]) + factors)


class Symbolic(Semiring):
    """A semiring of expressions, so that automata over it have variables as weights."""

    members = "its polynomials"
    exact_only = True

    def variable(self, name: str) -> Weight:
        """Return the variable of this name."""
        raise NotImplementedError

    def same(self, a: Weight, b: Weight) -> bool:
        """Return whether two expressions are equal."""
        return bool(a == b)

    def parse(self, text: str) -> Weight:
        """Raise InputError, because parsing of expressions is not supported."""
        raise InputError(f"the semiring {self.name} cannot parse expressions from text")

    def format(self, weight: Weight) -> str:
        """Return the expression as text."""
        return str(weight)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("expressions cannot be pickled")


class Free(Symbolic):
    """The free commutative semiring N[X], or the free semiring N<X> if ``ordered`` is true."""

    def __init__(self, name: str, ordered: bool) -> None:
        self.name, self.ordered = name, ordered  # type: ignore[misc]
        self.zero, self.one = Polynomial({}, ordered), Polynomial({(): 1}, ordered)  # type: ignore[misc]

    def variable(self, name: str) -> Polynomial:
        """Return the variable of this name."""
        return Polynomial({(name,): 1}, self.ordered)

    def contains(self, weight: Weight) -> bool:
        """Return whether the weight is a polynomial of this semiring or a natural number."""
        return self.zero._like(weight) is not None

    def exact(self, weight: Weight) -> Weight:
        """Return the weight as a polynomial."""
        return self.zero._like(weight)


class Opposite(Free):
    """N<X> with the factors of every product reversed."""

    def times(self, a: Weight, b: Weight) -> Weight:
        """Return the product ``b a``."""
        return super().times(b, a)


class OverQ(Symbolic):
    """The ring Q[X] as implemented by sympy, independently of our rings; imported on first use."""

    name, zero, one = "Q[X]", 0, 1

    def variable(self, name: str) -> Weight:
        """Return the symbol of this name."""
        from sympy import Symbol

        return Symbol(name)

    def same(self, a: Weight, b: Weight) -> bool:
        """Return whether two expressions are one polynomial."""
        from sympy import expand

        return bool(expand(a - b) == 0)

    def contains(self, weight: Weight) -> bool:
        """Return whether the weight is an expression or a rational number."""
        from sympy import Expr

        return isinstance(weight, (Expr, int, Fraction))

    def exact(self, weight: Weight) -> Weight:
        """Return the weight as a sympy expression."""
        from sympy import sympify

        return sympify(weight)


WORDS, POLYNOMIALS = Free("N<X>", ordered=True), Free("N[X]", ordered=False)
OPPOSITE = Opposite("N<X>, factors reversed", ordered=True)
RATIONAL = OverQ()
