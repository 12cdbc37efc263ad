"""Equation 5: if its tensor is decomposed into three factors, the network is the same automaton.

Jiang et al. 2020, section 3.2, equation 5, which needs a sufficiently large rank r but does not
specify it.
"""

from __future__ import annotations

from typing import Any

from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.fa_rnn.shared.networks import (
    SQUARE,
    any_size_5,
    by_construction,
    by_factors,
    factors,
    in_line,
    score,
    step_5,
    tensor,
    vector_is_h,
    with_rebuilt_tensor,
    with_tensor,
)
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, constant
from theory.theorem import Theorem
from theory.weights import Weights


def decomposed(size: tuple[int, int]) -> Signature:
    """Return the names and shapes of the factors of equation 5, with K states and r columns."""
    k, r = size
    return Signature(factors(k, r), size=("K", k), most_small=300)


def constructed(k: int) -> Signature:
    """Return the names and shapes of any tensor T, and of factors that are derived from it.

    The factors have as many columns as there are pairs of a word and a state, or pairs of states, whichever
    is fewer.
    """
    return Signature((*tensor(k), *by_construction()), size=("K", k), most_small=300)


# K' isolated states: rows of zeros below D_1 and D_2, with the initial weight 0. Their final weights are
# arbitrary, because no sentence reaches them.


def with_isolated(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of arbitrary factors, and of the final weights of K' isolated states."""
    k, r, isolated = size
    return Signature((*factors(k, r), constant("others", (isolated,))), size=("K", k), most_small=300)


def padded(w: Weights) -> Weights:
    """Return the weights of the network with the isolated states.

    For each of these states, D_1 and D_2 have a row of zeros, and alpha_0 has a zero.
    """
    zeros = (w.over.zero,) * len(w.others)
    rows = ((w.over.zero,) * len(w.D_1[0]),) * len(w.others)
    entries = {"alpha_0": (*w.alpha_0, *zeros), "alpha_inf": (*w.alpha_inf, *w.others)}
    entries |= {"D_1": (*w.D_1, *rows), "D_2": (*w.D_2, *rows), "v": w.v}
    return Weights(w.over, w.alphabet, entries)


isolated_states = Recurrence(
    start=lambda w: padded(w).alpha_0,
    step=lambda w, h, x: step_5(padded(w), h, x),
    out=lambda w, h: score(padded(w), h),
)


def step_without_last_column(w: Weights, h: tuple[Any, ...], x: str) -> tuple[Any, ...]:
    """Return the state h_t by equation 5, computed without the last column of each factor."""
    before, after = (tuple(row[:-1] for row in factor) for factor in (w.D_1, w.D_2))
    return step_5(w.changed(D_1=before, v={x: w.v[x][:-1]}, D_2=after), h, x)


with_fewer_columns = Recurrence(start=lambda w: w.alpha_0, step=step_without_last_column, out=score)


ANY = Sizes(decomposed, ((1, 1), (2, 1), (2, 2), (2, 3), (3, 2)), ((1, 1), (2, 1), (2, 2)))
OWN, SMALL_OWN = Sizes(constructed, (1, 2, 3), ()), Sizes(lambda k: in_line(constructed(k)), (), (1, 2))
ISOLATED = Sizes(with_isolated, ((1, 1, 1), (2, 1, 2), (2, 2, 1)), ((1, 1, 1), (2, 1, 1)))
HERE = (
    "For every K and r: the step at a state is one identity of sums over states and columns, with symbols for"
    " K and r."
)


def with_sets(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms, with finite sets of letters and states."""
    return {**w.entries, "S": f"(place {len(w.alphabet)})", "Q": f"(place {len(w.alpha_0)})"}


CLAIM = Claim(
    name="fa-rnn-eq-5",
    title="a decomposed FA-RNN is an automaton",
    statement=(
        "h_t = ((h_{t-1} D_1) o v_t) D_2^T is the Forward vector of the automaton whose weights T[x, i, j]"
        " are the sums over s of D_1[i, s] E_R[x, s] D_2[j, s]; and every T has such factors with min(V K,"
        " K^2) columns."
    ),
    source=Source("jiang2020cold", "3.2", "Equation 5", ("5",)),
    hypotheses=(
        (
            "r is at least the tensor's rank. This is always true for r = min(V K, K^2), for which the"
            " factors can be written down."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="any factors: the network is the automaton of the tensor that they define",
            reading=Equality(recurrence=by_factors, construction=with_rebuilt_tensor),
            cases=ANY.random,
            small_cases=ANY.near_generic,
            programs=("fa-rnn-factors",),
            proof=vector_is_h(
                (decomposed((k, r)) for k in range(1, 4) for r in range(1, 4)), f"{SQUARE} {HERE}", any_size_5
            ),
            theorem=Theorem(
                "fa_rnn.eq_5.eq_5",
                network="score_5 {alpha_0} {alpha_inf} {D_1} {D_2} {v} {word}",
                automaton="automaton_of {alpha_0} {alpha_inf} (of_factors {D_1} {D_2} {v})",
            ),
        ),
        holding(
            name="corrected-large-enough",
            says="any tensor: min(V K, K^2) columns are enough; the constructed factors have this number",
            reading=Equality(recurrence=by_factors, construction=with_tensor),
            cases=OWN.random,
            small_cases=SMALL_OWN.small,
            programs=("fa-rnn-exact-factors",),
            theorem=Theorem(
                "fa_rnn.eq_5.eq_5_large_enough",
                claims=(
                    "forall (K : semiring) (S Q : finite) (T : S -> Q -> Q -> K),"
                    " card (columns (by_construction T)) = minn (card S * card Q) (card Q * card Q)"
                    " /\\ forall (alpha_0 alpha_inf : Q -> K) letters, {automaton} = {network}"
                ),
                network=(
                    "score_of {alpha_0} {alpha_inf} (by_construction (S := {S}) (Q := {Q}) {T:finite})"
                    " {letters}"
                ),
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                values=with_sets,
            ),
        ),
        holding(
            name="corrected-isolated-states",
            says=(
                "with K' isolated states, which are rows of zeros in D_1 and D_2: no score changes, whatever"
                " their final weights"
            ),
            reading=Equality(recurrence=isolated_states, construction=with_rebuilt_tensor),
            cases=ISOLATED.random,
            small_cases=ISOLATED.near_generic,
            theorem=Theorem(
                "fa_rnn.eq_5.eq_5_isolated_states",
                claims=(
                    "forall (K : semiring) (S : Type) (Q Q' C : finite) (alpha_0 alpha_inf : Q -> K)"
                    " (others : Q' -> K) (D_1 D_2 : Q -> C -> K) (v : S -> C -> K) word,"
                    " {network} = score_5 alpha_0 alpha_inf D_1 D_2 v word"
                ),
                network=(
                    "score_5 (Q := sum_finite _ _) (with_zeros {alpha_0})"
                    " (with_other_ends {alpha_inf} {others}) (with_rows_of_zeros {D_1})"
                    " (with_rows_of_zeros {D_2}) {v} {word}"
                ),
                automaton="automaton_of {alpha_0} {alpha_inf} (of_factors {D_1} {D_2} {v})",
            ),
        ),
        refuted(
            name="without-large-enough-rank",
            says=(
                "the same factors with one column less; this is about these factors, and no lower bound on"
                " the rank of a tensor"
            ),
            reading=Equality(recurrence=with_fewer_columns, construction=with_tensor),
            cases=OWN.random,
            small_cases=SMALL_OWN.small,
            theorem=Theorem(
                "fa_rnn.eq_5.without_large_enough_rank_is_refuted",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S Q : finite)"
                    " (alpha_0 alpha_inf : Q -> K) (T : S -> Q -> Q -> K) letters, {automaton} = {network})"
                ),
                network=(
                    "score_of {alpha_0} {alpha_inf} (without_last_column"
                    " (by_construction (S := {S}) (Q := {Q}) {T:finite})) {letters}"
                ),
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                values=with_sets,
            ),
        ),
    ),
    differences=(
        (
            "A sufficiently large r is at least the rank of T. This is always true for r ="
            " min(V K, K^2), for which the factors are written down (corrected-large-enough). No"
            " bound on the rank of a given T is shown."
        ),
        "In the variant corrected, the factors are any matrices, and T is what they define.",
        (
            "The isolated states have zeros in D_1 and D_2, as printed, and any final weights; scores"
            " do not change before training. What training does is not formal."
        ),
        "The empty sentence is included.",
    ),
    example=ANY.of((2, 2)).example(),
    uses=("fa-rnn-eq-4",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
    misprints=(
        Misprint(
            printed=(
                "training D_1 and D_2 makes use of the K' isolated states that rows of zeros add (section"
                " 3.2)"
            ),
            right=(
                "under equation 8 both gradients of these rows are always zero; if all of h_N is read, the"
                " gradient of D_2 is not zero, and with small noise instead of zeros neither is"
            ),
            test="proofs_tests/neural/test_fa_rnn.py::test_isolated_states_need_noise_to_be_trained",
        ),
        Misprint(
            printed="the network is first-order and has no higher-order weights (section 7)",
            right=(
                "equation 4 is a second-order linear network with weights T, and equation 5 decomposes"
                " them: both multiply the state by the word"
            ),
            test="proofs_tests/fa_rnn/test_eq_5.py::test_state_and_word_are_multiplied",
        ),
    ),
)
