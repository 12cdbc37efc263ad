"""Variants for the parts of Proposition 11: appendix A as printed, with its padding, and with fewer states.

Peng et al. 2018, section 4.1 and appendix A.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theory.claim import PROVED, Variant, holding, refuted
from theory.rational_recurrences.proposition_7 import figure_1
from theory.rational_recurrences.shared.windows import (
    ahead,
    by_history,
    corrected,
    looking_ahead,
    printed,
    remembering,
    windowed,
)
from theory.reading import Equality, NoAutomaton
from theory.signature import Signature, Sizes
from theory.theorem import Theorem

Cases = Signature | Sizes
"""A source of random and small cases."""


# The terms that Coq runs. The network reads the last symbols of its word. The gates of the automaton read a
# summary of the word, which is here the number of the history; a table contains the next histories.
NETWORK = "windowed {k} {c_0} {f_w:of window} {u_w:of window} {letters}"
WINDOWED: Mapping[str, Any] = {"network": NETWORK, "values": by_history}
APPENDIX_A = "appendix_A {start} {remember:to place} {c_0} {f:of place and letter} {u:of place and letter}"
# mathcomp's list of all bounded sequences does not compute, so the smaller automaton's states are listed. A
# separate theorem gives the number of states.
AHEAD = "ahead {k} {c_0} {f_w:of window} {u_w:of window}"
SCORE_AHEAD = (
    f"let A := {AHEAD} in"
    " let states : seq (option ({k}.-bseq 'I_{s})) := {histories:states} in"
    " let step v x := [seq foldr (fun p total => plus (times p.2 (transition A x p.1 q)) total) zero"
    " (zip states v) | q <- states] in"
    " foldr (fun q total => plus (times q.2 (final A q.1)) total) zero"
    " (zip states (foldl step (map (initial A) states) {letters}))"
)
AS_PRINTED = (
    "appendix_A_as_printed {start} {remember:to place} {c_0} {f:of place and letter} {u:of place and letter}"
)


# In the theorems, this summary consists of the last symbols themselves.
HISTORIES = (
    "let start : history S k := remembered k [::] in let remember := @remember_more S k in"
    " let f := fun (h : history S k) x => f_w (rcons h x) in"
    " let u := fun (h : history S k) x => u_w (rcons h x) in"
)
FREE_GATES = (
    "forall (K : semiring) (S : finType) k (c_0 : K) (f_w u_w : seq S -> K), commutative (@times K) ->"
)
"""Coq's binders for weights with a free update."""


def from_gates(gates: str, update: str) -> str:
    """Return Coq's binders for the weights ``gates`` in a ring, and for the update computed from them.

    ``update`` is the Coq term of the update.
    """
    return (
        f"forall (R : comRingType) (S : finType) k (c_0 : of_ring R) ({gates} : seq S -> of_ring R),"
        f" let u_w : seq S -> of_ring R := {update} in"
    )


def own_unit(unit: str, *gates: str) -> dict[str, Any]:
    """Return the fields of a :class:`~theory.theorem.Theorem` with which Coq runs a unit over a ring.

    ``unit`` is the Coq function of the unit, which computes the update from the gates.
    """
    read = " ".join(f"{{{name}_w:of window}}" for name in gates)
    return {
        "network": f"{unit} {{k}} {{c_0}} {read} {{letters}}",
        "over": "fractions",
        "values": lambda w: {**by_history(w), **{f"{name}_w": w.entries[name] for name in gates}},
    }


def variants(
    anywhere: Cases,
    from_zero: Cases,
    instances: tuple[tuple[Signature, str], ...],
    update: str,
    claim: str,
    weights: str,
    unit: Mapping[str, Any] = WINDOWED,
) -> tuple[Variant, ...]:
    """Return three variants about appendix A: corrected, corrected with fewer states, and as printed.

    Args:
        anywhere: random and small weights, with any c_0.
        from_zero: random and small weights with c_0 = 0.
        instances: the signatures and alphabets for which the proofs are checked.
        update: the formula of mu.
        claim: the claim's module, which is the name of its Coq file and the prefix of its theorems.
        weights: Coq's binders of the weights, with the hypotheses on them.
        unit: the fields of :class:`~theory.theorem.Theorem` with which Coq runs the unit.
    """
    right: dict[str, Any] = {"cases": anywhere.random, "small_cases": anywhere.near_generic, "kinds": PROVED}
    return (
        holding(
            name="corrected",
            says=(
                f"appendix A with mu = {update} and tau(q_0, q_b, b) = mu_pad(b): the first mu may occur"
                " before the history is full"
            ),
            reading=Equality(recurrence=windowed, construction=corrected),
            theorem=Theorem(
                f"rational_recurrences.{claim}.{claim}",
                **unit,
                automaton=APPENDIX_A,
                claims=f"{weights} {HISTORIES} forall letters, {{automaton}} = {{network}}",
            ),
            proof=remembering(instances),
            **right,
        ),
        holding(
            name="corrected-with-fewer-states",
            says=(
                "an automaton with 2 + s + ... + s^(K-1) states: 1, c, and for each word w shorter than K,"
                " the value of c after reading w next"
            ),
            reading=Equality(recurrence=windowed, construction=ahead),
            theorem=Theorem(
                f"rational_recurrences.{claim}.{claim}_with_fewer_states",
                **unit,
                automaton=AHEAD,
                claims=f"{weights} forall letters, {{automaton}} = {{network}}",
                score=SCORE_AHEAD,
            ),
            proof=looking_ahead(instances),
            **right,
        ),
        refuted(
            name="printed",
            says="appendix A as printed: tau(q_0, p_a, a) = 1 is the only transition from q_0",
            reading=Equality(recurrence=windowed, construction=printed),
            theorem=Theorem(
                f"rational_recurrences.{claim}.printed_is_refuted",
                **unit,
                automaton=AS_PRINTED,
                claims=(
                    f"{weights} forall x, u_w [:: x] <> zero -> let c_0 := zero in {HISTORIES}"
                    " not (forall letters, {automaton} = {network})"
                ),
            ),
            cases=from_zero.random,
        ),
    )


def table_1(
    from_zero: Cases, row: str, claim: str, gates: str, unit: Mapping[str, Any] = WINDOWED
) -> Variant:
    """Return the variant that Table 1 states: the unit is the automaton B of Figure 1, with two states.

    The weights of B depend on one symbol. Here, they are the values of the gates for the window that has
    padding before this symbol. The choice does not matter, because a Hankel block of rank 3 refutes every
    automaton with two states.

    Args:
        from_zero: random and small weights with c_0 = 0.
        row: the location in the table that lists B for this network.
        claim: the claim's module, which is the name of its Coq file.
        gates: the names of the unit's gates in Coq.
        unit: the fields of :class:`~theory.theorem.Theorem` with which Coq runs the unit.
    """
    return refuted(
        name="printed-table-1",
        without={
            "decided": (
                "the variant says that no automaton with two states is equivalent; a Hankel block of rank 3"
                " shows this, whereas this check is about one automaton"
            )
        },
        says=(
            f"{row}: an automaton with the two states of B, for windows of K = 2 or more; B has the gates of"
            " a window with padding before its last symbol"
        ),
        reading=NoAutomaton(recurrence=windowed, construction=figure_1, size="with fewer than 3 states"),
        cases=from_zero.random,
        kinds=("sampled", "cross-checked", "exhausted"),
        theorem=Theorem(
            f"rational_recurrences.{claim}.printed_table_1_is_refuted",
            claims=(
                "forall (F : numFieldType) k, (0 < k)%N -> let c_0 : of_ring F := zero in not "
                f"(forall (S : finType) ({gates} : seq S -> of_ring F), exists (Q : finite) (A : "
                "wfa (of_ring F) S Q), (card Q < 3)%N /\\ forall letters, score A letters = "
                "{network})"
            ),
            **unit,
        ),
    )
