"""Theorems over the real numbers about recurrences that no automaton of any size computes."""

from __future__ import annotations

from theory.theorem import RealTheorem

CONTAINS_REALS = (
    "(of_real R1 = 1 /\\ (forall x y, of_real (Rplus x y) = of_real x + of_real y)"
    " /\\ (forall x y, of_real (Rmult x y) = of_real x * of_real y))"
)


def sigmoid(x: str) -> str:
    """Return the Coq term of the sigmoid."""
    return f"(Rinv (Rplus R1 (exp (Ropp {x}))))"


def not_rational(theorem: str, state_weight: str, weights: str, unit: str, about: str) -> RealTheorem:
    """Return the theorem that a unit is no automaton for some weights of the inputs.

    The weight of the previous state is any number but 0. The automata are over any field that contains the
    real numbers.

    Args:
        theorem: Its name in ``theory/coq_reals/dropped_hypotheses.v``.
        state_weight: The variable for the weight of the previous state.
        weights: The binders of the other weights.
        unit: The Coq term of the unit, which is applied to the word.
        about: The equation of the unit.
    """
    return RealTheorem(
        f"dropped_hypotheses.{theorem}",
        f"forall {state_weight} : R, {state_weight} <> R0 -> ~ (forall (S : eqType) {weights},"
        " exists (F : fieldType) (of_real : R -> F) (Q : finite) (A : wfa (of_ring F) S Q),"
        f" {CONTAINS_REALS} /\\ forall word, score A word = of_real ({unit} word))",
        refutes=True,
        about=about,
    )


ELMAN = not_rational(
    "elman_networks_are_not_rational",
    "u",
    "(v : S -> R)",
    "foldl (fun c x => tanh (Rplus (Rmult u c) (v x))) R0",
    "c_t = tanh(u c_{t-1} + v(x_t))",
)
GRU = not_rational(
    "grus_are_not_rational",
    "u_z",
    "(u_r u_m b_m : R) (r z n : S -> R)",
    f"foldl (fun h x => let r_t := {sigmoid('(Rplus (Rmult u_r h) (r x))')} in"
    f" let z_t := {sigmoid('(Rplus (Rmult u_z h) (z x))')} in"
    " let n_t := tanh (Rplus (n x) (Rmult r_t (Rplus (Rmult u_m h) b_m))) in"
    " Rplus (Rmult z_t h) (Rmult (Rminus R1 z_t) n_t)) R0",
    "a GRU with one unit",
)
FEEDBACK = not_rational(
    "gates_that_read_the_state_are_not_rational",
    "w",
    "(f u : S -> R)",
    f"foldl (fun c x => let f_t := {sigmoid('(Rplus (Rmult w c) (f x))')} in"
    " Rplus (Rmult f_t c) (Rmult (Rminus R1 f_t) (u x))) R0",
    "c_t = f_t c_{t-1} + (1 - f_t) u(x_t) with f_t = sigmoid(w c_{t-1} + f(x_t))",
)
"""SRU whose forget gate reads the state, which is also an RCNN of unigrams."""
SCRN = not_rational(
    "hidden_units_of_scrn_are_not_rational",
    "r",
    "(z : S -> R)",
    f"foldl (fun h x => {sigmoid('(Rplus (Rmult r h) (z x))')}) R0",
    "h_t = sigmoid(r h_{t-1} + z(x_t))",
)
