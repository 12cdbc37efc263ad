"""No drift: a mixture of centroids is never longer than the longest centroid, for strings of any length.

Wang & Niepert 2019, section 3, equation 5: "the values of hidden states tend to increase in
magnitude with the length of the input sequence, a behavior that has been termed drifting [...]. The
proposed state regularization stabilizes the hidden states for longer sequences."
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import flint

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.state_regularized.shared.limits import always_one, distinct
from theory.state_regularized.shared.mixtures import ball, distribution, scores
from theory.state_regularized.shared.networks import ANY, EXAMPLE, SMALL, Vector, inside, integers
from theory.theorem import Theorem
from theory.weights import Weights


def square(h: Vector) -> Any:
    """Return the square of the norm of h."""
    return sum(n * n for n in h)


def longest(w: Weights) -> Any:
    """Return the square of the longest centroid's norm."""
    return max(map(square, w.S))


# The network itself, in ball arithmetic: whether |h|^2 is certainly at most that of the longest centroid.
# After a symbol, |h|^2 is strictly less, because every alpha_i is positive and the centroids differ. The
# precision below shows this for strings that are not too long; otherwise the comparison raises an error.

BITS = 1024


class UnsettledNorm(ValueError):
    """Raised if the precision does not distinguish the norm of h from that of the longest centroid."""


def mixed(w: Weights, h: Vector, x: str) -> Vector:
    """Return the next hidden state, the mixture of centroids h = sum_i alpha_i s_i (equation 5).

    The cell is u = hardtanh(U h + W_x), and the temperature is 1 / (m ln 2).
    """
    with flint.ctx.workprec(BITS):
        alpha = distribution(scores(w, h, x), ball(w.m) * flint.arb(2).log())
        return tuple(
            sum((a * ball(n) for a, n in zip(alpha, column, strict=True)), start=flint.arb(0))
            for column in zip(*w.S, strict=True)
        )


def no_longer(w: Weights, h: Vector) -> tuple[Any]:
    """Return one if |h| is at most the longest centroid's norm, and zero if it is larger.

    Raises:
        UnsettledNorm: If the balls overlap.
    """
    with flint.ctx.workprec(BITS):
        norm, most = square(h), ball(longest(w))
        if norm <= most:
            return (Fraction(1),)
        if norm > most:
            return (Fraction(0),)
        raise UnsettledNorm(f"{BITS} bits do not decide whether |h|^2 = {norm} is at most {most}")


network = Recurrence(start=lambda w: tuple(map(ball, w.S[0])), step=mixed, out=no_longer)
# the network h = U h + W_x, without centroids or a bounded activation
plain = Recurrence(start=lambda w: w.S[0], step=inside, out=lambda w, h: (Fraction(square(h) <= longest(w)),))


# The reason, for any distribution alpha of any cell at any temperature: with M = max |s_i|^2
#
#     M - |h|^2 = sum_i alpha_i (M - |s_i|^2) + sum_{i < j} alpha_i alpha_j |s_i - s_j|^2,
#
# a sum of nonnegative terms. Here alpha is a table, positive numbers p over their sum. The automaton
# remembers the last symbol, and none of its weights is negative.


def any_distribution(size: tuple[int, int]) -> Signature:
    """Return the names and shapes of k centroids in d dimensions, and of a distribution alpha per symbol."""
    k, d = size
    return Signature(
        (
            constant("S", (k, d), ANY),
            by_symbol("p", (k,), (1, 2, 3, 5)),
            by_symbol("alpha", derived=lambda w, x: tuple(Fraction(n, int(sum(w.p[x]))) for n in w.p[x])),
        ),
        size=("k", k),
        most_small=200,
    )


def what_is_left(w: Weights, state: tuple[str, tuple[()]]) -> tuple[Any]:
    """Return M - |h|^2 for the hidden state h, where M is the squared norm of the longest centroid."""
    if not state[0]:
        return (longest(w) - square(w.S[0]),)
    alpha = w.alpha[state[0]]
    h = [sum(a * n for a, n in zip(alpha, column, strict=True)) for column in zip(*w.S, strict=True)]
    return (longest(w) - square(tuple(h)),)


# The mode is the last symbol: the hidden state is the mixture of the centroids by alpha of this symbol.
by_table = Recurrence(
    start=lambda w: ("", ()), step=lambda w, state, x: (x, ()), out=what_is_left, modes=True
)


def remainder_automaton(w: Weights) -> list[WFSA]:
    """Return the automaton of M - |h|^2, which has nonnegative weights.

    M is the squared norm of the longest centroid, and h is the hidden state. The automaton has an initial
    state, and for each symbol a state in which it is after reading this symbol.
    """
    one, pairs = w.over.one, list(combinations(range(w.n), 2))
    lack = [longest(w) - square(s) for s in w.S]
    distances = [square(tuple(a - b for a, b in zip(w.S[i], w.S[j], strict=True))) for i, j in pairs]
    final = [(0, lack[0])]
    for q, x in enumerate(w.alphabet, start=1):
        alpha = w.alpha[x]
        spread = sum(alpha[i] * alpha[j] * n for (i, j), n in zip(pairs, distances, strict=True))
        final.append((q, sum(a * n for a, n in zip(alpha, lack, strict=True)) + spread))
    states = len(w.alphabet) + 1
    ways = [(q, after, x, one) for q in range(states) for after, x in enumerate(w.alphabet, start=1)]
    return [WFSA.from_edges(w.over, states, w.alphabet, [(0, one)], final, ways)]


RANDOM = Sizes(lambda size: integers(size, ANY, where=distinct), ((2, 1), (3, 1), (2, 2), (3, 2)), ())
SMALL_ONES = Sizes(lambda size: integers(size, SMALL, (1,), where=distinct, most=60), (), ((2, 1), (2, 2)))
TABLES = Sizes(any_distribution, ((2, 1), (3, 2), (4, 2)), ((2, 1), (2, 2)))

LAST_SYMBOL = "(last_symbol (R := {ring}) (S := {letter}) {S} {alpha:finite})"
DRIFTS = "no_longer (R := {ring}) {S} (run (plain_next (R := {ring}) {U} {W}) ({S} ord0) {word})"
"""The automaton of the identity, and a network without equation 5, as Coq terms."""
IN_FRACTIONS = {"ring": "ordered_fractions"}

CLAIM = Claim(
    name="no-drift",
    title="a mixture of centroids does not drift",
    statement=(
        "With equation 5 the norm of the hidden state never exceeds that of the longest centroid, for any"
        " string of any length: the state is a convex combination of the centroids."
    ),
    source=Source("wang2019state", "3", "No drift", ("2", "3", "5")),
    hypotheses=(
        "The network starts at a centroid, or at any convex combination of centroids.",
        "The norm is Euclidean here; the claim holds for any norm.",
    ),
    variants=(
        holding(
            name="corrected",
            without={
                "cross-checked": "a norm is compared with a bound, in ball arithmetic, and no scores",
                "decided": "the mixtures are irrational, and take infinitely many values",
                "proved": "the bound is an inequality, and this check supports only identities",
            },
            constant="the comparison is whether a norm is within its bound, which is true after every string",
            says="at temperature 1 / (m ln 2), the answer is always 1: |h| is at most max |s_i|",
            reading=Equality(recurrence=network, construction=always_one),
            cases=RANDOM.random,
            small_cases=SMALL_ONES.small,
            kinds=("sampled", "exhausted"),  # a mixture is not an automaton and has no paths
            theorem=Theorem(
                "state_regularized.no_drift.no_drift", untied="the mixtures are about any real exponential"
            ),
        ),
        holding(
            name="corrected-identity",
            without={"proved": "the identity is about one mixture, not about a step"},
            says=(
                "for any distribution alpha, max |s_i|^2 - |h|^2 is a sum of nonnegative terms: an"
                " automaton without negative weights"
            ),
            reading=Equality(recurrence=by_table, construction=remainder_automaton),
            cases=TABLES.random,
            theorem=Theorem(
                "state_regularized.no_drift.no_drift_identity",
                network=(
                    "what_is_left (R := {ring}) {S} (by_table (R := {ring}) (S :="
                    " {letter}) {S} {alpha:finite}"
                    " {letters})"
                ),
                score=f"{{score}} {LAST_SYMBOL} {{letters}}",
                over="fractions",
                claims=(
                    "forall (R : realDomainType) n d (S : 'I_n.+1 -> 'I_d -> R) (letter : finite)"
                    " (alpha : letter -> 'I_n.+1 -> R), (forall x, distribution (alpha x)) ->"
                    f" let ring := R in let A := {LAST_SYMBOL} in"
                    " (forall letters, {automaton} = {network}) /\\ [/\\ forall q, (0 <= initial A q :> R)%R,"
                    " forall x p q, (0 <= transition A x p q :> R)%R & forall q, (0 <= final A q :> R)%R]"
                ),
                values=lambda w: {**w.entries, **IN_FRACTIONS, "letter": f"(place {len(w.alphabet)})"},
            ),
        ),
        refuted(
            name="without-equation-5",
            without={
                "cross-checked": "the comparison is of a norm with a bound, not of scores",
                "decided": "whether a norm exceeds a bound is not an affine function of the state",
            },
            says="for h = U h + W_x, without a stochastic component or a bounded activation",
            reading=Equality(recurrence=plain, construction=always_one),
            cases=RANDOM.random,
            small_cases=SMALL_ONES.small,
            kinds=("sampled", "exhausted"),
            theorem=Theorem(
                "state_regularized.no_drift.without_equation_5_is_refuted",
                network=f"if {DRIFTS} then one else zero",
                score="one",
                over="fractions",
                claims=(
                    "forall R : realDomainType, let ring := R in not (forall (letter : Type) n d"
                    " (S : 'I_n.+1 -> 'I_d -> R) (U : 'I_d -> 'I_d -> R) (W : letter -> 'I_d -> R) word,"
                    f" (forall i j, S i =1 S j -> i = j) -> {DRIFTS})"
                ),
                values=lambda w: {**w.entries, **IN_FRACTIONS},
            ),
        ),
    ),
    differences=(
        (
            "The paper states only that the regularization stabilizes hidden states for longer"
            " sequences. The bound by the longest centroid is ours."
        ),
        (
            "The network starts at a convex combination of centroids, which the paper does not state;"
            " the norm is Euclidean."
        ),
        (
            "In exact arithmetic, the network has integer weights and the activation hardtanh, at"
            " temperatures 1 / (m ln 2)."
        ),
    ),
    example=EXAMPLE,
    uses=("theorem-3.1",),
    effort=Effort(examples=30, strings=8, longest=8, run=12, exhausted=4),
)
