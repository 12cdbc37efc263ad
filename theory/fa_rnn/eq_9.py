"""Equation 9: the tensor, and therefore the automaton, is reconstructed from the factors.

Jiang et al. 2020, section 6, equation 9. A mode-1 unfolding has one row for each word, and is the
transpose of the printed one. The Khatri-Rao product of D_2 and D_1 has a row for each pair of a state i
before a word and a state j after it, with the number (j - 1) K + i. Programs reshape in row-major order and
would read this number as [j, i], so every matrix is transposed. The paper does not mention this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.fa_rnn.eq_5 import decomposed
from theory.fa_rnn.shared.networks import (
    BITS,
    SQUARE,
    Matrix,
    Vector,
    any_size_5,
    automaton_of,
    by_construction,
    by_factors,
    by_tensor,
    factors,
    in_line,
    tensor,
    vector_is_h,
)
from theory.reading import Equality
from theory.signature import Signature, Sizes, constant
from theory.theorem import Theorem
from theory.weights import Weights, total


def unfolded(w: Weights, x: str) -> Vector:
    """Return a word's column of the unfolding T_(1) = (D_2 (.) D_1) E_R^T; it has K^2 entries.

    (.) is the Khatri-Rao product. Each of its columns is the Kronecker product of a column of D_2 and a
    column of D_1, in which the row of D_2 varies slowest.
    """
    k = w.over
    rows = [zip(one, w.v[x], two, strict=True) for two in w.D_2 for one in w.D_1]
    return tuple(total(k, (k.times(k.times(first, v), second) for first, v, second in row)) for row in rows)


def state_after_first(column: Vector, k: int) -> Matrix:
    """Convert a word's column of the unfolding to a K x K matrix: row (j - 1) K + i is entry [i, j]."""
    return tuple(tuple(column[j * k + i] for j in range(k)) for i in range(k))


def state_before_first(column: Vector, k: int) -> Matrix:
    """Convert a word's column of the unfolding to a K x K matrix: row (i - 1) K + j is entry [i, j]."""
    return tuple(tuple(column[i * k + j] for j in range(k)) for i in range(k))


def reconstructed(fold: Callable[[Vector, int], Matrix]) -> Callable[[Weights], list[WFSA]]:
    """Return a function that constructs the automaton from the factors' unfolding.

    ``fold`` converts a word's column of the unfolding to the word's transition matrix.
    """
    return lambda w: [automaton_of(w, {x: fold(unfolded(w, x), len(w.alpha_0)) for x in w.alphabet})]


def thresholded(w: Weights) -> list[WFSA]:
    """Return the automaton with a transition of weight 1 where the reconstructed tensor is at least gamma."""
    k = len(w.alpha_0)
    tables = {x: state_after_first(unfolded(w, x), k) for x in w.alphabet}
    return [
        automaton_of(
            w,
            {x: tuple(tuple(int(v >= w.gamma) for v in row) for row in table) for x, table in tables.items()},
        )
    ]


def small_factors(size: tuple[int, int]) -> Signature:
    """Return the names and shapes of the weights of the small test cases, whose factors are arbitrary.

    With one column, the weights are 0, 1 and -1; with two columns, they are 0 and 1.
    """
    only = (0, 1, -1) if size[1] == 1 else BITS
    return in_line(Signature(factors(size[0], size[1], only), size=("K", size[0])), most=800)


def rule_and_threshold(k: int, gamma: tuple[Any, ...] = ("1/2", "1", "1/100", "99/100")) -> Signature:
    """Return the names and shapes of a tensor of zeros and ones, its factors, and a threshold.

    The factors are constructed from the tensor. The threshold is one of ``gamma``, by default in (0, 1].
    """
    entries = (*tensor(k, BITS), *by_construction(), constant("gamma", only=gamma))
    return Signature(entries, size=("K", k), most_small=600)


SMALL_SIZES = ((1, 1), (2, 1), (2, 2))
ANY = Sizes(decomposed, (*SMALL_SIZES, (2, 3), (3, 2)), SMALL_SIZES)
SMALL = Sizes(small_factors, (), SMALL_SIZES)
EXACT = Sizes(rule_and_threshold, (1, 2, 3), ())
OFF = Sizes(lambda k: rule_and_threshold(k, (0, 2)), (1, 2, 3), (1, 2))
IN_LINE = Sizes(lambda k: in_line(rule_and_threshold(k)), (), (1, 2))


FACTORS_IN_COQ = (
    "K (C : finite) (D_1 D_2 : 'I_K -> C -> over) (v : S -> C -> over) (alpha_0 alpha_inf : 'I_K -> over)"
)
THRESHOLD = "(at_most : over -> over -> bool) (gamma : over)"
ONES_AND_ZEROS = (
    f"(S : eqType) {FACTORS_IN_COQ} (moves : S -> 'I_K -> 'I_K -> bool) word,"
    " (forall x i j, of_factors (Q := place K) D_1 D_2 v x i j = bit over (moves x i j)) ->"
    " let T := fun x i j => bit over (moves x i j) in"
)


def in_coq(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms.

    They are the weights, the finite set of columns, and the order of numbers.
    """
    return {**w.entries, "C": f"(place {len(w.D_1[0])})", "at_most": "Qc_le"}


THRESHOLDED: dict[str, Any] = {
    "network": "score_4 {alpha_0} {alpha_inf} {T} {word}",
    "automaton": (
        "@Wfa _ _ (place {K}) {alpha_0} (@thresholded {over} {at_most} {gamma} _ {K}"
        " (@refolded _ _ {K} {C} {D_1} {D_2} {v})) {alpha_inf}"
    ),
}

CLAIM = Claim(
    name="fa-rnn-eq-9",
    title="the automaton can be reconstructed from the factors",
    statement=(
        "The unfolding (D_2 (.) D_1) E_R^T, with row (j - 1) K + i read as T[x, i, j], is the tensor of the"
        " automaton of the network. If the factors are exact, any threshold in (0, 1] restores the"
        " automaton of the rules."
    ),
    source=Source("jiang2020cold", "6", "Equation 9", ("9",)),
    hypotheses=(
        "In the index of a row of the unfolding, the state after the step comes first.",
        "For thresholds: the factors are exact, and 0 < gamma <= 1.",
    ),
    variants=(
        holding(
            name="corrected",
            says="the unfolding, with the state after the step first in the index of a row",
            reading=Equality(recurrence=by_factors, construction=reconstructed(state_after_first)),
            cases=ANY.random,
            small_cases=ANY.near_generic,
            programs=("fa-rnn-rebuilt-tensor",),
            proof=vector_is_h(
                (decomposed((k, r)) for k in range(1, 4) for r in range(1, 4)),
                (
                    f"{SQUARE} For every K and r: the row (j - 1) K + i is the sum of the factors at i and j,"
                    " so the step is one identity of such sums, with symbols for K and r."
                ),
                any_size_5,
            ),
            theorem=Theorem(
                "fa_rnn.eq_9.eq_9",
                network="score_5 {alpha_0} {alpha_inf} {D_1} {D_2} {v} {word}",
                automaton=(
                    "@Wfa _ _ (place {K}) {alpha_0} (@refolded _ _ {K} (place {r}) {D_1} {D_2} {v})"
                    " {alpha_inf}"
                ),
            ),
        ),
        holding(
            name="corrected-threshold",
            says="exact factors, and a threshold: the automaton of the rules",
            reading=Equality(recurrence=by_tensor, construction=thresholded),
            cases=EXACT.random,
            small_cases=IN_LINE.near_generic,
            programs=("fa-rnn-threshold",),
            theorem=Theorem(
                "fa_rnn.eq_9.eq_9_threshold",
                claims=(
                    f"forall over : semiring, commutative (@times over) -> forall {THRESHOLD},"
                    f" ~~ at_most gamma zero -> at_most gamma one -> forall {ONES_AND_ZEROS}"
                    " {automaton} = {network}"
                ),
                values=in_coq,
                **THRESHOLDED,
            ),
        ),
        refuted(
            name="without-state-after-first",
            says="the unfolding read as [i, j], as programs reshape it: every matrix is transposed",
            reading=Equality(recurrence=by_factors, construction=reconstructed(state_before_first)),
            theorem=Theorem(
                "fa_rnn.eq_9.without_state_after_first_is_refuted",
                network="score_5 {alpha_0} {alpha_inf} {D_1} {D_2} {v} {word}",
                automaton=(
                    "@Wfa _ _ (place {K}) {alpha_0} (fun x i j => @refolded _ _ {K} {C} {D_1} {D_2}"
                    " {v} x j i) {alpha_inf}"
                ),
                claims=(
                    "forall over : semiring, commutative (@times over) -> one <> zero :> over ->"
                    f" not (forall (S : Type) {FACTORS_IN_COQ} word, {{automaton}} = {{network}})"
                ),
                values=in_coq,
            ),
            cases=ANY.random,
            small_cases=SMALL.small,
        ),
        refuted(
            name="without-threshold-in-range",
            says="exact factors, and a threshold of 0 or of 2",
            reading=Equality(recurrence=by_tensor, construction=thresholded),
            cases=OFF.random,
            theorem=Theorem(
                "fa_rnn.eq_9.without_threshold_in_range_is_refuted",
                claims=(
                    f"forall (over : semiring) {THRESHOLD}, one <> zero :> over ->"
                    " at_most gamma zero \\/ ~~ at_most gamma one ->"
                    f" not (forall {ONES_AND_ZEROS} {{automaton}} = {{network}})"
                ),
                values=in_coq,
                **THRESHOLDED,
            ),
        ),
    ),
    differences=(
        (
            "The mode-1 unfolding is the transpose of what is printed, E_R (D_2 (.) D_1)^T. In the"
            " index of a row, the state after the step comes first."
        ),
        (
            "For the threshold, the factors are exact, and gamma is in (0, 1]. The paper thresholds"
            " trained weights, and does not state gamma."
        ),
        (
            "The mixture with beta and G is the claim fa-rnn-eq-6; here E_R stands for it. Rounding"
            " of the aggregation layer is left out."
        ),
    ),
    example=ANY.of((2, 2)).example(),
    uses=("fa-rnn-eq-5",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
    misprints=(
        Misprint(
            printed=(
                "T_(1) = (D_2 (.) D_1) E_R^T, although a mode-1 unfolding has V rows, one for each word,"
                " and the product has K^2"
            ),
            right="the transpose, E_R (D_2 (.) D_1)^T",
            test="proofs_tests/fa_rnn/test_eq_9.py::test_the_unfolding_as_printed_has_the_shape_of_its_transpose",
        ),
    ),
)
