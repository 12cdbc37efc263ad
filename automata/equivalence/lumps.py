"""Lumping over the rationals: states whose right languages are proportional become one state.

The scale c of a state is a random functional of its right language: c = sum over i of z_i beta_i, with
random z and with beta as in :mod:`automata.equivalence.shortest`. The multipliers are random because weights
could cancel in a plain sum. Initially, two states are in the same class if a second random functional,
divided by c, is equal for both. The partition is then refined until, for random v, the sum of
(t rho_q + y_a M(a)[q, r] c_r v_class(r)) / c_q over symbols a and states r is constant on each class.

The ratios between the scales are first known modulo one prime. They are reconstructed as fractions. If one
prime is not enough, more primes are used. The resulting link is checked exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from automata.equivalence.links import ChainLink, right_link
from automata.equivalence.modular import Modular, Residues
from automata.equivalence.rationals import RationalMatrix, Truths
from automata.equivalence.representation import Representation
from automata.sparse_matrix import Places

SLACK = 20
"""Number of bits by which numerator and denominator together must be shorter than the modulus.
"""
MOST_PRIMES = 32
"""Maximum number of primes for the reconstruction of the ratios between scales."""
MOST_PRODUCTS = 1 << 30
"""Maximum number of products of a weight and a component in the random functionals."""


@dataclass
class Functionals:
    """Random linear functionals of the right language of each state, on strings up to some length.

    Attributes:
        of: the representation modulo a prime.
        scale: the first functional of each state, c in the description of this module.
        other: the second functional of each state, with independent random multipliers.
        length: the functionals include all strings with fewer symbols than this.
    """

    of: Modular
    scale: Residues
    other: Residues
    length: int
    _vectors: tuple[Residues, Residues]

    @classmethod
    def start(cls, of: Modular) -> Functionals:
        """Return functionals that only cover the empty string."""
        one, other = (of.field.times(of.final, factor) for factor in of.field.random(2).tolist())
        return cls(of, one, other, 1, (of.final, of.final))

    def extend(self, length: int) -> None:
        """Extend the functionals to all strings of fewer than ``length`` symbols."""
        field, symbols = self.of.field, self.of.symbols
        while self.length < length:
            one, other = (self.of.step(vector, field.random(symbols)) for vector in self._vectors)
            factors = field.random(2).tolist()
            self.scale = field.sum(self.scale, field.times(one, factors[0]))
            self.other = field.sum(self.other, field.times(other, factors[1]))
            self._vectors = one, other
            self.length += 1

    def quotients(self) -> Residues:
        """Return ``other`` divided by ``scale`` for each state, and 0 if the state's scale is 0."""
        return self.of.field.product(self.other, self.of.field.inverse(self.scale))

    def settle(self) -> None:
        """Extend the functionals to longer strings until they distinguish no more states.

        The length doubles each time. Stop earlier if the next doubling exceeds the limit on the work.
        """
        seen = (-1, -1)
        while True:
            now = (int(np.count_nonzero(self.scale)), len(np.unique(self.quotients())))
            enough = 2 * self.length * (self.of.entries + self.of.states) > MOST_PRODUCTS
            if (now == seen and self.length >= 16) or self.length > self.of.states or enough:
                return
            seen = now
            self.extend(2 * self.length)


def lump(
    of: Representation, primes: Iterator[int], progress: Callable[[str], None]
) -> tuple[ChainLink | None, int]:
    """Merge states with proportional right languages; return the right link and the number of primes used.

    The link is ``None`` if no states can be merged.
    """
    functionals = Functionals.start(modulo(of, primes))
    functionals.settle()
    classes = refined(functionals)
    kept = first_of_each(classes)
    if len(kept) == of.states:
        return None, 1
    progress(f"{of.states} states in {len(kept)} classes")
    if not len(kept):
        return right_link(of, RationalMatrix.summed((of.states, 0), [], [], []), kept), 1
    ratios = Ratios(of, primes, kept[classes], classes < 0)
    ratios.add(functionals)
    while ratios.count <= MOST_PRIMES:
        scales = ratios.fractions()
        if scales is not None:
            live = np.flatnonzero(classes >= 0)
            shape = (of.states, len(kept))
            matrix = RationalMatrix.summed(shape, live, classes[live], [scales[q] for q in live.tolist()])
            link = right_link(of, matrix, kept)
            if link is not None:
                return link, ratios.count
        ratios.double(functionals.length)
    return None, ratios.count


def modulo(of: Representation, primes: Iterator[int]) -> Modular:
    """Return the representation modulo a prime that divides no denominator."""
    for prime in primes:
        try:
            return Modular(of, prime)
        except ZeroDivisionError:
            continue
    raise AssertionError("the iterator of primes must not end")


def first_of_each(classes: Places) -> Places:
    """Return the first state of each class, in class order; ``classes`` is -1 for a state without a class."""
    first = np.full(int(classes.max(initial=-1)) + 1, len(classes), dtype=np.intp)
    live = np.flatnonzero(classes >= 0)
    np.minimum.at(first, classes[live], live)
    return first


def refined(functionals: Functionals) -> Places:
    """Return the class of each state, or -1 for a state whose right language is zero.

    Classes are numbered in the order of their first states.
    """
    of, field = functionals.of, functionals.of.field
    scale = functionals.scale
    zero = scale == 0
    keys = functionals.quotients()
    count = -1
    while True:
        live = np.flatnonzero(~zero)
        _, first, members = np.unique(keys[live], return_index=True, return_inverse=True)
        if len(first) + int(zero.sum()) == count:
            break
        count = len(first) + int(zero.sum())
        values = np.zeros(of.states, dtype=np.uint64)
        values[live] = field.product(field.random(len(first))[members], scale[live])
        sums = field.sum(
            of.step(values, field.random(of.symbols)), field.times(of.final, int(field.random(1)[0]))
        )
        # The right language of a state with scale zero and a nonzero sum may not be zero: keep the state.
        alone = np.flatnonzero(zero & (sums != 0))
        hashes = np.zeros(of.states, dtype=np.uint64)
        hashes[live] = field.random(len(first))[members]
        keys = field.sum(hashes, field.product(sums, field.inverse(scale)))
        if len(alone):
            scale, zero = scale.copy(), zero.copy()
            scale[alone], zero[alone] = 1, False
            keys[alone] = field.random(len(alone))
            count = -1
    functionals.scale = scale
    ranks = np.empty(len(first), dtype=np.intp)
    ranks[np.argsort(first)] = np.arange(len(first))
    classes = np.full(of.states, -1, dtype=np.intp)
    classes[live] = ranks[members]
    return classes


class Ratios:
    """The ratios between the scales of states, modulo a growing product of primes."""

    def __init__(
        self, of: Representation, primes: Iterator[int], representatives: Places, zero: Truths
    ) -> None:
        self.of, self.primes, self.representatives, self.zero = of, primes, representatives, zero
        self.count, self.modulus = 0, 1
        self.known: dict[int, Fraction] = {}
        self.values: list[int] = []
        self.single: tuple[Modular, Residues] | None = None

    def add(self, functionals: Functionals) -> None:
        """Compute the ratios modulo the prime of these functionals, which must be a new one."""
        field, scale = functionals.of.field, functionals.scale
        ratios = field.product(scale, field.inverse(scale[self.representatives]))
        ratios = np.where(self.representatives == np.arange(len(ratios)), np.uint64(1), ratios)
        self.count += 1
        if self.count == 1:
            self.single = functionals.of, ratios
            self.modulus = field.prime
            return
        if self.count == 2:
            assert self.single is not None
            self.values = self.single[1].tolist()
        m, p = self.modulus, field.prime
        inverse = pow(m, -1, p)
        self.values = [
            v + m * ((w - v) * inverse % p) for v, w in zip(self.values, ratios.tolist(), strict=True)
        ]
        self.modulus *= p

    def double(self, length: int) -> None:
        """Compute the ratios modulo new primes, as many as were used before."""
        for _ in range(self.count):
            functionals = Functionals.start(modulo(self.of, self.primes))
            functionals.extend(length)
            self.add(functionals)

    def fractions(self) -> list[Fraction] | None:
        """Return all ratios as fractions; ``None`` if a ratio has too many digits for the primes so far."""
        if self.count == 1:
            assert self.single is not None
            of, residues = self.single
            above, below = of.field.fractions(residues, isqrt(self.modulus >> SLACK))
            if not below[~self.zero].all():
                return None
            below[self.zero] = 1
            pairs = zip(above.tolist(), below.tolist(), strict=True)
            return [Fraction(n, d) for n, d in pairs]
        most = isqrt(self.modulus >> SLACK)
        cache: dict[int, Fraction | None] = {}
        result = []
        for value, zero in zip(self.values, self.zero.tolist(), strict=True):
            if value not in cache:
                cache[value] = Fraction(0) if zero else _fraction(value, self.modulus, most)
            ratio = cache[value]
            if ratio is None:
                return None
            result.append(ratio)
        return result


def _fraction(value: int, modulus: int, most: int) -> Fraction | None:
    """Return the fraction that is ``value`` modulo the modulus.

    Return ``None`` if its numerator or denominator would exceed ``most``.
    """
    r, rest, t, last = modulus, value, 0, 1
    while rest > most:
        quotient = r // rest
        r, rest, t, last = rest, r - quotient * rest, last, t - quotient * last
    return Fraction(rest, last) if abs(last) <= most else None
