"""One-layer affine networks in exact arithmetic: factors of a step, heads, and a sign read-out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol, TypeAlias

from theory.one_layer.machines import Term

Number: TypeAlias = int | Fraction
Vector: TypeAlias = tuple[Number, ...]


class Factor(Protocol):
    """An affine map of vectors."""

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector."""
        ...


@dataclass(frozen=True)
class Diagonal:
    """The map x -> gates ∘ x + offset."""

    gates: Vector
    offset: Vector

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector."""
        return tuple(g * xi + b for g, xi, b in zip(self.gates, x, self.offset, strict=True))


@dataclass(frozen=True)
class Complex:
    """A diagonal map of complex numbers p + q ω, with ω = exp(2πi/3).

    A vector contains the pairs (p, q) of its numbers, one after another. The real part of p + q ω is p - q/2,
    so a linear read-out of the pairs is a linear read-out of real and imaginary parts.
    """

    gates: tuple[tuple[Number, Number], ...]
    offset: Vector

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector of pairs."""
        pairs = zip(self.gates, x[::2], x[1::2], strict=True)
        products = [n for (g, h), p, q in pairs for n in (g * p - h * q, g * q + h * p - h * q)]
        return tuple(n + b for n, b in zip(products, self.offset, strict=True))


@dataclass(frozen=True)
class Householder:
    """The step of DeltaNet: x -> x - beta k (k·x - value) / (k·k), whose eigenvalues are 1 and 1 - beta."""

    key: Vector
    beta: Number
    value: Number = 0

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector."""
        error = sum(k * xi for k, xi in zip(self.key, x, strict=True)) - self.value
        scale = Fraction(self.beta * error) / sum(k * k for k in self.key)
        return tuple(xi - scale * k for k, xi in zip(self.key, x, strict=True)) if scale else x


@dataclass(frozen=True)
class Rwkv:
    """The step of RWKV-7: x -> decay ∘ x - k ((rate ∘ k)·x) + offset, where k has norm 1."""

    decay: Vector
    rate: Vector
    key: Vector
    offset: Vector

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector."""
        removed = sum(a * k * xi for a, k, xi in zip(self.rate, self.key, x, strict=True))
        return tuple(
            w * xi - k * removed + b for w, xi, k, b in zip(self.decay, x, self.key, self.offset, strict=True)
        )


@dataclass(frozen=True)
class Columns:
    """The step of PD-SSM: column q of the matrix has one entry, ``scales[q]``, in row ``targets[q]``."""

    targets: tuple[int, ...]
    scales: Vector
    offset: Vector

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector."""
        result = list(self.offset)
        for target, scale, xi in zip(self.targets, self.scales, x, strict=True):
            if xi:
                result[target] += scale * xi
        return tuple(result)


@dataclass(frozen=True)
class Matrix:
    """The map x -> A x of a linear second-order network; ``rows`` contains the rows of A."""

    rows: tuple[Vector, ...]

    def __call__(self, x: Vector) -> Vector:
        """Return the image of a vector."""
        return tuple(sum(a * xi for a, xi in zip(row, x, strict=True) if a) for row in self.rows)


@dataclass(frozen=True, eq=False)
class Head:
    """A start vector, and the factors that each letter applies, in this order."""

    start: Vector
    steps: Mapping[Hashable, tuple[Factor, ...]]

    def step(self, x: Vector, letter: Hashable) -> Vector:
        """Return the vector after a letter, whose factors are applied to x one after another."""
        for factor in self.steps[letter]:
            x = factor(x)
        return x


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer of heads that accepts a word if ``weights · state + constant > 0`` after its last letter."""

    heads: tuple[Head, ...]
    weights: Vector
    constant: Number = 0

    @property
    def start(self) -> tuple[Vector, ...]:
        """The state before the first letter: a vector for each head."""
        return tuple(head.start for head in self.heads)

    @cached_property
    def factors(self) -> list[tuple[Factor, ...]]:
        """The factors of each letter in each head, as a flat list with one tuple of factors per pair."""
        return [factors for head in self.heads for factors in head.steps.values()]

    def step(self, state: tuple[Vector, ...], letter: Hashable) -> tuple[Vector, ...]:
        """Return the state after a letter."""
        return tuple(head.step(x, letter) for head, x in zip(self.heads, state, strict=True))

    def score(self, state: tuple[Vector, ...]) -> Number:
        """Return the value of the read-out, ``weights · state + constant``."""
        numbers = [number for x in state for number in x]
        return sum(w * x for w, x in zip(self.weights, numbers, strict=True)) + self.constant

    def accepts(self, state: tuple[Vector, ...]) -> bool:
        """Return whether the read-out of the state is positive."""
        return self.score(state) > 0

    def run(self, term: Term) -> tuple[Vector, ...]:
        """Return the state after a word."""
        state = self.start
        for letter in term:
            state = self.step(state, letter)
        return state


class Ray(Layer):
    """A layer without offsets and constant, whose states are compared up to a positive factor.

    Such a factor changes no sign, now or later.
    """

    def step(self, state: tuple[Vector, ...], letter: Hashable) -> tuple[Vector, ...]:
        """Return the state after a letter, scaled so that the sum of its absolute values is 1."""
        after = super().step(state, letter)
        size = sum(abs(Fraction(number)) for x in after for number in x if number)
        if not size:
            return after
        return tuple(tuple(Fraction(number) / size if number else 0 for number in x) for x in after)

    @property
    def is_homogeneous(self) -> bool:
        """Whether the read-out and the maps of all letters are linear, without constants."""
        return not self.constant and not any(
            any(head.step((0,) * len(head.start), letter)) for head in self.heads for letter in head.steps
        )
