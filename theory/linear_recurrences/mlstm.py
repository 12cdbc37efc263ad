"""mLSTM: the products of a query with memory and normaliser are automata with K + 2 states, but h is not.

Beck et al. 2024, section 2.3: C_t = f_t C_{t-1} + i_t v_t k_t^T, n_t = f_t n_{t-1} + i_t k_t, and h_t = o_t
C_t q_t / max(|n_t^T q_t|, 1), where i_t is an exponential of a function of the token (equations 19 to 21).
Programs store exp(-m_t) C_t and exp(-m_t) n_t instead, with m_t = max(log f_t + m_{t-1}, log i_t) (equation
15). They divide by max(|exp(-m_t) n_t^T q_t|, exp(-m_t)), like the parallel form of appendix A.3 (equation
77).
"""

from __future__ import annotations

from typing import Any

from theory.claim import LADDER, QUOTED, Claim, Misprint, Source, Variant
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.chunks import dot
from theory.linear_recurrences.shared.hypotheses import FIRST_STATE, LINEAR_OUTPUT, NO_TOKENS, TOKENS
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.theorem import Theorem
from theory.weights import Weights

GATES = ("1/2", 1, 2)
"""Positive values, because exponentials and sigmoids are positive."""


weights = records.Names("s_0[K] | f i q[K] k[K] v", only={"f": GATES, "i": GATES})


def written(t: Any, j: Any) -> Any:
    """Return i k_j v, component j of the update in one row of the memory C."""
    return t.i * records.write(t, j)


LAYER = AffineLayer(
    step=lambda t, j: t.f * t.s[j] + written(t, j),  # for one row of C, or with 1 for v, the normaliser
    update=written,
    decay=lambda t, j: t.f,
    reading=records.READ,
)

# As programmed: M is exp(m), and the row and the read value are divided by it. M_0 = 1.


def stabilised_step(w: Weights, state: Any, x: str) -> Any:
    """Return the next state of the stabilised network, as programs compute it.

    It consists of M = exp(m), one row of the memory divided by M, and the value that the query reads from
    this row.
    """
    m, row, _ = state
    new = max(w.f[x] * m, w.i[x])
    row = tuple(
        (w.f[x] * m / new) * s + (w.i[x] / new) * (key * w.v[x]) for s, key in zip(row, w.k[x], strict=True)
    )
    return new, row, dot(w, w.q[x], row)


def stabilised(shown: Any) -> Recurrence:
    """Return the stabilised network whose output is computed by the function ``shown``."""
    return Recurrence(start=lambda w: (w.over.one, w.s_0, w.over.zero), step=stabilised_step, out=shown)


AS_PROGRAMMED = stabilised(lambda w, state: (state[0] * state[2],))
NOT_RESCALED = stabilised(lambda w, state: (state[2],))


# The hidden state itself, without its output gate.


def quotient_step(w: Weights, state: Any, x: str) -> Any:
    """Return the next state: a row of the memory, the normaliser, and the hidden value h."""
    row, n, _ = state
    row = tuple(w.f[x] * s + w.i[x] * key * w.v[x] for s, key in zip(row, w.k[x], strict=True))
    n = tuple(w.f[x] * z + w.i[x] * key for z, key in zip(n, w.k[x], strict=True))
    return row, n, dot(w, w.q[x], row) / max(abs(dot(w, w.q[x], n)), 1)


HIDDEN = Recurrence(
    start=lambda w: (w.s_0, (w.over.zero,) * w.n, w.over.zero),
    step=quotient_step,
    out=lambda w, state: state[2:],
)
LARGER = "(fun a b : rationals => if Qc_le a b then b else a)"
IN_COQ = {
    "larger": LARGER,
    "at_least_1": f"(fun n => {LARGER} ({LARGER} n (Qcopp n)) (Q2Qc 1))",
    "divide": "Qcdiv",
}
"""Coq terms that replace the operations of an ordered field."""
CASES = records.sizes(weights)
GATED = records.narrow(weights, q=(1,), v=(1,))  # some of the few cases have different gates
LARGE = records.narrow(weights, (1,), s_0=(0,), q=(1, 2), k=(1, 2), v=(0, 1), f=(1,), i=(1, 2))

CLAIM = Claim(
    name="mlstm",
    title="the memory and the normaliser of an mLSTM are automata",
    statement=(
        "Each component of C_t q_t of an mLSTM, C_t = f_t C_{t-1} + i_t v_t k_t^T, is the Forward score of"
        " an automaton with K + 2 states, where K is the length of keys; so is n_t^T q_t, which is the same"
        " with v = 1."
    ),
    source=Source("beck2024xlstm", "2.3", "mLSTM", ("19", "20", "21")),
    hypotheses=(
        TOKENS,
        "A unit is one component of C_t q_t; it reads only one row of C, because rows do not interact.",
        FIRST_STATE,
        NO_TOKENS,
        f"The output is not normalised. {LINEAR_OUTPUT}",
    ),
    variants=(
        records.corrected(
            LAYER,
            CASES,
            "the automaton with K + 2 states: 1, the components of the row, and the output",
            records.theorem("mlstm", "s_0 f i v q k"),
        ),
        Variant(
            name="corrected-as-programmed",
            layers=("mlstm-stabilised",),
            expected="holds",
            says=(
                "the stabilised recurrence of programs (NX-AI/xlstm), whose output is multiplied by exp(m):"
                " the same automaton"
            ),
            reading=Equality(recurrence=AS_PROGRAMMED, construction=LAYER.automata),
            cases=CASES.random,
            small_cases=GATED.small,
            kinds=tuple(kind for kind in LADDER if kind != "decided"),
            without={
                "decided": "the step has a maximum and quotients, so it is not affine",
                "proved": "the step divides by M, and the numbers of the invariant do not support quotients",
            },
            theorem=records.theorem(
                "mlstm",
                "s_0 f i v q k",
                network="@stabilised_mlstm {over} _ _ {larger} {divide} {s_0} {f} {i} {v} {q} {k} {word}",
                claims=(
                    "forall (F : realFieldType) (S : Type) d (s_0 : 'I_d -> of_ring F)"
                    " (f i v : S -> of_ring F) (q k : S -> 'I_d -> of_ring F),"
                    " (forall x, (0 < i x :> F)%R) -> let over := of_ring F in let larger := @larger F in"
                    " let divide := @quotient F in forall word, {automaton} = {network}"
                ),
                values=lambda w: {**w.entries, **IN_COQ},
                name="mlstm_as_programmed",
            ),
        ),
        Variant(
            name="without-rescaling",
            expected="refuted",
            says=(
                "the output of the stabilised memory itself, as if exp(m) were 1: then max(|n^T q|, 1)"
                " would also be the denominator of the stabilised numbers, whereas programs use max(|n^T q|,"
                " exp(-m))"
            ),
            reading=Equality(recurrence=NOT_RESCALED, construction=LAYER.automata),
            cases=CASES.random,
            small_cases=CASES.small,
            kinds=("sampled", "exhausted"),
            effort=records.REFUTED,
            without={
                "cross-checked": "OpenFst scores the automaton of the corrected variant, which is the same",
                "decided": "the step has a maximum and quotients, so it is not affine",
                "kernel-checked": records.NOT_STATED,
            },
        ),
        Variant(
            name="without-unnormalised-output",
            expected="refuted",
            says="the hidden state: C q divided by max(|n^T q|, 1)",
            reading=NoAutomaton(recurrence=HIDDEN, construction=LAYER.automata, unit="mlstm"),
            cases=LARGE.random,
            small_cases=LARGE.small,
            kinds=("sampled", "exhausted", "decided"),
            effort=records.REFUTED,
            theorem=Theorem(
                "linear_recurrences.mlstm.without_unnormalised_output_is_refuted",
                refutes=True,
                network="@mlstm_hidden {over} _ _ {divide} {at_least_1} {s_0} {f} {i} {v} {q} {k} {word}",
                claims=(
                    "forall F : realFieldType, let over := of_ring F in let divide := @quotient F in"
                    " let at_least_1 := @at_least_1 F in not (forall (S : eqType) d"
                    " (f i v : S -> of_ring F) (q k : S -> 'I_d -> of_ring F),"
                    " (forall x, (0 < f x :> F)%R /\\ (0 < i x :> F)%R) ->"
                    " let s_0 : 'I_d -> of_ring F := fun=> zero in"
                    " exists (Q : finite) (A : wfa (of_ring F) S Q), forall word, score A word = {network})"
                ),
                values=lambda w: {**w.entries, **IN_COQ},
            ),
            without={
                "cross-checked": "OpenFst scores the automaton of the corrected variant, which is the same"
            },
        ),
    ),
    differences=(
        (
            "The paper does not state that the memory is an automaton; the automaton and its number"
            " of states are ours."
        ),
        (
            "The score is a component of C_t q_t, and the normaliser n_t^T q_t is the same with v ="
            " 1. h_t, their quotient, is not an automaton (variant without-unnormalised-output)."
        ),
        (
            "The gates are any functions of one token, in place of exponentials and sigmoids; the"
            " first state is any vector."
        ),
        (
            "The lower bound of the normaliser is exp(-m) in the stabilised form; equation 21, with"
            " the stabilised gates, keeps 1."
        ),
        "The output gate, norms and projections are left out.",
        QUOTED,
    ),
    example=weights(2).example(),
    uses=("linear-attention",),
    misprints=(
        Misprint(
            printed=(
                "the gates of equations 19 to 21 are stabilised like those of sLSTM, by equation 15"
                " (section 2.3), and equation 21 keeps its lower bound of 1"
            ),
            right=(
                "the bound must also be divided by exp(m): it is exp(-m) in equation 77 of appendix A.3 and"
                " in programs; with 1, a token with i = f = 1/2 and q = k = v = 1 gives 1 instead of 1/2"
            ),
            test="proofs_tests/linear_recurrences/test_as_programmed.py::test_with_1_in_its_place_it_does_not",
        ),
    ),
    layers=("mlstm",),
    effort=records.EFFORT,
)
