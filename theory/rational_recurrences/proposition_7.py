"""Proposition 7: a hidden unit of Example 6 is the Forward score of the two-state automaton of Figure 1.

Peng et al. 2018, section 3.1, equations 5 to 8. For any nonempty string x, ``[c_t]_i = B_i[x_:t]``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from automata import forward
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, Variant, holding, refuted
from theory.induction import ONE_LETTER, Induction
from theory.rational_recurrences.shared import over_reals
from theory.rational_recurrences.shared.hypotheses import ANY_GATES, C_0, MEMORYLESS
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights of one unit: f and u as functions of the symbol (equations 5a and 5b, row i), and c_0, which the
# paper does not specify.

GATES = (by_symbol("f"), by_symbol("u"))
ANYWHERE = Signature((constant("c_0"), *GATES))
AT_ZERO = Signature((constant("c_0", only=[0]), *GATES))
AT_ONE = Signature((constant("c_0", only=[1]), *GATES))
READS_STATE = Signature(
    (constant("c_0", only=[0]), constant("w", only=[1, -1, Fraction(1, 2), 2, Fraction(-2, 3)]), *GATES)
)


# The recurrence, as printed, over any semiring.


def step(w: Weights, c: Any, x: str) -> Any:
    """Return the unit c_t = f_t c_{t-1} + u_t (equation 5c)."""
    k = w.over
    return k.plus(k.times(w.f[x], c), w.u[x])


def step_with_feedback(w: Weights, c: Any, x: str) -> Any:
    """Return the unit c_t with a forget gate that also reads the state: f_t = f(x_t) + w c_{t-1}."""
    k = w.over
    return k.plus(k.times(k.plus(w.f[x], k.times(w.w, c)), c), w.u[x])


example_6 = Recurrence(start=lambda w: w.c_0, step=step, out=lambda w, c: (c,))
with_feedback = Recurrence(start=lambda w: w.c_0, step=step_with_feedback, out=lambda w, c: (c,))


# The construction: Figure 1, with mu = u and phi = f (equation 7).


def figure_1(w: Weights) -> list[WFSA]:
    """Return the automaton B of Figure 1.

    For every symbol, q_0 has a loop of weight 1, q_1 has a loop of weight phi, and a transition of weight mu
    leads from q_0 to q_1.
    """
    k = w.over
    tables = {x: [[k.one, w.u[x]], [k.zero, w.f[x]]] for x in w.alphabet}
    return [WFSA(k, initial=[k.one, k.zero], final=[k.zero, k.one], transitions=tables)]


def figure_1_from_c_0(w: Weights) -> list[WFSA]:
    """Return the automaton of Figure 1 with lambda(q_1) = c_0.

    It is also correct on the empty string, for every c_0.
    """
    return [
        b.replace(initial=WFSA(w.over, [w.over.one, w.c_0], [w.over.zero] * 2, {}).initial)
        for b in figure_1(w)
    ]


# Equation 3b literally: Omega_{i+1} reads x_i, so the first step reads nothing, and the last symbol is never
# read. The state contains Omega before and after the last symbol; the output reads only the former.

forward_as_printed = Recurrence(
    start=lambda automaton: (forward.start(automaton), forward.start(automaton)),
    step=lambda automaton, omegas, x: (omegas[1], forward.step(automaton, omegas[1], x)),
    out=lambda automaton, omegas: (forward.read_out(automaton, omegas[0]),),
)


# The proof.


def two_states(*signatures: Signature, c: str = "(1, c), where c is the unit") -> Induction:
    """Return the proof for Figure 1 that the Forward vector is (1, c); ``c`` describes this vector."""
    return Induction(
        says=f"after every string, the Forward vector is {c}",
        invariant=lambda w, c, unit: (w.over.one, c),
        states=lambda w, variable: [variable("c")],
        instances=tuple((signature, "a") for signature in signatures),
        enough=ONE_LETTER,
    )


def without_memoryless_gates(claim: str, says: str) -> Variant:
    """Return the refuted variant in which the forget gate also reads the previous state.

    Args:
        claim: the claim's module, which is the name of its Coq file.
        says: the variant's statement.
    """
    return refuted(
        name="without-memoryless-gates",
        says=says,
        reading=NoAutomaton(recurrence=with_feedback, construction=figure_1, unit="sru-feedback"),
        real_theorem=over_reals.FEEDBACK,
        cases=READS_STATE.random,
        theorem=Theorem(
            f"rational_recurrences.{claim}.without_memoryless_gates_is_refuted",
            claims=(
                "forall (F : numFieldType) (w : of_ring F), w != 0%R :> F -> not (forall (S : eqType)"
                " (f u : S -> of_ring F), exists (Q : finite) (A : wfa (of_ring F) S Q),"
                " forall word, score A word = {network})"
            ),
            network="feedback {w} {f} {u} {word}",
        ),
    )


CLAIM = Claim(
    name="proposition-7",
    title="A gated unit is a two-state automaton",
    statement=(
        "At time t, the i-th unit of the gated recurrent network of Example 6 on a string (nonempty, in the"
        " paper) is the score that the two-state automaton B_i of Figure 1 gives to the first t symbols, if"
        " mu and phi of a symbol are the i-th components of the update and of the forget gate."
    ),
    source=Source("peng2018rational", "3.1", "Proposition 7", ("5a", "5b", "5c", "6", "7", "8")),
    hypotheses=(MEMORYLESS, C_0),
    variants=(
        holding(
            name="corrected",
            says="with lambda(q_1) = c_0, for every string, including the empty one, and every c_0",
            reading=Equality(recurrence=example_6, construction=figure_1_from_c_0),
            cases=lambda alphabet: st.one_of(AT_ZERO.random(alphabet), ANYWHERE.random(alphabet)),
            small_cases=ANYWHERE.small,
            proof=two_states(ANYWHERE),
            theorem=Theorem(
                "rational_recurrences.proposition_7.proposition_7",
                network="unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} {c_0}",
            ),
        ),
        refuted(
            name="printed",
            torch_in_tests=True,
            says=(
                "Figure 1 as drawn, with c_0 = 1, because the paper does not state c_0; for all strings, as"
                " in Definition 8"
            ),
            reading=Equality(recurrence=example_6, construction=figure_1),
            cases=AT_ONE.random,
            theorem=Theorem(
                "rational_recurrences.proposition_7.printed_is_refuted",
                claims=(
                    "forall (K : semiring) (S : Type) (f u : S -> K), one <> zero :> K -> not (forall "
                    "c_0 word, {automaton} = {network})"
                ),
                network="unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} zero",
            ),
        ),
        refuted(
            name="printed-nonempty",
            says="Figure 1 as drawn, with any c_0, for nonempty strings, as in the proposition",
            reading=Equality(recurrence=example_6, construction=figure_1, shortest=1),
            cases=ANYWHERE.random,
            theorem=Theorem(
                "rational_recurrences.proposition_7.printed_nonempty_is_refuted",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S : Type) (c_0 : K) (f u : "
                    "S -> K) word, word <> [::] -> {automaton} = {network})"
                ),
                network="unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} zero",
            ),
        ),
        refuted(
            name="printed-equation-3b",
            says="the Forward algorithm as printed in equation 3b, in which step i + 1 reads x_i",
            reading=Equality(recurrence=example_6, construction=figure_1, algorithm=forward_as_printed),
            cases=AT_ZERO.random,
            kinds=("sampled", "exhausted", "decided"),
            theorem=Theorem(
                "rational_recurrences.proposition_7.printed_equation_3b_is_refuted",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S : Type) (c_0 : K) (f u : "
                    "S -> K) word, {automaton} = {network})"
                ),
                network="unit {c_0} {f} {u} {word}",
                score="late_score (figure_1 {f} {u} zero) {word}",
            ),
        ),
        without_memoryless_gates(
            "proposition_7",
            "a forget gate that also reads the previous state, f_t = f(x_t) + w c_{t-1} with w not 0",
        ),
    ),
    differences=(
        ANY_GATES,
        (
            "The automaton has the initial weight lambda(q_1) = c_0. Figure 1 has zero there, which"
            " is right for c_0 = 0; the paper does not state c_0."
        ),
        (
            "The statement is about all strings, including the empty one; the proposition is about"
            " nonempty strings."
        ),
        "The Forward algorithm reads x_{i+1} in step i + 1; equation 3b reads x_i.",
        (
            "The proof and the theorem are about every commutative semiring; the paper's statement is"
            " about the reals."
        ),
    ),
    example=ANYWHERE.example(),
    layers=("example-6",),
    effort=Effort(exhausted=6),
)
