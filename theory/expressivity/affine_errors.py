"""Affine networks do not correct errors along the directions that separate their states.

Chung, Choi and Kim 2026. Each state of an automaton is represented by a vector, and each affine step maps
these vectors to one another. An error that moves the network from one vector towards others leads to an
affine combination of the vectors. The step maps this combination to the same combination of the next states'
vectors, so it does not reduce the error.
"""

from __future__ import annotations

from typing import Any

from automata.wfsa import WFSA
from theory.claim import PARAPHRASED, Claim, Effort, Source, holding, refuted
from theory.expressivity.heaviside_elman import indices_in_coq
from theory.fa_rnn.shared.networks import Vector
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, WeightEntry, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights


def tracker(n: int, *delta: WeightEntry) -> Signature:
    """Return the names and shapes of the weights of an affine network that preserves the vectors of N states.

    It has N units. The states have the vectors o and o + e_i for i = 1, ..., N - 1. In the matrix A(x) of a
    symbol x, the last row r(x) is free; the other rows and the bias b(x) follow from the vectors. The network
    starts in a combination of the vectors: state i > 0 has the weight a(i), and state 0 has 1 minus the sum
    of these weights.
    """
    entries = constant("o", (n,)), by_symbol("r", (n,)), constant("a", (n - 1,)), constant("omega", (n,))
    return Signature((*entries, *delta), size=("N", n), most_small=300)


def with_any_map(n: int) -> Signature:
    """Return the names and shapes of :func:`tracker`, and a map delta(x) of the states for each symbol x."""
    return tracker(n, by_symbol("delta", (n,), range(n)))


def maps(w: Weights, x: str) -> tuple[int, ...]:
    """Return, for each state, the next state after symbol x.

    If the weights have no maps of the states, x leaves every state unchanged.
    """
    if "delta" in w.entries:
        return tuple(map(int, w.delta[x]))
    return (0, *map(int, w.others[x])) if "others" in w.entries else tuple(range(w.n))


def vectors(w: Weights) -> list[Vector]:
    """Return the vector of each state: o for state 0, and o + e_i for state i > 0."""
    moved = ([int(i == j) for i in range(w.n)] for j in range(w.n - 1))
    return [w.o, *(tuple(o + e for o, e in zip(w.o, unit, strict=True)) for unit in moved)]


def combination(w: Weights) -> Vector:
    """Return the weight of each state in the initial vector of the network."""
    return 1 - sum(w.a), *w.a


def mixed(weights: Vector, rows: list[Vector]) -> Vector:
    """Return the sum of the rows, each multiplied by its weight."""
    return tuple(
        sum(a * v for a, v in zip(weights, column, strict=True)) for column in zip(*rows, strict=True)
    )


def affine_map(w: Weights, x: str) -> tuple[list[Vector], Vector]:
    """Return A(x) and b(x), which follow from the vectors of the states and the last row r(x) of A(x)."""
    first, *others = (vectors(w)[q] for q in maps(w, x))
    matrix = [*(tuple(v - u for v, u in zip(row, first, strict=True)) for row in others), w.r[x]]
    return matrix, tuple(v - u for v, u in zip(first, mixed(w.o, matrix), strict=True))


def step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the network's next vector, h A(x) + b(x)."""
    matrix, bias = affine_map(w, x)
    return tuple(v + b for v, b in zip(mixed(h, matrix), bias, strict=True))


def nearest(w: Weights, h: Vector) -> Vector:
    """Return the state's vector that is nearest to h; if several are, the first of them."""
    return min(vectors(w), key=lambda v: sum((a - b) ** 2 for a, b in zip(v, h, strict=True)))


def read(w: Weights, h: Vector) -> Any:
    """Return the network's output, the inner product of h and omega."""
    return sum(a * b for a, b in zip(h, w.omega, strict=True))


def start(w: Weights) -> Vector:
    """Return the initial vector: a combination of the states' vectors."""
    return mixed(combination(w), vectors(w))


network = Recurrence(start, step, lambda w, h: (read(w, h),))
ending_in_states = Recurrence(
    lambda w: (start(w), ()),
    lambda w, state, x: (nearest(w, step(w, state[0], x)), ()),
    lambda w, state: (read(w, state[0]),),
    modes=True,
)
"""Each step of this network ends in the vector of a state."""


def transported(w: Weights) -> list[WFSA]:
    """Return the automaton whose initial weights are the states' weights in the network's initial vector."""
    states = range(w.n)
    tables = {x: [[int(maps(w, x)[q] == p) for p in states] for q in states] for x in w.alphabet}
    return [WFSA(w.over, combination(w), [read(w, v) for v in vectors(w)], tables)]


def unchanged(w: Weights) -> list[WFSA]:
    """Return the automaton whose score of each string is the output before the first symbol."""
    value = read(w, start(w))
    return [WFSA(w.over, [w.over.one], [value], {x: [[w.over.one]] for x in w.alphabet})]


def in_coq(w: Weights) -> dict[str, Any]:
    """Return the values of the variables in the Coq statement, by name."""
    steps = {x: affine_map(w, x) for x in w.alphabet}
    return {
        **w.entries,
        "A": {x: tuple(matrix) for x, (matrix, _) in steps.items()},
        "b": {x: bias for x, (_, bias) in steps.items()},
        "vector": tuple(vectors(w)),
        "a": combination(w),
        "delta": indices_in_coq((maps(w, x) for x in w.alphabet), w.n, f"(x : nat) (q : place {w.n})"),
    }


MAPS = Sizes(with_any_map, (2, 3), (2,))
RETURNS = Sizes(tracker, (2, 3), (2,))
FIXED = Sizes(lambda n: tracker(n, by_symbol("others", (n - 1,), range(n))), (2, 3), (2,))
"""Maps of the states that leave state 0 unchanged."""
NO_THEOREM = {"kernel-checked": "the counterexample is a table of fractions, which the suite computes"}

CLAIM = Claim(
    name="affine-errors",
    title="affine networks do not correct errors",
    statement=(
        "Let each state of an automaton have a vector, and let an affine network"
        " h_t = h_{t-1} A(x_t) + b(x_t) map these vectors as the automaton maps its states. Then the"
        " network maps every affine combination of the vectors to the same combination of the next states'"
        " vectors. So a word that maps every state to itself preserves errors along the directions that"
        " separate the states, however often it is read."
    ),
    source=Source("chung2026rethinking", "", "No correction by affine networks"),
    hypotheses=(
        "Exact core: the arithmetic is exact, and the vectors of the states are preserved exactly.",
        "A permutation of the states has a power that maps every state to itself; other maps may merge"
        " states, and the errors between merged states vanish.",
        "The paper's statements about norms, horizons and trained networks are not part of the claim. The"
        " abstract was available, and the statement is paraphrased.",
    ),
    variants=(
        holding(
            name="corrected",
            says="for any maps of the states; the automaton starts in each state with this state's weight",
            reading=Equality(network, transported),
            cases=MAPS.random,
            small_cases=MAPS.near_generic,
            programs=("affine-errors",),
            theorem=Theorem(
                "expressivity.affine_errors.affine_errors",
                network="affine_score {A} {b} {vector} {a} {omega} {word}",
                automaton="transported {vector} {delta} {a} {omega}",
                claims=(
                    "forall (K : semiring) (S : Type) (D Q : finite) (A : S -> D -> D -> K) (b : S -> D -> K)"
                    " (vector : Q -> D -> K) (delta : S -> Q -> Q) (a : Q -> K) (omega : D -> K) word,"
                    " sum a = one -> (forall x q j, affine_next A b (vector q) x j = vector (delta x q) j) ->"
                    " {automaton} = {network}"
                ),
                values=in_coq,
            ),
        ),
        holding(
            name="corrected-return",
            says="if each symbol maps every state to itself, the output never changes",
            reading=Equality(network, unchanged),
            cases=RETURNS.random,
            small_cases=RETURNS.near_generic,
            constant="the output never changes, which is the statement",
            theorem=Theorem(
                "expressivity.affine_errors.affine_errors_return",
                untied="the theorem is about the vector after n repetitions of a word, for every n",
            ),
        ),
        refuted(
            name="without-affine-step",
            says="each step ends in the vector of the nearest state, which removes small errors",
            without=NO_THEOREM,
            reading=Equality(ending_in_states, unchanged),
            cases=RETURNS.random,
        ),
        refuted(
            name="without-all-states",
            says="each symbol maps state 0 to itself, but may merge states, which removes errors",
            without=NO_THEOREM,
            reading=Equality(network, unchanged),
            cases=FIXED.random,
        ),
    ),
    differences=(
        PARAPHRASED,
        "The arithmetic is exact, and the network preserves the vectors of the states exactly.",
        "The paper's statements about norms, horizons and trained networks are left out.",
    ),
    example=with_any_map(2).example(),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=4),
)
