"""Corollary 10 for the structurally constrained network SCRN: only its context units are rational.

Peng et al. 2018, section 4.1; Mikolov et al. 2014: s_t = (1 - alpha) B v_t + alpha s_{t-1} (context
units), and h_t = sigma(P s_t + A v_t + R h_{t-1}) (hidden units), which read the previous hidden
state through a sigmoid.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, TableRow, holding, refuted
from theory.induction import ONE_LETTER, Induction
from theory.rational_recurrences.corollary_14 import softsign
from theory.rational_recurrences.proposition_7 import figure_1_from_c_0
from theory.rational_recurrences.shared import over_reals
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights of one context unit: alpha, z = B v, and u = (1 - alpha) z. In proofs, u is any weight.

CONTEXT = (constant("alpha"), by_symbol("z"), by_symbol("u", derived=lambda w, x: (1 - w.alpha) * w.z[x]))
ANYWHERE = Signature((constant("c_0"), *CONTEXT))
HIDDEN = Signature(
    (constant("h_0", only=[0]), constant("r", only=[1, -1, Fraction(1, 2), 2]), by_symbol("z"))
)


def step(w: Weights, s: Any, x: str) -> Any:
    """Return the context unit s_t = (1 - alpha) B v_t + alpha s_{t-1}."""
    k = w.over
    return k.plus(w.u[x], k.times(w.alpha, s))


context = Recurrence(start=lambda w: w.c_0, step=step, out=lambda w, s: (s,))


def figure_1_with_alpha(w: Weights) -> list[WFSA]:
    """Return the automaton of Figure 1 with phi = alpha for every symbol, and mu = (1 - alpha) z."""
    gates = {"c_0": w.c_0, "f": dict.fromkeys(w.alphabet, w.alpha), "u": w.u}
    return figure_1_from_c_0(Weights(w.over, w.alphabet, gates))


# A hidden unit, without context: h_t = g(A v_t + r h_{t-1}). For exact numbers g is the softsign z / (1 +
# |z|); results about the sigmoid itself are in ``not_rational``.


def hidden_step(w: Weights, h: Any, x: str) -> Any:
    """Return the hidden unit h_t = g(z(x_t) + r h_{t-1}), where g is the softsign."""
    return softsign(w.z[x] + w.r * h)


hidden = Recurrence(start=lambda w: w.h_0, step=hidden_step, out=lambda w, h: (h,))


def linear_unit(w: Weights) -> list[WFSA]:
    """Return the automaton of the hidden unit without g: Figure 1 with phi = r and mu = z."""
    return figure_1_from_c_0(
        Weights(w.over, w.alphabet, {"c_0": w.h_0, "f": dict.fromkeys(w.alphabet, w.r), "u": w.z})
    )


CLAIM = Claim(
    name="corollary-10-scrn",
    title="SCRN's context units are rational",
    statement=(
        "A context unit of SCRN, s_t = (1 - alpha) B v_t + alpha s_{t-1}, is the Forward score of the"
        " two-state automaton of Figure 1 with phi = alpha and mu = (1 - alpha) B v."
    ),
    source=Source("peng2018rational", "4.1", "Corollary 10", ("5c",)),
    hypotheses=(
        (
            "Only context units are covered. The corollary is about the whole recurrence, but hidden units"
            " read the previous state through a sigmoid."
        ),
        "The context starts in s_0 = 0, or the automaton has the initial weight lambda(q_1) = s_0.",
    ),
    variants=(
        holding(
            name="corrected",
            says="context units, with lambda(q_1) = s_0",
            reading=Equality(recurrence=context, construction=figure_1_with_alpha),
            cases=ANYWHERE.random,
            proof=Induction(
                says="after every string, the Forward vector is (1, s), where s is the context unit",
                invariant=lambda w, s, unit: (w.over.one, s),
                states=lambda w, variable: [variable("s")],
                instances=((ANYWHERE, "a"),),
                enough=ONE_LETTER,
            ),
            theorem=Theorem(
                "rational_recurrences.corollary_10_scrn.corollary_10_scrn",
                claims=(
                    "forall (R : comRingType) (S : Type) (c_0 alpha : of_ring R) (z : S -> of_ring R) word,"
                    " let u : S -> of_ring R := fun x => ((1 - alpha) * z x)%R in"
                    " {automaton} = context_unit c_0 alpha z word"
                ),
                network="unit {c_0} (fun _ => {alpha}) {u} {word}",
                automaton="figure_1 (fun _ => {alpha}) {u} {c_0}",
            ),
        ),
        refuted(
            name="printed",
            says=(
                "including hidden units, here h_t = g(z(x_t) + r h_{t-1}) with g(z) = z / (1 + |z|), which"
                " exact numbers can compute"
            ),
            reading=NoAutomaton(recurrence=hidden, construction=linear_unit, unit="scrn"),
            real_theorem=over_reals.SCRN,
            cases=HIDDEN.random,
            theorem=Theorem(
                "rational_recurrences.corollary_10_scrn.printed_is_refuted",
                claims=(
                    "forall F : numFieldType, let rational_softsign : of_ring F -> of_ring F := "
                    "@softsign F in let h_0 := zero in not (forall (S : eqType) (r : of_ring F) (z : "
                    "S -> of_ring F), exists (Q : finite) (A : wfa (of_ring F) S Q), forall word, "
                    "score A word = {network})"
                ),
                network="hidden_unit rational_softsign {h_0} {r} {z} {word}",
            ),
        ),
    ),
    differences=(
        (
            "Only the context units are covered. The corollary is about the recurrence of SCRN, whose"
            " hidden units are not rational (variant printed)."
        ),
        "The paper prints no equation of SCRN. The equation is that of Mikolov et al. (2014).",
        "B v_t is any function of the symbol, and alpha any number, in place of one between 0 and 1.",
        (
            "The initial weight lambda(q_1) is s_0, which the paper does not state, so the empty"
            " string is included."
        ),
    ),
    example=ANYWHERE.example(),
    uses=("proposition-7",),
    row=TableRow("1", ("SCRN, context units", "c_t = f_t c_{t-1} + u_t", "B")),
    layers=("scrn",),
    effort=Effort(run=8, exhausted=5),
)
