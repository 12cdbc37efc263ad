"""Linear second-order RNNs are weighted automata, with as few states as the rank of their Hankel matrix.

Rabusseau, Li and Precup 2019: h_t[j] is the sum over i and s of h_{t-1}[i] A[i, s, j] x_t[s]. The
construction of an automaton from the values of a function is due to Carlyle and Paz 1971, and Fliess 1974.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any

import flint

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import QUOTED, Claim, Effort, Source, holding, refuted
from theory.fa_rnn import eq_4
from theory.fa_rnn.beta_0 import exact_matrix, fractions
from theory.fa_rnn.shared.networks import Matrix, Vector, at_place, by_tensor, dot, times, vector_is_h
from theory.induction import Identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights


def network(size: tuple[int, int]) -> Signature:
    """Return the names and shapes of the weights of a network with K units and input vectors of length d."""
    k, d = size
    entries = constant("h_0", (k,)), constant("A", (k, d, k)), by_symbol("v", (d,)), constant("omega", (k,))
    return Signature(entries, size=("K", k), most_small=300)


# The network and its automaton, at one index j.


def next_place(of: AnyPlaces, j: Any) -> Any:
    """Return component j of the next state: the sum over i and s of h_{t-1}[i] (A[i, s, j] v_t[s])."""
    return of.sum(
        lambda i: of.sum(lambda s: of.times(of.at("h", i), of.times(of.at("A", i, s, j), of.at("v", s))), "r")
    )


def contracted(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return the automaton's weight from state i to state j: the sum over s of A[i, s, j] v_t[s]."""
    return of.sum(lambda s: of.times(of.at("A", i, s, j), of.at("v", s)), "r")


def at_indices(w: Weights, x: str, h: Vector) -> Concrete:
    """Return the weights for symbol x and the state h, with indices from 1."""
    return Concrete(w.over, len(w.h_0), {"A": w.A, "v": w.v[x], "h": h}, {"r": len(w.v[x])})


def step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the next state of the network."""
    of = at_indices(w, x, h)
    return tuple(next_place(of, j) for j in range(1, len(h) + 1))


def score(w: Weights, h: Vector) -> Vector:
    """Return the score h omega of the state h."""
    return (dot(w.over, h, w.omega),)


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton in which a symbol's matrix is the tensor A multiplied by the symbol's vector."""
    states = range(1, len(w.h_0) + 1)
    tables = {}
    for x in w.alphabet:
        of = at_indices(w, x, w.h_0)
        tables[x] = tuple(tuple(contracted(of, i, j) for j in states) for i in states)
    return [WFSA(w.over, w.h_0, w.omega, tables)]


def any_size() -> list[Identity]:
    """Return the identity that the steps of network and automaton agree.

    It holds at any index, and for every number K of units and every size d of input vectors.
    """
    of = symbolic()
    left = of.sum(lambda i: of.times(of.at("h", i), contracted(of, i, of.j)))
    return [at_place(of, left, next_place(of, of.j))]


# A first-order network, whose matrix does not depend on the symbol, does not compute the parity of a.


def first_order(k: int) -> Signature:
    """Return the names and shapes of the weights of a first-order network with K units.

    Its step is h_t = h_{t-1} W + b(x_t).
    """
    return Signature(
        (constant("h_0", (k,)), constant("W", (k, k)), by_symbol("b", (k,)), constant("omega", (k,))),
        size=("K", k),
        most_small=300,
    )


def first_order_step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the next state of the first-order network, h W + b(x)."""
    return tuple(map(w.over.plus, times(w.over, h, w.W), w.b[x]))


def sign(w: Weights) -> list[WFSA]:
    """Return the automaton whose score is (-1)^n if the word has the letter a n times."""
    one = w.over.one
    return [WFSA(w.over, [one], [one], {x: [[-one if x == "a" else one]] for x in w.alphabet})]


def scaled_sign(w: Weights, first: Any) -> list[WFSA]:
    """Return the automaton whose score is (-1)^n times ``first`` if the word has the letter a n times."""
    (automaton,) = sign(w)
    return [automaton.replace(initial=automaton.initial * first)]


# The automaton that is computed from values f(u) of a function.

Value = Callable[[str], Any]


def spectral(f: Value, alphabet: str, longest: int) -> WFSA:
    """Return a minimal automaton for a function f, with as many states as the rank of its Hankel matrix.

    Only the rows and columns of words of at most ``longest`` symbols are computed. They must span the rows
    and columns of all longer words. Among these words, prefixes p_i and suffixes s_j are chosen for which the
    block f(p_i s_j) is invertible. The coordinates of a word u are the row f(u s_j) times the inverse of this
    block.
    """
    words = ["".join(letters) for n in range(longest + 1) for letters in product(alphabet, repeat=n)]
    rows = _independent([[f(u + v) for v in words] for u in words])
    columns = _independent([[f(words[i] + v) for i in rows] for v in words])
    prefixes, suffixes = ([words[i] for i in which] for which in (rows, columns))
    if not prefixes:
        return WFSA(REAL, [0], [0], {x: [[0]] for x in alphabet})

    def matrix(starts: list[str]) -> flint.fmpq_mat:
        return exact_matrix([[f(u + v) for v in suffixes] for u in starts])

    inverse = matrix(prefixes).inv()

    def coordinates(starts: list[str]) -> Matrix:
        return fractions(matrix(starts) * inverse)

    tables: dict[str, Any] = {x: coordinates([p + x for p in prefixes]) for x in alphabet}
    initial: Any = coordinates([""])[0]
    return WFSA(REAL, initial, [f(p) for p in prefixes], tables)


def _independent(rows: list[list[Any]]) -> list[int]:
    """Return the indices of the rows that are linearly independent of all earlier rows.

    These rows span the space of all rows.
    """
    reduced, rank = exact_matrix(rows).transpose().rref()
    return [next(j for j, v in enumerate(row) if v) for row in reduced.tolist()[:rank]]


def of_values(w: Weights) -> list[WFSA]:
    """Return the automaton computed by :func:`spectral` from the network's values on short words."""

    @cache
    def value(word: str) -> Any:
        *_, (last,) = by_tensor.values(w, word)
        return last

    return [spectral(value, "".join(w.alphabet), len(w.alpha_0) - 1)]


SIZES = Sizes(network, ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2)), ((1, 1), (2, 1), (2, 2)))
FIRST_ORDER = Sizes(first_order, (1, 2, 3), (1, 2))
TENSOR = Sizes(eq_4.network, (1, 2, 3), (1, 2))

CLAIM = Claim(
    name="second-order-rnn",
    title="a linear second-order RNN is an automaton",
    statement=(
        "A linear second-order RNN, h_t[j] = the sum over i and s of h_{t-1}[i] A[i, s, j] x_t[s], is the"
        " automaton whose matrix of a symbol is the tensor A times the symbol's vector; and every function"
        " whose Hankel matrix has finite rank n is the score of an automaton with n states."
    ),
    source=Source("rabusseau2019connecting", "", "Linear 2-RNNs"),
    hypotheses=(
        "A symbol has a fixed vector; one-hot vectors select a matrix of A.",
        "Weights commute, as in the paper; the Coq theorem about the network does not need this.",
        "The weights of the automaton from values are in a field.",
    ),
    variants=(
        holding(
            name="corrected",
            says="for any number of units and any vectors of the symbols",
            reading=Equality(Recurrence(lambda w: w.h_0, step, score), automaton),
            cases=SIZES.random,
            small_cases=SIZES.near_generic,
            programs=("second-order-rnn",),
            proof=vector_is_h(
                (network((k, d)) for k in range(1, 4) for d in range(1, 4)),
                "For every K and d: the step at a state is one identity of sums, with K and d symbols.",
                any_size,
            ),
            theorem=Theorem(
                "expressivity.second_order.second_order",
                network="score_second {h_0} {omega} {A} {v} {word}",
                automaton="of_tensor {h_0} {omega} {A} {v}",
            ),
        ),
        holding(
            name="corrected-from-values",
            says=(
                "the automaton that is computed from the network's values on words of at most 2 K - 1"
                " symbols; the number of its states is the rank of the Hankel matrix"
            ),
            reading=Equality(by_tensor, of_values),
            cases=TENSOR.random,
            small_cases=TENSOR.near_generic,
            theorem=Theorem(
                "expressivity.second_order.second_order_from_values",
                untied="the inverse of a matrix over an arbitrary field cannot be computed",
            ),
            effort=Effort(examples=20, strings=12, longest=8, run=10),
        ),
        refuted(
            name="without-second-order",
            says=(
                "every network h_t = h_{t-1} W + b(x_t), with the same matrix for all symbols, computes the"
                " parity of a; one network refutes this, and Coq shows that no network of any size does"
            ),
            reading=Equality(Recurrence(lambda w: w.h_0, first_order_step, score), sign),
            cases=FIRST_ORDER.random,
            theorem=Theorem(
                "expressivity.second_order.without_second_order_is_refuted",
                untied="the theorem is about any size and any commutative ring in which 4 is not 0",
            ),
        ),
    ),
    differences=(
        "The vectors of symbols are any vectors.",
        (
            "The automaton from values is computed for given values on words of bounded length; how a"
            " network is learned from data is left out."
        ),
        QUOTED,
    ),
    example=network((2, 2)).example(),
    uses=("fa-rnn-eq-4",),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
