"""State-regularized networks over exact numbers: a cell, its stochastic component, and the law of where a
sampled run is.

Wang & Niepert 2019, section 3, equations 1 to 4. A softmax is not rational; but at a temperature tau = 1 / (m
ln 2), m a positive integer, it is for integer similarities b: alpha_i = 2^(m b_i) / sum_j 2^(m b_j). So these
networks have integer weights, and the activation hardtanh, which takes integers to integers: u = hardtanh(U h
+ W_x). With equation 4 h stays a centroid, and all is exact.

>>> from automata.semirings import REAL
>>> w = Weights(REAL, "a", {"S": ((0,), (1,)), "U": ((1,),), "W": {"a": (0,)}, "m": 1, "eq": 2}, ("k", 2))
>>> [[str(p) for p in row] for row in table(w, "a")]  # from each centroid, the probability of each
[['1/2', '1/2'], ['1/3', '2/3']]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.places import AnyPlaces, Concrete
from theory.reading import Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

Vector = tuple[Any, ...]

# The weights: k centroids S (one a row), U and W of the recurrent component, the temperature's m, and which
# of equations 2 and 3 it is.

SMALL, ANY = (0, 1, -1), tuple(sorted(range(-3, 4), key=lambda n: (abs(n), -n)))
SIZES = ((2, 1), (3, 1), (2, 2), (3, 2), (4, 2))
"""(k, d) of random networks."""


def integers(
    size: tuple[int, int],
    values: Sequence[int],
    m: Sequence[int] = (1, 2, 3),
    more: tuple[Any, ...] = (),
    where: Any = None,
    most: int = 150,
) -> Signature:
    """A network of k centroids in d dimensions. Equation 3's distance is an integer for d = 1."""
    k, d = size
    return Signature(
        (
            constant("eq", only=(2, 3) if d == 1 else (2,)),
            *((constant("m", only=m),) if m else ()),
            constant("S", (k, d), values),
            constant("U", (d, d), values),
            by_symbol("W", (d,), values),
            *more,
        ),
        size=("k", k),
        most_small=most,
        where=where,
    )


# The recurrent component u = f(h, x), and the stochastic component's similarities b and distribution alpha =
# g(S, u).


def clipped(z: Any) -> Any:
    """The hardtanh: z, but at least -1 and at most 1."""
    return max(-1, min(1, z))


def inside(w: Weights, h: Vector, x: str) -> Vector:
    """U h + W_x."""
    return tuple(
        sum((v * n for v, n in zip(row, h, strict=True)), start=b) for row, b in zip(w.U, w.W[x], strict=True)
    )


def component(w: Weights, h: Vector, x: str) -> Vector:
    """The recurrent component, u = hardtanh(U h + W_x)."""
    return tuple(map(clipped, inside(w, h, x)))


def similarities(w: Weights, u: Vector) -> Vector:
    """b_i = u s_i (equation 2), or -||u - s_i|| (equation 3)."""
    if w.eq == 2:
        return tuple(sum(a * b for a, b in zip(u, s, strict=True)) for s in w.S)
    return tuple(-abs(u[0] - s[0]) for s in w.S)


def softmax(w: Weights, b: Vector) -> Vector:
    """alpha_i = exp(b_i / tau) / sum_j exp(b_j / tau), with exp(1 / tau) = 2^m."""
    least = min(b)
    powers = [2 ** int(w.m * (n - least)) for n in b]
    return tuple(Fraction(p, sum(powers)) for p in powers)


def limit(w: Weights, b: Vector) -> Vector:
    """What the softmax tends to for tau -> 0: the same probability for each of the greatest, none for the
    rest.
    """
    greatest = [i for i, n in enumerate(b) if n == max(b)]
    return tuple(Fraction(i in greatest, len(greatest)) for i in range(len(b)))


def margin(b: Vector) -> Any:
    """By how much the greatest exceeds the next; 0 where there is a tie."""
    first, second, *_ = sorted(b, reverse=True)
    return first - second


Answer = Callable[[Weights, Vector, Any, str], tuple[Vector, Any]]
"""A cell's answer in a hidden state h and a cell state c (``None`` without memory), for a symbol: alpha, and
the next c.
"""


def soft(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """At the temperature that the weights have. A cell that is a table may be any function."""
    if "alpha" in w.entries:
        return w.alpha[x][h[0] - 1], c
    return softmax(w, similarities(w, component(w, h, x))), c


def in_the_limit(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """For tau -> 0."""
    return limit(w, similarities(w, component(w, h, x))), c


def centroids(w: Weights) -> tuple[Vector, ...]:
    """The hidden states that equation 4 moves to; of a cell that is a table, their numbers."""
    return tuple((i,) for i in range(1, w.n + 1)) if "alpha" in w.entries else tuple(w.S)


NETWORK = "(network_of {eq} {m} {S} {U} {W})"
"""The network, as Coq has it."""


def table(w: Weights, x: str, answer: Answer = soft) -> list[list[Any]]:
    """The k x k table of a symbol: the cell's answer at each centroid."""
    return [list(answer(w, s, None, x)[0]) for s in centroids(w)]


# Equation 4, sampled: sample j from alpha, and set h = s_j. The law of where the run is, pushed forward
# symbol by symbol.


@dataclass(frozen=True)
class Place:
    """A hidden state that a sampled run may be in.

    Attributes:
        h: the vector that the cell sees.
        last: which centroid it is, from 1; 0 for a start vector that need not be one.
        c: the cell state, where there is one.
    """

    h: Vector
    last: int
    c: Any = None

    def __str__(self) -> str:
        return f"s_{self.last}" if self.last else "h_0"


Law = tuple[tuple[Place, ...], tuple[Any, ...]]
"""Where a sampled run may be, and how probable each place is."""


def arrive(of: AnyPlaces, j: Any) -> Any:
    """The probability to come to s_j: over all places that the run may be in, as probable as they are, and as
    they go on to s_j.
    """
    return of.sum(lambda i: of.times(of.at("p", i), of.at("alpha", i, j)))


def pushed(w: Weights, law: Law, x: str, answer: Answer = soft) -> Law:
    """The law after a symbol, from the cell's answer at every vector that the run may be in."""
    places, p = law
    answers = [answer(w, place.h, place.c, x) for place in places]
    together: dict[Any, list[int]] = {}
    for i, (_, c) in enumerate(answers):
        together.setdefault(c, []).append(i)
    after, numbers = [], []
    for c, some in together.items():
        of = Concrete(w.over, len(some), {"p": [p[i] for i in some], "alpha": [answers[i][0] for i in some]})
        for j, s in enumerate(centroids(w), start=1):
            if any(answers[i][0][j - 1] != w.over.zero for i in some):
                after.append(Place(s, j, c))
                numbers.append(arrive(of, j))
    return tuple(after), tuple(numbers)


def at_each(w: Weights, law: Law) -> tuple[Any, ...]:
    """For each centroid the probability to be at it."""
    probabilities = [w.over.zero] * w.n
    for place, p in zip(*law, strict=True):
        if place.last:
            probabilities[place.last - 1] = w.over.plus(probabilities[place.last - 1], p)
    return tuple(probabilities)


def at(w: Weights, place: Place) -> Law:
    """The law of a run that is there."""
    return (place,), (w.over.one,)


def at_first(w: Weights) -> Law:
    """At the first centroid."""
    return at(w, Place(centroids(w)[0], 1))


def sampled(start: Callable[[Weights], Law] = at_first, answer: Answer = soft) -> Recurrence:
    """The sampled network, as the law of where it is; what it shows is the probability to be at each
    centroid.
    """
    return Recurrence(start=start, step=lambda w, law, x: pushed(w, law, x, answer), out=at_each, modes=True)


EXAMPLE = Weights(
    REAL,
    "ab",
    {
        "eq": Fraction(2),
        "m": Fraction(1),
        "S": ((Fraction(-1),), (Fraction(1),)),
        "U": ((Fraction(2),),),
        "W": {"a": (Fraction(1),), "b": (Fraction(-4),)},
    },
    ("k", 2),
)
"""A network of two centroids of one number: without weights of one's own, what the pages show."""
