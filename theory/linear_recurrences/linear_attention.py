"""Linear attention without its normaliser as an automaton with K + 2 states, where K is the length of keys.

Katharopoulos et al. 2020, section 3.4, equations 16 to 20. In the paper, phi maps queries and keys, and the
output is divided by phi(q)^T z, where z is the sum of phi(k). Without this division, an automaton computes
the output; with the division, none does.
"""

from __future__ import annotations

from typing import Any

from theory.claim import LADDER, Claim, Source, Variant
from theory.linear_recurrences.shared import records
from theory.linear_recurrences.shared.affine import AffineLayer
from theory.linear_recurrences.shared.chunks import dot
from theory.linear_recurrences.shared.hypotheses import COLUMN_DIFFERENCES, LINEAR_OUTPUT, ONE_COLUMN
from theory.reading import NoAutomaton, Recurrence
from theory.theorem import Theorem
from theory.weights import Weights

weights = records.Names("s_0[K] | q[K] k[K] v")  # queries and keys after phi
LAYER = AffineLayer(
    step=lambda t, j: t.s[j] + records.write(t, j),  # as printed, for one column (equation 18)
    update=records.write,
    decay=lambda t, j: t.one,
    reading=records.READ,
)

# With its normaliser, as printed: divided by q^T z, where z is the sum of the keys (equations 19 and 20). The
# quotient is 0 if q^T z is 0. Keys and queries are positive there.


def step_with_normaliser(w: Weights, state: Any, x: str) -> Any:
    """Return the next state: one column of the memory, the sum z of the keys, and the output.

    The output is the value that the query reads from the column, divided by q^T z.
    """
    s, z, _ = state
    s = tuple(a + key * w.v[x] for a, key in zip(s, w.k[x], strict=True))
    z = tuple(a + key for a, key in zip(z, w.k[x], strict=True))
    above, below = (dot(w, w.q[x], numbers) for numbers in (s, z))
    return s, z, above / below if below else w.over.zero


NORMALISED = Recurrence(
    start=lambda w: ((w.over.zero,) * w.n, (w.over.zero,) * w.n, w.over.zero),
    step=step_with_normaliser,
    out=lambda w, state: state[2:],
)
CASES = records.sizes(weights)
POSITIVE = records.narrow(weights, (1,), s_0=(0,), q=(1, "1/2", 2), k=(1, "1/2", 2))

CLAIM = Claim(
    name="linear-attention",
    title="linear attention without its normaliser is an automaton",
    statement=(
        "Each component of the output q_t^T S_t of a head of linear attention, S_t = S_{t-1} + k_t v_t^T,"
        " is the Forward score of an automaton with K + 2 states, where K is the length of keys."
    ),
    source=Source("katharopoulos2020transformers", "3.4", "Equation 18", ("18",)),
    hypotheses=(*ONE_COLUMN, f"The output is not normalised. {LINEAR_OUTPUT}"),
    variants=(
        records.corrected(
            LAYER, CASES, records.COLUMN_STATES, records.theorem("linear_attention", "s_0 q k v")
        ),
        records.reads_old(LAYER, CASES),
        records.refuted(
            "without-first-state",
            "the same automaton with 0 for the first state, although the layer has another initial state",
            LAYER,
            LAYER.starting_at_zero,
            CASES,
        ),
        Variant(
            name="without-unnormalised-output",
            expected="refuted",
            says="the output divided by q^T z, where z is the sum of the keys, as in the paper",
            reading=NoAutomaton(recurrence=NORMALISED, construction=LAYER.automata, unit="linear-attention"),
            cases=POSITIVE.random,
            small_cases=POSITIVE.small,
            kinds=LADDER,
            effort=records.REFUTED,
            theorem=Theorem(
                "linear_recurrences.linear_attention.without_unnormalised_output_is_refuted",
                refutes=True,
                network="@normalised {over} _ _ {divide} {q} {k} {v} {word}",
                claims=(
                    "forall F : numFieldType, let over := of_ring F in let divide := @quotient F in"
                    " not (forall (S : eqType) d (q k : S -> 'I_d -> of_ring F) (v : S -> of_ring F),"
                    " (forall x i, (0 < q x i :> F)%R /\\ (0 < k x i :> F)%R) ->"
                    " exists (Q : finite) (A : wfa (of_ring F) S Q), forall word, score A word = {network})"
                ),
                values=lambda w: {**w.entries, "divide": "Qcdiv"},
            ),
        ),
    ),
    differences=(
        *COLUMN_DIFFERENCES,
        (
            "The normaliser phi(q)^T z is left out: the output is the numerator. With the normaliser,"
            " it is not an automaton (variant without-unnormalised-output)."
        ),
        "phi(q) and phi(k) are any vectors for each token.",
    ),
    example=weights(2).example(),
    layers=("linear-attention",),
    effort=records.EFFORT,
)
