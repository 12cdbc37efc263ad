"""The Viterbi score is max-times; section 2.4 prints max-plus.

Jiang et al. 2020, sections 2.4 and 3.5, equation 3. With weights 0 and 1, max-plus adds ones: an
automaton of ``a`` would score 3 on ``a``, 2 on ``b`` and 1 on the empty sentence.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import MAX_TIMES
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.fa_rnn.beta_1 import viterbi_network, viterbi_score
from theory.fa_rnn.shared.networks import (
    SQUARE,
    Vector,
    any_size_4,
    by_tensor,
    factors,
    in_line,
    rebuilt,
    tensor,
    vector_is_h,
    with_tensor,
)
from theory.fa_rnn.shared.rules import RULES, matches
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes
from theory.theorem import Theorem
from theory.weights import Weights


def over_max_times(k: int, only: tuple[Any, ...] | None = None) -> Signature:
    """Return the names and shapes of the nonnegative weights of an automaton with K states."""
    return Signature(tensor(k, only), over=MAX_TIMES, size=("K", k))


def max_plus_step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t as printed: h_t[j] = max over i of h_{t-1}[i] + T[x_t, i, j]."""
    return tuple(max(v + row[j] for v, row in zip(h, w.T[x], strict=True)) for j in range(w.n))


def max_plus_score(w: Weights, h: Vector) -> tuple[Any]:
    """Return the score as printed: the maximum over i of h_N[i] + alpha_inf[i]."""
    return (max(v + f for v, f in zip(h, w.alpha_inf, strict=True)),)


max_plus_network = Recurrence(start=lambda w: w.alpha_0, step=max_plus_step, out=max_plus_score)

# The row -V of Table 6 is equation 5 with maxima instead of sums. Its factors are those of equation 5, so T
# is the sum of their products and not the maximum. T is nonnegative, but factors may be negative.


def factored(size: tuple[int, int]) -> Signature:
    """Return the names and shapes of factors with K states and r columns whose tensor T is nonnegative."""
    k, r = size
    start, before, words, after, end = factors(k, r, (1, 0, 2, HALF))
    entries = (start, before, replace(words, only=tuple(map(Fraction, (1, 2, -1, 0)))), after, end)
    return in_line(
        Signature(
            entries,
            size=("K", k),
            where=lambda w: all(v >= 0 for matrix in rebuilt(w).values() for row in matrix for v in row),
        )
    )


def max_factors_step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t[j] = max over s of (max over i of h_{t-1}[i] D_1[i, s]) v_t[s] D_2[j, s].

    This is equation 5 with maxima instead of sums.
    """
    columns = zip(zip(*w.D_1, strict=True), w.v[x], strict=True)
    a = [max(n * d for n, d in zip(h, column, strict=True)) * v for column, v in columns]
    return tuple(max(n * d for n, d in zip(a, row, strict=True)) for row in w.D_2)


maxima_of_factors = Recurrence(
    start=lambda w: w.alpha_0, step=max_factors_step, out=lambda w, h: viterbi_score(w, (h, ()))
)


HALF = Fraction(1, 2)
IN_COQ = "(R := {ring}) {alpha_0} {alpha_inf} {D_1} {D_2} {v}"
"""The factors as Coq terms."""
FACTORED = Sizes(factored, ((1, 2), (2, 2), (2, 3)), ((1, 2),))
RANDOM = Sizes(over_max_times, (1, 2, 3), ())
SMALL = Sizes(lambda k: in_line(over_max_times(k, (0, 1, 2, HALF))), (), (1, 2))

CLAIM = Claim(
    name="fa-rnn-viterbi",
    title="the Viterbi score is max-times",
    statement=(
        "With maxima instead of sums, and with unchanged products, the recurrence computes the greatest"
        " weight of an accepting path. If all weights are 0 or 1, this is 1 on matches and 0 otherwise."
    ),
    source=Source("jiang2020cold", "2.4", "Equation 3", ("3", "8")),
    hypotheses=(
        (
            "The weights are nonnegative. In logarithms, products are sums, and the semiring is max-plus."
            " The weights in the paper are 0 and 1."
        ),
        "T is used directly, or it has factors over maxima and products.",
        "The theorem of the variant corrected is equation 4 over max-times, which is true by the definition"
        " of both sides. The theorem of corrected-match is about matches, and not true by definition.",
    ),
    variants=(
        holding(
            name="corrected",
            says="max-times: the greatest weight of an accepting path, the Forward score over that semiring",
            reading=Equality(recurrence=by_tensor, construction=with_tensor),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            programs=("fa-rnn-maxima",),
            proof=vector_is_h(
                (over_max_times(k) for k in range(1, 5)),
                f"{SQUARE} For every K: the step at an index is one identity, in which K is a symbol.",
                any_size_4,
            ),
            theorem=Theorem(
                "fa_rnn.viterbi.viterbi",
                network="score_4 {alpha_0} {alpha_inf} {T} {word}",
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                over="rational_max_times",
                proved_over="fractions_max_times",
            ),
        ),
        holding(
            name="corrected-match",
            says="with weights 0 and 1, it is 1 on matches and 0 otherwise",
            reading=Equality(recurrence=viterbi_network, construction=matches),
            cases=RULES.random,
            programs=("fa-rnn-viterbi-tensor", "fa-rnn-viterbi-factors"),
            theorem=Theorem(
                "fa_rnn.viterbi.viterbi_match",
                claims=(
                    "forall (R : realDomainType) (S : eqType) (Q : finite) (begins accepts : Q -> bool)"
                    " (moves : S -> Q -> Q -> bool) word, let over := max_times R in"
                    " let alpha_0 := fun q => bit over (begins q) in"
                    " let alpha_inf := fun q => bit over (accepts q) in"
                    " let T := fun x i j => bit over (moves x i j) in"
                    " {network} = bit over (matched begins accepts moves word)"
                ),
                network="score_4 {alpha_0} {alpha_inf} {T} {word}",
                over="rational_max_times",
            ),
        ),
        refuted(
            name="printed",
            without={
                "decided": (
                    "max-plus with the same weights is not an automaton over the reals, and one string"
                    " refutes the variant"
                )
            },
            says="max-plus, with the same weights",
            reading=Equality(recurrence=max_plus_network, construction=matches),
            cases=RULES.random,
            kinds=("sampled", "cross-checked", "exhausted"),
            theorem=Theorem(
                "fa_rnn.viterbi.printed_is_refuted",
                claims=(
                    "forall R : realDomainType, not (forall (S : eqType) (Q : finite) (start : Q)"
                    " (accepts : Q -> bool) (moves : S -> Q -> Q -> bool) word,"
                    " let alpha_0 := fun q => number R (q == start) in"
                    " let alpha_inf := fun q => number R (accepts q) in"
                    " let T := fun x i j => number R (moves x i j) in"
                    " {network} = number R (matched (fun q => q == start) accepts moves word))"
                ),
                network="score_4 {alpha_0} {alpha_inf} {T} {word}",
                over="rational_max_plus",
            ),
        ),
        refuted(
            name="printed-factors",
            without={
                "decided": (
                    "factors with a negative weight do not belong to any semiring of maxima, and one string"
                    " refutes the variant"
                )
            },
            says=(
                "-V in Table 6: equation 5 with maxima instead of sums and the same factors, which are"
                " those of T over sums and products"
            ),
            reading=Equality(
                recurrence=maxima_of_factors,
                construction=lambda w: [WFSA(MAX_TIMES, w.alpha_0, w.alpha_inf, rebuilt(w))],
            ),
            cases=FACTORED.random,
            kinds=("sampled", "cross-checked", "exhausted"),
            theorem=Theorem(
                "fa_rnn.viterbi.printed_factors_is_refuted",
                network=f"score_of_maxima {IN_COQ} {{word}}",
                score=f"number_of ({{score}} (rebuilt {IN_COQ}) {{word}})",
                claims=(
                    "forall R : realDomainType, let ring := R in not (forall (S : Type) (Q C : finite)"
                    " (alpha_0 alpha_inf : Q -> R) (D_1 D_2 : Q -> C -> R) (v : S -> C -> R) word,"
                    " (forall q, 0 <= alpha_0 q /\\ 0 <= alpha_inf q)%R ->"
                    " (forall x i j, 0 <= tensor D_1 D_2 v x i j)%R -> {network} = {automaton})"
                ),
                over="fractions",
                values=lambda w: {**w.entries, "ring": "ordered_fractions"},
            ),
        ),
    ),
    differences=(
        "The semiring is max-times in place of max-plus. In logarithms of the weights it is max-plus.",
        (
            "The weights are any nonnegative numbers in the variant corrected, and 0 and 1 in"
            " corrected-match, which is about matches."
        ),
        "The empty sentence is included.",
    ),
    example=RULES.of(2).example(),
    uses=("fa-rnn-eq-4",),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
