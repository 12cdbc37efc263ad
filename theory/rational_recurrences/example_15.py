"""Example 15: over the max-plus semiring, a unit of Example 6 is the Forward score of Figure 1's automaton.

Peng et al. 2018, section 5.2, equations 21a to 21c.
"""

from __future__ import annotations

import math
from fractions import Fraction

from automata.semirings import MAX_PLUS
from theory.claim import Claim, Effort, Source, Variant, holding, refuted
from theory.rational_recurrences.proposition_7 import example_6, figure_1, figure_1_from_c_0, two_states
from theory.reading import Equality
from theory.signature import Signature, by_symbol, constant
from theory.theorem import Theorem

# The weights of one unit are numbers or -infinity; the paper does not specify c_0. The recurrence is that of
# Example 6 over max-plus: c_t = max(f_t + c_{t-1}, u_t) (equation 21c).


def logarithm(value: float) -> Fraction:
    """Return the natural logarithm, to six decimals."""
    return Fraction(round(math.log(value) * 10**6), 10**6)


def sigmoid(z: Fraction) -> float:
    """Return the sigmoid, 1 / (1 + e^-z), in float64."""
    return 1 / (1 + math.exp(-z))


# Section 5.2 suggests an update from the forget gate itself, log(1 - f_t), where f_t is a log-sigmoid
# (equation 21a). The complement's logarithm is log(1 - exp f_t) instead. Here z = W_f v + b_f, and logarithms
# are rounded to six decimals.

FROM_GATE = Signature(
    (
        constant("c_0", only=[MAX_PLUS.zero]),
        by_symbol("z", only=[0, 1, -1, Fraction(1, 2), 2, -3]),
        by_symbol("f", derived=lambda w, x: logarithm(sigmoid(w.z[x]))),
        by_symbol("u", derived=lambda w, x: logarithm(1 - sigmoid(w.z[x]))),
        by_symbol("printed", derived=lambda w, x: logarithm(1 - math.log(sigmoid(w.z[x])))),
    ),
    MAX_PLUS,
)


ANYWHERE = Signature((constant("c_0"), by_symbol("f"), by_symbol("u")), MAX_PLUS)
AT_ZERO = Signature((constant("c_0", only=[0]), by_symbol("f"), by_symbol("u")), MAX_PLUS)


def max_plus_figure_1(claim: str) -> tuple[Variant, Variant]:
    """Return two variants about Figure 1 over max-plus: with lambda(q_1) = c_0, and as drawn.

    Args:
        claim: the claim's module, which is the name of its Coq file and the prefix of its theorems.
    """
    return (
        holding(
            name="corrected",
            says="with lambda(q_1) = c_0, for every c_0, including -infinity",
            reading=Equality(recurrence=example_6, construction=figure_1_from_c_0),
            cases=ANYWHERE.random,
            proof=two_states(ANYWHERE),
            theorem=Theorem(
                f"rational_recurrences.{claim}.{claim}",
                network="max_plus_unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} {c_0}",
                over="fractions_max_plus",
            ),
        ),
        refuted(
            name="printed",
            says=(
                "Figure 1 as drawn, with c_0 = 0, the usual initial state, because the paper does not state"
                " c_0"
            ),
            reading=Equality(recurrence=example_6, construction=figure_1),
            cases=AT_ZERO.random,
            theorem=Theorem(
                f"rational_recurrences.{claim}.printed_is_refuted",
                claims=(
                    "forall (R : realDomainType) (S : Type) (f u : S -> max_plus R),"
                    " not (forall c_0 word, {automaton} = {network})"
                ),
                network="max_plus_unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} zero",
                over="fractions_max_plus",
            ),
        ),
    )


CLAIM = Claim(
    name="example-15",
    title="A max-plus gated unit is a two-state automaton",
    statement=(
        "A unit of Example 15, c_t = max(f_t + c_{t-1}, u_t), is the Forward score of the two-state automaton"
        " of Figure 1 over the max-plus semiring, with phi = f and mu = u."
    ),
    source=Source("peng2018rational", "5.2", "Example 15", ("21a", "21b", "21c")),
    hypotheses=(
        "The gates are memoryless.",
        (
            "The network starts in c_0 = -infinity, the semiring's zero, or the automaton has the initial"
            " weight lambda(q_1) = c_0. The paper does not state this."
        ),
    ),
    variants=(
        *max_plus_figure_1("example_15"),
        refuted(
            name="printed-nonempty",
            says="Figure 1 as drawn, with any c_0, for nonempty strings",
            reading=Equality(recurrence=example_6, construction=figure_1, shortest=1),
            cases=ANYWHERE.random,
            theorem=Theorem(
                "rational_recurrences.example_15.printed_nonempty_is_refuted",
                claims=(
                    "forall R : realDomainType, not (forall (S : Type) (c_0 : max_plus R)"
                    " (f u : S -> max_plus R) word, word <> [::] -> {automaton} = {network})"
                ),
                network="max_plus_unit {c_0} {f} {u} {word}",
                automaton="figure_1 {f} {u} zero",
                over="fractions_max_plus",
            ),
        ),
        refuted(
            name="printed-section-5.2",
            says=(
                "mu = log(1 - f) for the complement of a forget gate f = log sigma(z), whose logarithm is"
                " log(1 - exp f)"
            ),
            reading=Equality(
                recurrence=example_6, construction=lambda w: figure_1_from_c_0(w.changed(u=w.printed))
            ),
            cases=FROM_GATE.random,
            theorem=Theorem(
                "rational_recurrences.example_15.printed_section_5_2_is_refuted",
                untied="section 5.2 is about any real exponential",
            ),
        ),
    ),
    differences=(
        (
            "f_t and u_t are any functions of the symbol with values in max-plus, including"
            " -infinity, in place of log sigma and g of affine maps of an embedding."
        ),
        (
            "The automaton has the initial weight lambda(q_1) = c_0; for Figure 1 as drawn, c_0 is"
            " -infinity. The paper does not state c_0."
        ),
        (
            "The paper does not state that the unit is an automaton: it presents the unit as Example"
            " 6 with another semiring. The empty string is included."
        ),
    ),
    example=ANYWHERE.example(),
    uses=("proposition-7",),
    layers=("example-15",),
    effort=Effort(exhausted=6),
)
