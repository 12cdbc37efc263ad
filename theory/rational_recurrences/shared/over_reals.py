"""Theorems over the real numbers about recurrences that no automaton of any size computes."""

from __future__ import annotations

from theory.theorem import RealTheorem

FILE = "dropped_hypotheses"


def not_rational(theorem: str, state_weight: str, weights: str, unit: str) -> RealTheorem:
    """Return the theorem that a unit is no automaton for some weights of the inputs.

    The weight of the previous state is any number but 0. The automata are over any field that contains the
    real numbers.

    Args:
        theorem: Its name in ``theory/coq_reals/dropped_hypotheses.v``.
        state_weight: The variable for the weight of the previous state.
        weights: The binders of the other weights.
        unit: The Coq term of the unit, which is applied to the word.
    """
    return RealTheorem(
        f"{FILE}.{theorem}",
        f"forall {state_weight} : R, {state_weight} <> R0 -> ~ (forall (S : eqType) {weights},"
        " exists (F : fieldType) (of_real : R -> F) (Q : finite) (A : wfa (of_ring F) S Q),"
        f" contains_reals of_real /\\ forall word, score A word = of_real ({unit} word))",
        refutes=True,
    )


ELMAN = not_rational(
    "elman_networks_are_not_rational",
    "u",
    "(v : S -> R)",
    "foldl (fun c x => tanh (Rplus (Rmult u c) (v x))) R0",
)
GRU = not_rational(
    "grus_are_not_rational",
    "u_z",
    "(u_r u_m b_m : R) (r z n : S -> R)",
    "foldl (fun h x => let r_t := sigmoid (Rplus (Rmult u_r h) (r x)) in"
    " let z_t := sigmoid (Rplus (Rmult u_z h) (z x)) in"
    " let n_t := tanh (Rplus (n x) (Rmult r_t (Rplus (Rmult u_m h) b_m))) in"
    " Rplus (Rmult z_t h) (Rmult (Rminus R1 z_t) n_t)) R0",
)
FEEDBACK = not_rational(
    "gates_that_read_the_state_are_not_rational",
    "w",
    "(f u : S -> R)",
    "foldl (fun c x => let f_t := sigmoid (Rplus (Rmult w c) (f x)) in"
    " Rplus (Rmult f_t c) (Rmult (Rminus R1 f_t) (u x))) R0",
)
"""SRU whose forget gate reads the state, which is also an RCNN of unigrams."""
SCRN = not_rational(
    "hidden_units_of_scrn_are_not_rational",
    "r",
    "(z : S -> R)",
    "foldl (fun h x => sigmoid (Rplus (Rmult r h) (z x))) R0",
)
