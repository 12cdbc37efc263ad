"""RRNN(F) of Table 2: the four-state automaton F of Figure 4, with its epsilon transition, as a network.

Peng et al. 2018, section 5.1, equations 19a to 19c, and appendix D, equations 26a to 26g. The
program of section 5.1 starts with z^(j) = 0 for all j. One copy of the appendices prints p1 c2 + p2
c2 in equation 26g.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import LADDER, Claim, Source, TableRow, Variant, holding, refuted
from theory.induction import ONE_LETTER, Induction
from theory.rational_recurrences.shared.hypotheses import ANY_GATES, MEMORYLESS, OUTPUT
from theory.rational_recurrences.shared.two_gates import GATES, without_complements
from theory.reading import Equality, Recurrence
from theory.signature import Signature, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights of one unit: those of RRNN(C), and p1, p2 and r, which do not depend on the symbol.


def gated(start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the weights of one unit; ``start`` restricts c1_0 and c2_0."""
    return Signature(
        (*(constant(f"c{j}_0", only=start) for j in (1, 2)), *map(constant, ("p1", "p2", "r")), *GATES)
    )


# The recurrence, as printed.


def step(w: Weights, c: Any, x: str) -> tuple[Any, Any]:
    """Return the state after (c1, c2): c1 f1 + u1 (equation 19a), c2 f2 + (c1 + r) u2 (equation 19b)."""
    k, (c1, c2) = w.over, c
    return k.plus(k.times(c1, w.f1[x]), w.u1[x]), k.plus(
        k.times(c2, w.f2[x]), k.times(k.plus(c1, w.r), w.u2[x])
    )


def interpolated(w: Weights, c: Any) -> tuple[Any]:
    """Return the output c = p1 c1 + p2 c2 (equation 19c)."""
    k, (c1, c2) = w.over, c
    return (k.plus(k.times(w.p1, c1), k.times(w.p2, c2)),)


def as_in_26g(w: Weights, c: Any) -> tuple[Any]:
    """Return the output c = p1 c2 + p2 c2, as one copy of the appendices prints equation 26g."""
    return interpolated(w, (c[1], c[1]))


model_f = Recurrence(start=lambda w: (w.c1_0, w.c2_0), step=step, out=interpolated)
model_f_26g = Recurrence(start=lambda w: (w.c1_0, w.c2_0), step=step, out=as_in_26g)


# The construction: Figure 4, with mu_j = u_j, phi_j = f_j, rho_j = p_j and gamma = r.


def figure_4(w: Weights) -> list[WFSA]:
    """Return the automaton of Figure 4: Figure 2 with q_1 as another final state, and with a state q_3.

    An epsilon transition of weight gamma leads from q_0 to q_3, and mu_2 leads from q_3 to q_2.
    """
    k = w.over
    arrows = [(0, 3, "", w.r)]
    for x in w.alphabet:
        arrows += [
            (0, 0, x, k.one),
            (0, 1, x, w.u1[x]),
            (1, 1, x, w.f1[x]),
            (1, 2, x, w.u2[x]),
            (2, 2, x, w.f2[x]),
            (3, 2, x, w.u2[x]),
        ]
    return [
        WFSA.from_edges(
            k, 4, w.alphabet, [(0, k.one), (1, w.c1_0), (2, w.c2_0)], [(1, w.p1), (2, w.p2)], arrows
        )
    ]


def three_states(w: Weights) -> list[WFSA]:
    """Return the automaton of Figure 4 without the epsilon transition and without q_3.

    Instead, a transition of weight gamma mu_2 leads from q_0 to q_2.
    """
    k = w.over
    tables = {
        x: [[k.one, w.u1[x], k.times(w.r, w.u2[x])], [k.zero, w.f1[x], w.u2[x]], [k.zero, k.zero, w.f2[x]]]
        for x in w.alphabet
    }
    return [WFSA(k, [k.one, w.c1_0, w.c2_0], [k.zero, w.p1, w.p2], tables)]


# The dynamic program of section 5.1, which reads its weights from the automaton of Figure 4.


def program_from(ones: int) -> Recurrence:
    """Return the dynamic program of section 5.1 as printed, as a recurrence.

    Its state is (z^(0), z^(1), z^(2), z^(3)). Before the first symbol, z^(0) is ``ones`` (0 or 1), and the
    others are 0. After each symbol, z^(0) is 1.
    """

    def start(automaton: WFSA) -> tuple[Any, ...]:
        k = automaton.semiring
        return (k.one if ones else k.zero, k.zero, k.zero, k.zero)

    def step(automaton: WFSA, z: Any, x: str) -> tuple[Any, ...]:
        k, table = automaton.semiring, automaton.matrix(x)
        gamma = automaton.epsilon_table.dense(k)[0, 3] if automaton.has_epsilon else k.zero
        z1 = k.plus(k.times(z[1], table[1, 1]), k.times(z[0], table[0, 1]))
        z2 = k.plus(k.times(z[2], table[2, 2]), k.times(k.plus(z[1], z[3]), table[1, 2]))
        return k.one, z1, z2, k.times(k.one, gamma)

    def out(automaton: WFSA, z: Any) -> tuple[Any]:
        k = automaton.semiring
        return (k.plus(k.times(automaton.final[1], z[1]), k.times(automaton.final[2], z[2])),)

    return Recurrence(start, step, out)


ANYWHERE, AT_ZERO = gated(), gated([0])
SMALL = replace(ANYWHERE, most_small=500)
# OpenFst runs its own algorithm, not the printed one
NOT_CROSS_CHECKED = tuple(kind for kind in LADDER if kind != "cross-checked")


def proof(says: str, invariant: Callable[[Weights, Any, int], Sequence[Any]]) -> Induction:
    """Return the proof by induction over ``invariant``, which ``says`` describes."""
    return Induction(
        says=says,
        invariant=invariant,
        states=lambda w, variable: [(variable("c1"), variable("c2"))],
        instances=((ANYWHERE, "a"),),
        enough=ONE_LETTER,
    )


def program(name: str, says: str, ones: int) -> Variant:
    """Return the refuted variant in which the program starts with z^(0) = ``ones`` (0 or 1)."""
    return refuted(
        name=name,
        says=says,
        reading=Equality(recurrence=model_f, construction=figure_4, algorithm=program_from(ones)),
        cases=AT_ZERO.random,
        kinds=NOT_CROSS_CHECKED,
        theorem=Theorem(
            f"rational_recurrences.model_f.{name.replace('-', '_')}_is_refuted",
            claims=(
                "forall K : semiring, one <> zero :> K -> not (forall (S : eqType) (p1 p2 r : K) "
                "(f1 u1 f2 u2 : S -> K) word, {automaton} = rrnn_f zero zero p1 p2 r f1 u1 f2 u2 "
                "word)"
            ),
            score=(
                f"program {{p1}} {{p2}} {{r}} {{f1}} {{u1}} {{f2}} {{u2}} ({'one' if ones else 'zero'},"
                " zero, zero, zero) {word}"
            ),
        ),
    )


CLAIM = Claim(
    name="model-f",
    title="RRNN(F) is derived from F",
    statement=(
        "A unit of RRNN(F), c_t = p1 c1_t + p2 c2_t with c2_t = f2_t c2_{t-1} + (c1_{t-1} + r) u2_t, is the"
        " Forward score of the four-state automaton F of Figure 4, with its epsilon transition; three"
        " states without epsilon transitions suffice."
    ),
    source=Source(
        "peng2018rational",
        "5.1",
        "Model F",
        ("19a", "19b", "19c", "20a", "20b", "20c", "26a", "26e", "26f", "26g"),
    ),
    hypotheses=(
        MEMORYLESS,
        "The network starts in 0, or the automaton has the initial weights lambda(q_j) = cj_0.",
        OUTPUT,
    ),
    variants=(
        holding(
            name="corrected",
            says="Figure 4 with its epsilon transition, and lambda(q_j) = cj_0",
            reading=Equality(recurrence=model_f, construction=figure_4),
            cases=ANYWHERE.random,
            small_cases=SMALL.near_generic,
            proof=proof(
                "after every string, the Forward vector, including epsilon transitions, is (1, c1, c2, r)",
                lambda w, c, unit: (w.over.one, *c, w.r),
            ),
            theorem=Theorem(
                "rational_recurrences.model_f.model_f",
                network="rrnn_f {c1_0} {c2_0} {p1} {p2} {r} {f1} {u1} {f2} {u2} {word}",
                score=(
                    "epsilon_score (figure_4 {c1_0} {c2_0} {p1} {p2} {f1} {u1} {f2} {u2}) (gamma {r}) 1"
                    " {word}"
                ),
            ),
        ),
        holding(
            name="corrected-with-fewer-states",
            says="three states without epsilon transitions: q_0 goes directly to q_2, with gamma mu_2",
            reading=Equality(recurrence=model_f, construction=three_states),
            cases=ANYWHERE.random,
            small_cases=SMALL.near_generic,
            proof=proof(
                "after every string, the Forward vector is (1, c1, c2)", lambda w, c, unit: (w.over.one, *c)
            ),
            theorem=Theorem(
                "rational_recurrences.model_f.model_f_with_fewer_states",
                network="rrnn_f {c1_0} {c2_0} {p1} {p2} {r} {f1} {u1} {f2} {u2} {word}",
                automaton="three_states {c1_0} {c2_0} {p1} {p2} {r} {f1} {u1} {f2} {u2}",
            ),
        ),
        program("printed", "the program of section 5.1, which starts with z^(j) = 0 for all j", ones=0),
        program(
            "printed-with-one-start", "the same program with z^(0) = 1 at the start, but z^(3) = 0", ones=1
        ),
        refuted(
            name="printed-equation-26g",
            says="c = p1 c2 + p2 c2, as in equation 26g in one copy of the appendices",
            reading=Equality(recurrence=model_f_26g, construction=figure_4),
            cases=AT_ZERO.random,
            theorem=Theorem(
                "rational_recurrences.model_f.printed_equation_26g_is_refuted",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S : eqType) (c1_0 c2_0 p1 "
                    "p2 r : K) (f1 u1 f2 u2 : S -> K) word, epsilon_score (figure_4 c1_0 c2_0 p1 p2 "
                    "f1 u1 f2 u2) (gamma r) 1 word = {network})"
                ),
                network="rrnn_f_26g {c1_0} {c2_0} {p1} {p2} {r} {f1} {u1} {f2} {u2} {word}",
            ),
        ),
        refuted(
            name="printed-section-6.1",
            says="mu_j = W_u v, as in section 6.1, for the network of appendix D",
            reading=Equality(recurrence=model_f, construction=lambda w: figure_4(without_complements(w))),
            cases=AT_ZERO.random,
            theorem=Theorem(
                "rational_recurrences.model_f.printed_section_6_1_is_refuted",
                claims=(
                    "forall R : ringType, not (forall (S : eqType) (p1 p2 r : of_ring R) (f1 z1 f2 z2 "
                    ": S -> of_ring R) word, let c1_0 := zero in let c2_0 := zero in let u1 : S -> "
                    "of_ring R := fun x => ((1 - f1 x) * z1 x)%R in let u2 : S -> of_ring R := fun x "
                    "=> ((1 - f2 x) * z2 x)%R in {automaton} = {network})"
                ),
                network="rrnn_f {c1_0} {c2_0} {p1} {p2} {r} {f1} {u1} {f2} {u2} {word}",
                score=(
                    "epsilon_score (figure_4 {c1_0} {c2_0} {p1} {p2} {f1} {z1} {f2} {z2}) (gamma {r}) 1"
                    " {word}"
                ),
            ),
        ),
    ),
    differences=(
        ANY_GATES,
        (
            "Forward starts with z^(0)_0 = 1 and z^(3)_0 = gamma, because q_0 is initial and the"
            " epsilon transition reads nothing. Section 5.1 prints z^(j)_0 = 0 for all j."
        ),
        (
            "The automaton has the initial weights lambda(q_j) = cj_0 for j = 1 and 2, which the"
            " paper does not state. The empty string is included."
        ),
        (
            "p1, p2 and r are any numbers, in place of sigmoids. The output gate and tanh (equations"
            " 26h and 26i) are left out."
        ),
        "mu_j is (1 - f_j) W_u v; section 6.1 prints u = W_u v. Equation 26g is read with c1 and c2.",
        "The construction with three states is ours.",
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "c1_0": Fraction(0),
            "c2_0": Fraction(0),
            "p1": Fraction(1, 4),
            "p2": Fraction(3, 4),
            "r": Fraction(1, 2),
            "f1": {"a": Fraction(1, 2), "b": Fraction(1)},
            "f2": {"a": Fraction(1, 3), "b": Fraction(1)},
            "u1": {"a": Fraction(3), "b": Fraction(0)},
            "u2": {"a": Fraction(0), "b": Fraction(2)},
        },
    ),
    uses=("model-c",),
    row=TableRow("2", ("RRNN(F)", "yes", "yes", "real")),
    layers=("rrnn-f",),
)
