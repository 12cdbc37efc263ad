"""State-regularized networks over exact numbers, and the distribution of their sampled states.

Wang & Niepert 2019, section 3, equations 1 to 4. A softmax is not rational in general. At a
temperature tau = 1 / (m ln 2), with m a positive integer, it is rational for integer similarities
b: alpha_i = 2^(m b_i) / sum_j 2^(m b_j). Therefore these networks have integer weights and the
activation hardtanh, which maps integers to integers: u = hardtanh(U h + W_x). With equation 4, h
stays a centroid, and everything is exact.


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

from automata.errors import InputError
from automata.semirings import REAL
from theory.places import AnyPlaces, Concrete
from theory.reading import Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.weights import Weights

Vector = tuple[Any, ...]

# The weights: k centroids S (one in each row), U and W of the recurrent component, the temperature's m, and
# the choice of equation 2 or 3.

SMALL, ANY = (0, 1, -1), tuple(sorted(range(-3, 4), key=lambda n: (abs(n), -n)))
SIZES = ((2, 1), (3, 1), (2, 2), (3, 2), (4, 2))
"""The sizes (k, d) of random networks."""


def integers(
    size: tuple[int, int],
    values: Sequence[int],
    m: Sequence[int | Fraction] = (1, 2, 3),
    more: tuple[Any, ...] = (),
    where: Any = None,
    most: int = 150,
) -> Signature:
    """Return the names and shapes of the weights of a network with k centroids in d dimensions.

    Equation 3 is used only for d = 1, for which distances are integers.
    """
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
    """Return the hardtanh: z, clamped to the range from -1 to 1."""
    return max(-1, min(1, z))


def inside(w: Weights, h: Vector, x: str) -> Vector:
    """Return U h + W_x, the argument of the hardtanh."""
    return tuple(
        sum((v * n for v, n in zip(row, h, strict=True)), start=b) for row, b in zip(w.U, w.W[x], strict=True)
    )


def component(w: Weights, h: Vector, x: str) -> Vector:
    """Return the recurrent component, u = hardtanh(U h + W_x)."""
    return tuple(map(clipped, inside(w, h, x)))


def similarities(w: Weights, u: Vector) -> Vector:
    """Return the similarity b_i of u and each centroid: u s_i (equation 2) or -||u - s_i|| (equation 3)."""
    if w.eq == 2:
        return tuple(sum(a * b for a, b in zip(u, s, strict=True)) for s in w.S)
    return tuple(-distance(u, s) for s in w.S)


def distance(u: Vector, s: Vector) -> Any:
    """Return ||u - s||, which is rational for one unit."""
    if len(u) != 1:
        raise InputError(f"a network with equation 3 must have one unit, got {len(u)}")
    return abs(u[0] - s[0])


def softmax(w: Weights, b: Vector) -> Vector:
    """Return the softmax of b / tau: alpha_i = exp(b_i / tau) / sum_j exp(b_j / tau).

    At the temperature tau of the weights, exp(1 / tau) is 2^m.
    """
    least = min(b)
    powers = [2 ** int(w.m * (n - least)) for n in b]
    return tuple(Fraction(p, sum(powers)) for p in powers)


def limit(w: Weights, b: Vector) -> Vector:
    """Return the softmax's limit as tau tends to 0: the uniform distribution on the greatest values of b."""
    greatest = [i for i, n in enumerate(b) if n == max(b)]
    return tuple(Fraction(i in greatest, len(greatest)) for i in range(len(b)))


def margin(b: Vector) -> Any:
    """Return the difference of the two greatest values; 0 for a tie."""
    if len(b) < 2:
        raise InputError(f"the network must have at least two centroids, got {len(b)}")
    first, second, *_ = sorted(b, reverse=True)
    return first - second


Answer = Callable[[Weights, Vector, Any, str], tuple[Vector, Any]]
"""A function from the weights, a hidden state h, a cell state c (``None`` without memory) and a symbol.

It returns alpha, the probability of each centroid, and the next cell state.
"""


def soft(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """Return alpha, the probability of each centroid, at the weights' temperature, and the unchanged c.

    If the weights have a table ``alpha``, it replaces the cell.
    """
    if "alpha" in w.entries:
        return w.alpha[x][h[0] - 1], c
    return softmax(w, similarities(w, component(w, h, x))), c


def asked(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """Return the result of :func:`soft`, computed with the formula by which the automaton is constructed.

    The formula is alpha_i = 1 / sum_j exp((b_j - b_i) / tau). b_j - b_i is u (s_j - s_i) in equation 2, and
    the difference of the distances of s_i and s_j from u in equation 3.
    """
    if "alpha" in w.entries:
        return soft(w, h, c, x)
    u = component(w, h, x)

    def less(i: int, j: int) -> Any:
        """Return b_j - b_i."""
        if w.eq == 2:
            return sum((a * (t - s) for a, s, t in zip(u, w.S[i], w.S[j], strict=True)), start=Fraction(0))
        (v,), (s,), (t,) = u, w.S[i], w.S[j]
        return (max(v, s) - min(v, s)) - (max(v, t) - min(v, t))

    indices = range(len(w.S))
    return tuple(1 / sum(Fraction(2) ** int(w.m * less(i, j)) for j in indices) for i in indices), c


def in_the_limit(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """Return alpha, the probability of each centroid, in the limit tau -> 0, and the unchanged c."""
    return limit(w, similarities(w, component(w, h, x))), c


def centroids(w: Weights) -> tuple[Vector, ...]:
    """Return the hidden states of equation 4; for a cell given as a table, their indices."""
    return tuple((i,) for i in range(1, w.n + 1)) if "alpha" in w.entries else tuple(w.S)


NETWORK = "(network_of {eq} {m} {S} {U} {W})"
"""The network as Coq terms."""


def table(w: Weights, x: str, answer: Answer = asked) -> list[list[Any]]:
    """Return the k x k table of a symbol: row i is alpha, the cell's distribution, at centroid i."""
    return [list(answer(w, s, None, x)[0]) for s in centroids(w)]


# Equation 4, sampled: sample j from alpha, and set h = s_j. The law (probability distribution) of the run's
# hidden state is pushed forward symbol by symbol.


@dataclass(frozen=True)
class Place:
    """A hidden state that a sampled run may be in.

    Attributes:
        h: the vector that the cell reads.
        last: the index of the centroid, from 1; 0 for a start vector that need not be a centroid.
        c: the cell state, if there is one.
    """

    h: Vector
    last: int
    c: Any = None

    def __str__(self) -> str:
        return f"s_{self.last}" if self.last else "h_0"


Law = tuple[tuple[Place, ...], tuple[Any, ...]]
"""The possible hidden states of a sampled run, and their probabilities."""


def arrive(of: AnyPlaces, j: Any) -> Any:
    """Return the probability of s_j after a step: the sum of p_i alpha_ij over all current states i."""
    return of.sum(lambda i: of.times(of.at("p", i), of.at("alpha", i, j)))


def pushed(w: Weights, law: Law, x: str, answer: Answer = soft) -> Law:
    """Return the distribution over hidden states after a symbol, from the cell's alpha at each of them."""
    states, p = law
    answers = [answer(w, state.h, state.c, x) for state in states]
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
    """Return the probability of each centroid in the distribution ``law``."""
    probabilities = [w.over.zero] * w.n
    for state, p in zip(*law, strict=True):
        if state.last:
            probabilities[state.last - 1] = w.over.plus(probabilities[state.last - 1], p)
    return tuple(probabilities)


def at(w: Weights, state: Place) -> Law:
    """Return the distribution in which this state has probability one."""
    return (state,), (w.over.one,)


def at_first(w: Weights) -> Law:
    """Return the distribution in which the first centroid has probability one."""
    return at(w, Place(centroids(w)[0], 1))


def sampled(start: Callable[[Weights], Law] = at_first, answer: Answer = soft) -> Recurrence:
    """Return the network that samples its next centroid, as a recurrence.

    Its state is the distribution of the hidden state, and its outputs are the centroids' probabilities.
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
"""A network of two centroids in one dimension, the default example on pages."""
