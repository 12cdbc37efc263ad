"""Equations 4, 6 and 13: scores and units as sums over the times at which a path leaves its first loop.

Peng et al. 2018, section 2 (Example 5), section 3.1 and section 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from automata.wfsa import WFSA
from theory.claim import LADDER, Claim, Effort, Source, holding, refuted
from theory.rational_recurrences import model_c, proposition_7
from theory.rational_recurrences.proposition_7 import (
    ANYWHERE,
    AT_ZERO,
    example_6,
    figure_1,
    figure_1_from_c_0,
)
from theory.rational_recurrences.shared.hypotheses import ANY_GATES
from theory.reading import Equality, Recurrence
from theory.theorem import Theorem
from theory.weights import Weights

# The sums. They are recomputed for every prefix, so the state is the string so far. No step is affine, so
# they are not decided.

Table = dict[str, Any]


def closed_sum(k: Any, u: Table, f: Table, string: Any) -> Any:
    """Return the sum over j <= t of u(x_j) f(x_{j+1}) ... f(x_t); the empty sum is zero."""
    total = k.zero
    for j, x in enumerate(string):
        term = u[x]
        for y in string[j + 1 :]:
            term = k.times(term, f[y])
        total = k.plus(total, term)
    return total


def of_string(value: Callable[[Any, Any], Any]) -> Recurrence:
    """Return a recurrence whose state is the string read so far, and whose output is its ``value``."""
    return Recurrence(
        start=lambda w: (), step=lambda w, string, x: (*string, x), out=lambda w, string: (value(w, string),)
    )


def equation_4(automaton: WFSA, string: Any) -> Any:
    """Return the score B[x] of the string, as the sum in equation 4 over the weights mu and phi of B.

    mu is the weight of the transition from q_0 to q_1, and phi the weight of the loop at q_1.
    """
    mu, phi = ({x: automaton.matrix(x)[q, 1] for x in automaton.alphabet} for q in range(automaton.states))
    return closed_sum(automaton.semiring, mu, phi, string)


equation_6 = of_string(lambda w, string: closed_sum(w.over, w.u, w.f, string))
equation_13 = of_string(lambda w, string: closed_sum(w.over, w.u1, w.f1, string))


def to_q_1(w: Weights) -> list[WFSA]:
    """Return the automaton C of Figure 2 with final state q_1; its score is beta_t (equation 12)."""
    k = w.over
    final = WFSA(k, [k.zero] * 3, [k.zero, k.one, k.zero], {}).final
    return [automaton.replace(final=final) for automaton in model_c.figure_2(w)]


NO_STEP = {
    "decided": ("a closed sum is recomputed for every string: it has no step that could be read as a matrix"),
    "proved": "a closed sum is unrolled for each length, and has no step to prove",
}

CLAIM = Claim(
    name="closed-sums",
    title="the scores of B and C in closed form",
    statement=(
        "The score of the automaton B of Figure 1 is the sum over all positions of mu at the position times"
        " phi at all later positions (equation 4). The unit of Example 6 is such a sum of u and f (equation"
        " 6), and so is the score of the paths to q_1 of Figure 2 (equation 13)."
    ),
    source=Source("peng2018rational", "4.2", "Equations 4, 6 and 13", ("4", "6", "13")),
    hypotheses=("The network starts in c_0 = 0; otherwise the term c_0 f_1 ... f_t is missing.",),
    variants=(
        holding(
            name="corrected",
            without=NO_STEP,
            says="equation 4 with the weights of B is the unit of Example 6, with c_0 = 0",
            reading=Equality(recurrence=example_6, construction=figure_1, algorithm=of_string(equation_4)),
            cases=AT_ZERO.random,
            kinds=("sampled", "exhausted"),
            theorem=Theorem(
                "rational_recurrences.closed_sums.closed_sums",
                network="unit zero {f} {u} {word}",
                score="equation_4 (figure_1 {f} {u} zero) {word}",
            ),
        ),
        holding(
            name="corrected-equation-6",
            without=NO_STEP,
            says="equation 6 is Figure 1's score",
            reading=Equality(recurrence=equation_6, construction=figure_1),
            cases=AT_ZERO.random,
            kinds=LADDER[:3],
            theorem=Theorem(
                "rational_recurrences.closed_sums.closed_sums_equation_6",
                network="closed_sum {u} {f} {word}",
                automaton="figure_1 {f} {u} zero",
            ),
        ),
        holding(
            name="corrected-equation-13",
            without=NO_STEP,
            says="equation 13 is the score of the paths that end in q_1 of Figure 2",
            reading=Equality(recurrence=equation_13, construction=to_q_1),
            cases=model_c.AT_ZERO.random,
            kinds=LADDER[:3],
            theorem=Theorem(
                "rational_recurrences.closed_sums.closed_sums_equation_13",
                network="closed_sum {u1} {f1} {word}",
                automaton="to_q_1 {f1} {u1} {f2} {u2}",
            ),
            effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
        ),
        refuted(
            name="without-zero-start",
            without={"decided": NO_STEP["decided"]},
            says="equation 6 for a unit with any c_0",
            reading=Equality(recurrence=equation_6, construction=figure_1_from_c_0),
            cases=ANYWHERE.random,
            kinds=LADDER[:3],
            theorem=Theorem(
                "rational_recurrences.closed_sums.without_zero_start_is_refuted",
                claims=(
                    "forall (K : semiring) (S : Type) (f u : S -> K), one <> zero :> K -> not (forall "
                    "c_0 word, {automaton} = {network})"
                ),
                network="closed_sum {u} {f} {word}",
                automaton="figure_1 {f} {u} {c_0}",
            ),
        ),
    ),
    differences=(
        (
            "c_0 is 0. Otherwise the term c_0 f_1 ... f_t is missing from equation 6; the paper does"
            " not state c_0."
        ),
        "The empty string is included, and has the empty sum; equation 4 is about nonempty strings.",
        ANY_GATES,
    ),
    example=proposition_7.CLAIM.example,
    uses=("proposition-7", "model-c"),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
