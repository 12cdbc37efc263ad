"""Equation 4: the recurrence h_t = h_{t-1} T[x_t] computes the Forward score of the automaton with weights T.

Jiang et al. 2020, section 3.1, equations 2 and 4.
"""

from __future__ import annotations

from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.fa_rnn.shared.networks import (
    BITS,
    SQUARE,
    Vector,
    any_size_4,
    by_tensor,
    score,
    step_4,
    tensor,
    vector_is_h,
    with_tensor,
)
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes
from theory.theorem import Theorem
from theory.weights import Weights


def network(k: int) -> Signature:
    """Return the names and shapes of the weights of an undecomposed FA-RNN with K states."""
    return Signature(tensor(k), size=("K", k), most_small=300)


# With the tensor's last two indices exchanged: h_t = T[x_t] h_{t-1}, like the matrices in equation 16 of
# Rational Recurrences.


def step_turned(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state T[x_t] h_{t-1}: its component j is the sum over i of T[x_t, j, i] h_{t-1}[i]."""
    turned = {**w.T, x: tuple(zip(*w.T[x], strict=True))}
    return step_4(w.changed(T=turned), h, x)


by_turned_tensor = Recurrence(start=lambda w: w.alpha_0, step=step_turned, out=score)


def small_network(k: int) -> Signature:
    """Return the names and shapes of the weights of the small test cases.

    If there is more than one state, all weights are 0 or 1.
    """
    return network(k) if k == 1 else Signature(tensor(k, BITS), size=("K", k), most_small=600)


RANDOM, SMALL = Sizes(network, (1, 2, 3), (1, 2)), Sizes(small_network, (), (1, 2))
STATES = vector_is_h(
    (network(k) for k in range(1, 5)),
    (
        f"{SQUARE} For every K: the network is given by functions of an index, and its step at an index is"
        " one identity, in which K is a symbol."
    ),
    any_size_4,
)

CLAIM = Claim(
    name="fa-rnn-eq-4",
    title="an undecomposed FA-RNN is an automaton",
    statement=(
        "h_N alpha_inf, where h_0 = alpha_0 and h_t = h_{t-1} T[x_t], is the Forward score of the automaton"
        " <alpha_0, T, alpha_inf>."
    ),
    source=Source("jiang2020cold", "3.1", "Equation 4", ("2", "4")),
    hypotheses=("The empty sentence has one path, which has no transition: its score is alpha_0 alpha_inf.",),
    variants=(
        holding(
            name="corrected",
            says="as printed, for all weights and including the empty sentence",
            reading=Equality(recurrence=by_tensor, construction=with_tensor),
            cases=RANDOM.random,
            small_cases=RANDOM.near_generic,
            programs=("fa-rnn-tensor",),
            proof=STATES,
            theorem=Theorem(
                "fa_rnn.eq_4.eq_4",
                network="score_4 {alpha_0} {alpha_inf} {T} {word}",
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
            ),
        ),
        refuted(
            name="without-row-vectors",
            says="h as a column, h_t = T[x_t] h_{t-1}: then T[x, i, j] leads from j to i",
            reading=Equality(recurrence=by_turned_tensor, construction=with_tensor),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.eq_4.without_row_vectors_is_refuted",
                network="\\sum_(i : {Q}) times (run (column_next {T}) {alpha_0} {word} i) ({alpha_inf} i)",
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S : Type) (Q : finite)"
                    " (alpha_0 alpha_inf : Q -> K) (T : S -> Q -> Q -> K) word, {automaton} = {network})"
                ),
                values=lambda w: {**w.entries, "Q": f"place {len(w.alpha_0)}"},
            ),
        ),
    ),
    differences=(
        (
            "The weights are any numbers, in place of 0 and 1, and the initial weights are any"
            " vector, in place of one start state."
        ),
        "The empty sentence is included; its score is alpha_0 alpha_inf.",
    ),
    example=SMALL.of(2).example(),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
    misprints=(
        Misprint(
            printed="a sentence is x_0 to x_N in section 2.2, and x_1 to x_N in section 2.3 and equation 2",
            right="x_1 to x_N: the products of equations 2 and 4 do not read x_0",
            test="proofs_tests/fa_rnn/test_eq_4.py",
        ),
    ),
)
