"""Products of Householder matrices are the automata whose symbols permute the states.

Grazzi et al. 2025: I - beta k k^T with k = e_p - e_q and beta = 1 swaps the components p and q, and with
k = e_q it scales component q by 1 - beta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import factorial
from typing import Any

from automata.wfsa import WFSA
from theory.claim import PARAPHRASED, Claim, Effort, Source, holding, refuted
from theory.expressivity import pd_ssm_emulation as pd_ssm
from theory.fa_rnn.shared.networks import Vector, dot
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, entries
from theory.theorem import Theorem
from theory.weights import Weights

HALF: Any = Fraction(1, 2)
Map = tuple[int, ...]
Factor = tuple[Any, Vector]
"""The beta and the key of a matrix I - beta k k^T."""


def permuting(n: int, **only: Sequence[Any]) -> Signature:
    """Return the names and shapes of the weights of an automaton in which each symbol permutes the n states.

    The weight ``order`` is the index of a symbol's permutation in lexicographic order. The transition of
    symbol x from state i has the weight d(x)[i].
    """
    order = by_symbol("order", only=range(factorial(n)))
    names = entries("minus x_0[N] c[N] | d[N]", n, {"minus": (-1,), **only})
    return Signature((*names, order), size=("N", n), most_small=100)


def mapping(n: int, **only: Sequence[Any]) -> Signature:
    """Return the names and shapes of the weights of an automaton with n states.

    Symbol x leads from state i to delta(x)[i].
    """
    names = "minus x_0[N] c[N] | delta[N] d[N]"
    return Signature(
        entries(names, n, {"minus": (-1,), "delta": range(n), **only}), size=("N", n), most_small=100
    )


@cache
def permutation(n: int, index: int) -> Map:
    """Return the permutation of n states with this index in lexicographic order."""
    return list(permutations(range(n)))[index]


def following(w: Weights, x: str) -> Map:
    """Return the next state of each state after symbol x."""
    return tuple(map(int, w.delta[x])) if "delta" in w.entries else permutation(w.n, int(w.order[x]))


def with_maps(w: Weights) -> Weights:
    """Return the weights with a table ``delta`` of next states.

    Transition weights ``d`` default to 1.
    """
    ones = dict.fromkeys(w.alphabet, (w.over.one,) * w.n)
    delta = {x: following(w, x) for x in w.alphabet}
    return Weights(w.over, w.alphabet, {"d": ones, **w.entries, "delta": delta}, w.size)


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton in which symbol x leads from state i to its next state with weight d(x)[i]."""
    return pd_ssm.automaton(with_maps(w))


# The factors of a symbol.


def sorting(states: Sequence[int], images: Map) -> list[tuple[int, int]]:
    """Return swaps whose composition is the permutation ``images``, one for each of ``states``.

    The permutation must fix all other states except one. The last swap exchanges the first of ``states`` with
    its image.
    """
    if not states:
        return []
    first, *others = states
    last = {first: images[first], images[first]: first}
    return [*sorting(others, tuple(last.get(i, i) for i in images)), (first, images[first])]


def one_hot(w: Weights, state: int) -> Vector:
    """Return the one-hot vector of a state."""
    return tuple(w.over.one if i == state else w.over.zero for i in range(w.n))


def scaling(w: Weights, x: str) -> list[Factor]:
    """Return the factors that scale each component i by d(x)[i]."""
    k = w.over
    return [(k.plus(k.one, k.times(w.minus, d)), one_hot(w, i)) for i, d in enumerate(w.d[x])]


def swapping(w: Weights, x: str) -> list[Factor]:
    """Return N - 1 factors whose product permutes the components.

    A factor that swaps nothing has the key e_p - e_p = 0.
    """
    one, zero = w.over.one, w.over.zero

    def difference(p: int, q: int) -> Vector:
        return tuple(zero if p == q else {p: one, q: w.minus}.get(i, zero) for i in range(w.n))

    return [(one, difference(p, q)) for p, q in sorting(range(1, w.n), following(w, x))]


def both(w: Weights, x: str) -> list[Factor]:
    """Return all factors of a symbol: those that scale the components, then those that permute them."""
    return [*scaling(w, x), *swapping(w, x)]


def reflected(w: Weights, h: Vector, factor: Factor) -> Vector:
    """Return the product of h and the factor, h - beta k (k h)."""
    k, (beta, key) = w.over, factor
    change = k.times(w.minus, k.times(beta, dot(k, key, h)))
    return tuple(k.plus(value, k.times(change, part)) for value, part in zip(h, key, strict=True))


def layer(factors: Callable[[Weights, str], Sequence[Factor]]) -> Recurrence:
    """Return the layer in which a symbol multiplies the state h by its factors, and the output is c h."""

    def step(w: Weights, h: Vector, x: str) -> Vector:
        for factor in factors(w, x):
            h = reflected(w, h, factor)
        return h

    return Recurrence(lambda w: w.x_0, step, lambda w, h: (dot(w.over, w.c, h),))


def projections(w: Weights, x: str) -> list[Factor]:
    """Return the factors of a symbol, with beta = 1/2 in place of 1 in the factors that swap."""
    return [*scaling(w, x), *((w.over.times(HALF, beta), key) for beta, key in swapping(w, x))]


def in_coq(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq's terms, with delta as a table of state indices."""
    return pd_ssm.in_coq(with_maps(w))


PERMUTING = Sizes(permuting, (1, 2, 3, 4), (1, 2, 3))
SEVERAL = Sizes(permuting, (2, 3), ())
UNWEIGHTED = permuting(2, d=(1,), x_0=(0, 1), c=(0, 1))
MAPPING = Sizes(mapping, (1, 2, 3), ())
MERGING = mapping(2, d=(1,), x_0=(0, 1), c=(0, 1))
GIVEN = "(Q := {Q}) (S := {S}) {delta} {d:finite} {x_0} {c}"
FACTORS = "(fun x => scales {minus} ({d:finite} x) ++ permutes {minus} ({delta} x)) {x_0} {c} {letters}"

CLAIM = Claim(
    name="householder-products",
    title="products of Householder matrices permute states",
    statement=(
        "Every automaton with N states whose symbols permute the states, with any weights, is a linear layer"
        " in which the matrix of a symbol is a product of 2 N - 1 matrices I - beta k k^T: N scale"
        " components, and N - 1 swap two of them. With weights in [-1, 1], beta |k|^2 is in [0, 2]. No"
        " product of matrices with beta |k|^2 in [0, 2] maps two one-hot states to the same one-hot state."
    ),
    source=Source("grazzi2025unlocking", "", "Products of Householder matrices"),
    hypotheses=(
        "One layer over symbols, in exact arithmetic. The paper's statement is about every regular language;"
        " this claim is about groups, and about the limit of one layer with one-hot states.",
        "The states are one-hot vectors, so a permutation of states is a matrix of 0 and 1.",
        "Weights commute, and there is a weight -1.",
        "The abstract of version 5 on arXiv was available, and the statement is paraphrased.",
    ),
    variants=(
        holding(
            name="corrected",
            says="for any permutations, any weights of transitions, and any initial and final weights",
            without={
                "proved": "terms cancel, and proofs use polynomials without -1; the Coq theorem covers it"
            },
            reading=Equality(layer(both), automaton),
            cases=PERMUTING.random,
            small_cases=PERMUTING.near_generic,
            programs=("householder-products",),
            theorem=Theorem(
                "expressivity.householder_products.householder_products",
                network=f"product_layer (Q := {{Q}}) (S := {{S}}) {{minus}} {FACTORS}",
                automaton=f"of_maps {GIVEN}",
                score=f"{{score}} (of_maps {GIVEN}) {{letters}}",
                claims=(
                    "forall (K : semiring) (Q S : finite) (minus : K) (delta : S -> Q -> Q) (d : S -> Q -> K)"
                    " (x_0 c : Q -> K) letters, commutative (@times K) -> plus one minus = zero ->"
                    " (forall x, injective (delta x)) -> {automaton} = {network}"
                ),
                values=in_coq,
            ),
        ),
        refuted(
            name="without-permutations",
            says="symbols may map two states to the same state, which no product of swaps does",
            reading=Equality(layer(both), automaton),
            cases=MAPPING.random,
            small_cases=MERGING.small,
            theorem=Theorem(
                "expressivity.householder_products.without_permutations_is_refuted",
                untied="the theorem is about any number of factors, and about lengths of vectors",
            ),
        ),
        refuted(
            name="without-reflections",
            says="beta |k|^2 is 1 in place of 2: each swap becomes a projection on the mean of both states",
            without={"kernel-checked": "the counterexample is one word, which the suite computes"},
            reading=Equality(layer(projections), automaton),
            cases=SEVERAL.random,
            small_cases=UNWEIGHTED.small,
        ),
    ),
    differences=(
        PARAPHRASED,
        (
            "There is one layer over symbols, in exact arithmetic. The paper's statement is about"
            " every regular language, with several layers; here it is about automata whose symbols"
            " permute the states."
        ),
        "The states are one-hot vectors, and weights of transitions are any numbers.",
    ),
    example=permuting(2).example(),
    uses=("pd-ssm-emulation", "negative-eigenvalues"),
    effort=Effort(examples=25, strings=10, longest=8, run=10),
)
