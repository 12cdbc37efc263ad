"""RRNN(C) of Table 2: the three-state automaton C of Figure 2, as a network.

Peng et al. 2018, section 4.2, equations 11 to 13, and appendix D, equations 25a to 25f.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import Claim, Misprint, Source, TableRow, holding, refuted
from theory.induction import ONE_LETTER, Induction
from theory.rational_recurrences.shared.hypotheses import ANY_GATES, MEMORYLESS, OUTPUT
from theory.rational_recurrences.shared.two_gates import GATES, without_complements
from theory.reading import Equality, Recurrence
from theory.signature import Signature, constant
from theory.theorem import Theorem
from theory.weights import Weights


def gated(start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the weights of one unit; ``start`` restricts c1_0 and c2_0."""
    return Signature((constant("c1_0", only=start), constant("c2_0", only=start), *GATES))


# The recurrence, as printed.


def step(w: Weights, c: Any, x: str) -> tuple[Any, Any]:
    """Return the state after (c1, c2): c1 f1 + u1 (equation 25c), and c2 f2 + c1 u2 (equation 25d)."""
    k, (c1, c2) = w.over, c
    return k.plus(k.times(c1, w.f1[x]), w.u1[x]), k.plus(k.times(c2, w.f2[x]), k.times(c1, w.u2[x]))


model_c = Recurrence(start=lambda w: (w.c1_0, w.c2_0), step=step, out=lambda w, c: (c[1],))


# The construction: Figure 2, with mu_j = u_j and phi_j = f_j.


def figure_2(w: Weights) -> list[WFSA]:
    """Return the automaton of Figure 2.

    The loops of q_0, q_1 and q_2 have the weights 1, phi_1 and phi_2. The transition from q_0 to q_1 has the
    weight mu_1, and the one from q_1 to q_2 has the weight mu_2.
    """
    k = w.over
    tables = {
        x: [[k.one, w.u1[x], k.zero], [k.zero, w.f1[x], w.u2[x]], [k.zero, k.zero, w.f2[x]]]
        for x in w.alphabet
    }
    return [WFSA(k, [k.one, w.c1_0, w.c2_0], [k.zero, k.zero, k.one], tables)]


ANYWHERE, AT_ZERO = gated(), gated([0])
PROOF = Induction(
    says="after every string, the Forward vector is (1, c1, c2)",
    invariant=lambda w, c, unit: (w.over.one, *c),
    states=lambda w, variable: [(variable("c1"), variable("c2"))],
    instances=((ANYWHERE, "a"),),
    enough=ONE_LETTER,
)

CLAIM = Claim(
    name="model-c",
    title="RRNN(C) is derived from C",
    statement=(
        "A unit of RRNN(C), c1_t = f1_t c1_{t-1} + u1_t and c2_t = f2_t c2_{t-1} + c1_{t-1} u2_t, computes"
        " in c2 the Forward score of the three-state automaton C of Figure 2."
    ),
    source=Source("peng2018rational", "4.2", "Model C", ("11", "12", "13", "25a", "25b", "25c", "25d")),
    hypotheses=(
        MEMORYLESS,
        "The network starts in 0, or the automaton has the initial weights lambda(q_j) = cj_0.",
        OUTPUT,
    ),
    variants=(
        holding(
            name="corrected",
            says="with mu_j = (1 - f_j) W_u v and lambda(q_j) = cj_0",
            reading=Equality(recurrence=model_c, construction=figure_2),
            cases=ANYWHERE.random,
            proof=PROOF,
            theorem=Theorem(
                "rational_recurrences.model_c.model_c",
                network="rrnn_c {c1_0} {c2_0} {f1} {u1} {f2} {u2} {word}",
                automaton="figure_2 {c1_0} {c2_0} {f1} {u1} {f2} {u2}",
            ),
        ),
        refuted(
            name="printed-section-6.1",
            says="mu_j = W_u v, as in section 6.1, for the network of appendix D",
            reading=Equality(recurrence=model_c, construction=lambda w: figure_2(without_complements(w))),
            cases=AT_ZERO.random,
            theorem=Theorem(
                "rational_recurrences.model_c.printed_section_6_1_is_refuted",
                claims=(
                    "forall R : ringType, not (forall (S : Type) (f1 z1 f2 z2 : S -> of_ring R) word, "
                    "let c1_0 := zero in let c2_0 := zero in let u1 : S -> of_ring R := fun x => ((1 "
                    "- f1 x) * z1 x)%R in let u2 : S -> of_ring R := fun x => ((1 - f2 x) * z2 x)%R "
                    "in {automaton} = {network})"
                ),
                network="rrnn_c {c1_0} {c2_0} {f1} {u1} {f2} {u2} {word}",
                automaton="figure_2 {c1_0} {c2_0} {f1} {z1} {f2} {z2}",
            ),
        ),
    ),
    differences=(
        ANY_GATES,
        (
            "The score is c2_t. The output gate and tanh (equations 25e and 25f) are left out, and"
            " equation 25f prints c_t, which no equation defines."
        ),
        (
            "The automaton has the initial weights lambda(q_j) = cj_0; Figure 2 has zeros there, as"
            " equations 11 and 12 do."
        ),
        "The statement is about all strings; equation 11 is about strings of at least two symbols.",
        "mu_j is (1 - f_j) W_u v, as in appendix D; section 6.1 prints u = W_u v.",
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "c1_0": Fraction(0),
            "c2_0": Fraction(0),
            "f1": {"a": Fraction(1, 2), "b": Fraction(1)},
            "f2": {"a": Fraction(1, 3), "b": Fraction(1)},
            "u1": {"a": Fraction(3), "b": Fraction(0)},
            "u2": {"a": Fraction(0), "b": Fraction(2)},
        },
    ),
    uses=("proposition-7",),
    row=TableRow("2", ("RRNN(C)", "", "yes", "real")),
    layers=("rrnn-c",),
    misprints=(
        Misprint(
            printed="h_t = tanh(o_t c_t) (equation 25f), although no equation of the network defines c_t",
            right="c2_t, the score of the automaton C, which section 4.2 calls the output",
            test="proofs_tests/rational_recurrences/test_model_c.py",
        ),
    ),
)
