"""Theorem 3.2: as the temperature tends to 0, a memoryless state-regularized network becomes a DFA.

Wang & Niepert 2019, section 3 and appendix A.2, equations 2 to 5, which assume that no two
similarities are equal.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.reading import Equality, Following, Recurrence
from theory.signature import Sizes, constant
from theory.state_regularized.shared.bound import BOUND, always_greatest, bound_and_rest, scores
from theory.state_regularized.shared.limits import (
    always_one,
    dfa,
    distinct,
    low_enough,
    no_ties,
    scores_at,
    transition_table,
)
from theory.state_regularized.shared.mixtures import mixture, mixture_in_doubt
from theory.state_regularized.shared.networks import (
    ANY,
    EXAMPLE,
    NETWORK,
    SIZES,
    SMALL,
    Law,
    at,
    at_first,
    in_the_limit,
    integers,
    pushed,
    sampled,
    softmax,
)
from theory.theorem import RealTheorem, Theorem
from theory.weights import Weights

# The limit network for tau -> 0, whose alpha is uniform over the centroids with the greatest similarity. The
# DFA moves to the first of these centroids.

limit_network = sampled(answer=in_the_limit)


# Equation 4 at a temperature above 0: the probability that the run is in the DFA's state after every symbol.


def follow(w: Weights, law: Law, x: str) -> Law:
    """Return the DFA's next state, and the probability that a run has followed the DFA to this state.

    Args:
        w: the weights.
        law: the DFA's current state, and the probability that a run has followed the DFA to it.
        x: the symbol.
    """
    (state,), _ = law
    (target,), _ = pushed(w, at(w, state), x, in_the_limit)
    after, p = pushed(w, law, x)
    return (target,), (p[after.index(target)],)


followed = Recurrence(start=at_first, step=follow, out=lambda w, law: law[1], modes=True)
HALF = Fraction(1, 2)
followed_by_half = Recurrence(start=at_first, step=follow, out=lambda w, law: (Fraction(law[1][0] >= HALF),))


def weighted_dfa(w: Weights) -> list[WFSA]:
    """Return the DFA whose transitions have the cell's probabilities of their targets as weights."""
    one = w.over.one
    arrows = []
    for (q, x), after in transition_table(w).items():
        arrows.append((q - 1, after - 1, x, softmax(w, scores_at(w, q, x))[after - 1]))
    return [WFSA.from_edges(w.over, w.n, w.alphabet, [(0, one)], [(j, one) for j in range(w.n)], arrows)]


# The cases: integer networks with different centroids, and their temperature if it is not random.


def cases(
    where: Any, m: tuple[int, ...] = (1, 2, 3), derived: bool = False, wide: bool = False
) -> dict[str, Any]:
    """Return a variant's ``cases`` and ``small_cases``: networks at the temperatures 1 / (m ln 2).

    If ``derived`` is true, m is instead computed from the other weights so that the temperature is low
    enough. If ``wide`` is true, the weights of small networks are up to 2 in absolute value.
    """
    # if letters were dropped, a temperature may be lower than needed
    low = constant("m", derived=low_enough, follows=lambda w: bool(w.m >= low_enough(w)))
    m, more = ((), (low,)) if derived else (m, ())
    values = (*SMALL, 2, -2) if wide else SMALL
    small = Sizes(
        lambda s: integers(s, values, m[:1], more, where, most=400 if wide else 80),
        (),
        ((2, 1), (3, 1), (2, 2)),
    )
    random = Sizes(lambda s: integers(s, ANY, m, more, where), SIZES, ())
    return {"cases": random.random, "small_cases": small.small}


SCORES = Sizes(scores, (2, 3, 4), (2, 3))
SHOWN = ("sampled", "exhausted")

# Coq terms for the theorems over the real numbers, where e is the exponential
REALS = "[archiFieldType of R]"
EXP = f"forall e : exponential {REALS}, (forall x : R, e x = Rtrigo_def.exp x) ->"
NETWORKS = (
    f"forall (S : eqType) n (b : 'I_n.+1 -> S -> 'I_n.+1 -> {REALS}) (delta : 'I_n.+1 -> S -> 'I_n.+1)"
    " (start : 'I_n.+1)"
)
REACHED = "reached_from delta start"
LEADS = f"(forall i x j, {REACHED} i -> j != delta i x -> b i x j + gap <= b i x (delta i x))"
SOFTMAX = "softmax e (b i x) tau j"  # equation 3

CLAIM = Claim(
    name="theorem-3.2",
    title="low temperatures make a DFA",
    statement=(
        "If for each reachable state and symbol the greatest similarity is unique, a memoryless"
        " state-regularized network becomes a DFA as the temperature tends to 0: with equation 5, at all"
        " temperatures below some value, for all strings; with equation 4, with a probability that tends to"
        " 1 for each string, but not uniformly."
    ),
    source=Source("wang2019state", "3", "Theorem 3.2", ("2", "3", "4", "5")),
    hypotheses=(
        (
            "There is no tie: for each reachable state and symbol, the greatest similarity is unique. The"
            " proof assumes this implicitly."
        ),
        "The network is memoryless, and starts at a centroid (Theorem 3.1); the centroids are distinct.",
        "For equation 4, the limit is taken separately for each string.",
    ),
    variants=(
        holding(
            name="corrected",
            programs=("sr-limit",),
            says="the limit network is a DFA, if there is no tie",
            reading=Equality(recurrence=limit_network, construction=dfa),
            theorem=Theorem(
                "state_regularized.theorem_3_2.theorem_3_2",
                untied="the limits are about any real exponential",
            ),
            real_theorem=RealTheorem(
                "low_temperatures.limit_network_is_a_dfa",
                f"{NETWORKS}, {EXP}"
                f" (forall i x j, {REACHED} i -> j != delta i x -> b i x j < b i x (delta i x)) ->"
                f" (forall i x epsilon, {REACHED} i -> 0 < epsilon -> exists2 tau_0, 0 < tau_0 &"
                f" forall tau, 0 < tau <= tau_0 -> forall j, `|{SOFTMAX} - in_the_limit (b i x) j|"
                " <= epsilon) /\\ forall w j,"
                f" sampled (K := of_ring {REALS}) (fun i x => in_the_limit (b i x)) id start (Some start) w j"
                " = (if run delta start w == j then 1 else 0)",
            ),
            **cases(no_ties),
        ),
        holding(
            name="corrected-bound",
            says=(
                "alpha_M is at least 1 / (1 + (k - 1) exp(-margin / tau)), and the probability of following"
                " the DFA is at least the product over the string: an automaton without negative weights"
                " has a path with this weight"
            ),
            reading=Equality(recurrence=always_greatest, construction=bound_and_rest),
            cases=SCORES.random,
            proof=BOUND,
            theorem=Theorem(
                "state_regularized.theorem_3_2.theorem_3_2_bound",
                untied="the limits are about any real exponential",
            ),
            real_theorem=RealTheorem(
                "low_temperatures.following_is_at_least",
                f"{NETWORKS} (e : exponential {REALS}) (tau : {REALS}) (gaps : 'I_n.+1 -> S -> {REALS}),"
                " (forall x : R, e x = Rtrigo_def.exp x) -> 0 < tau -> (forall i x j,"
                f" {REACHED} i -> j != delta i x -> b i x j + gaps i x <= b i x (delta i x)) ->"
                " forall w, bound_along e delta tau gaps start w <= follows e b delta tau start w",
            ),
        ),
        holding(
            name="corrected-eq-4",
            programs=("sr-sampled",),
            says=(
                "with equation 4 the probability that the run follows the DFA is the product of the alpha_M"
                " along the run"
            ),
            reading=Equality(recurrence=followed, construction=weighted_dfa),
            theorem=Theorem(
                "state_regularized.theorem_3_2.theorem_3_2_eq_4",
                network="likelihood {alpha} id {start} {word} (path_of {delta} {start} {word})",
                automaton="weighted_dfa {alpha} {delta} {start}",
                claims=(
                    "forall (R : archiFieldType) (e : exponential.exponential R) (S : eqType) n"
                    " (b : 'I_n.+1 -> S -> 'I_n.+1 -> R) (delta : 'I_n.+1 -> S -> 'I_n.+1) (start : 'I_n.+1)"
                    " (gap : R), (0 < gap)%R -> (forall q x j, reached_from delta start q ->"
                    " j != delta q x -> (b q x j + gap <= b q x (delta q x))%R) ->"
                    " forall tau : R, (0 < tau)%R -> forall word,"
                    " let alpha : 'I_n.+1 -> S -> 'I_n.+1 -> of_ring R :="
                    " fun q x j => softmax e (b q x) tau j in"
                    " {automaton} = {network} /\\"
                    " (margin_bound e n tau gap ^+ size word <= ({network} : R))%R"
                ),
                values=lambda w: {
                    **w.entries,
                    "alpha": f"(fun q => soft_cell {NETWORK} (centroid {NETWORK} q))",
                    "delta": f"(fun q => most_probable {NETWORK} (centroid {NETWORK} q))",
                    "start": "ord0",
                },
            ),
            real_theorem=RealTheorem(
                "low_temperatures.following_tends_to_1",
                f"{NETWORKS} (e : exponential {REALS}) (gap : {REALS}),"
                " (forall x : R, e x = Rtrigo_def.exp x) ->"
                f" 0 < gap -> {LEADS} -> (forall tau, 0 < tau -> forall w,"
                f" score (weighted_dfa (K := of_ring {REALS}) (fun i x j => {SOFTMAX}) delta start) w ="
                " follows e b delta tau start w /\\"
                " margin_bound e n tau gap ^+ size w <= follows e b delta tau start w) /\\"
                " (forall epsilon w, 0 < epsilon -> exists2 tau_0, 0 < tau_0 &"
                " forall tau, 0 < tau <= tau_0 -> 1 - epsilon <= follows e b delta tau start w)",
            ),
            **cases(no_ties),
        ),
        holding(
            name="corrected-eq-5",
            without={
                "cross-checked": ("the mixture is irrational: OpenFst's floats would round both sides"),
                "proved": "the step is a softmax, which is not a polynomial; boxes decide each case",
                "kernel-checked": (
                    "Coq would need boxes of exponentials; they are checked by an independent program instead"
                ),
            },
            programs=("sr-mixture",),
            says=(
                "with equation 5, one temperature 1 / (m ln 2), which is computed from the weights, is"
                " sufficient for all strings"
            ),
            reading=Following(recurrence=mixture, construction=dfa),
            kinds=("sampled", "exhausted", "decided"),
            effort=Effort(strings=20),
            **cases(no_ties, derived=True),
        ),
        refuted(
            name="printed",
            says="the limit network is a DFA, even if there are ties",
            reading=Equality(recurrence=limit_network, construction=dfa),
            theorem=Theorem(
                "state_regularized.theorem_3_2.printed_is_refuted",
                network=(
                    "{sampled} (limit_cell {N}) (centroid {N}) (centroid {N} ord0) (Some ord0) {word} {unit}"
                ),
                automaton=(
                    "deterministic rationals (D := {D}) ord0"
                    " (fun i x => most_probable {N} (centroid {N} i) x) (fun i => i == {unit})"
                ),
                claims=(
                    "not (forall (S : eqType) n d (N : network S n d), distinct N ->"
                    " let D := place n.+1 in forall word unit, {network} = {automaton})"
                ),
                values=lambda w: {**w.entries, "N": NETWORK, "D": f"(place {w.n})"},
            ),
            **cases(distinct),
        ),
        refuted(
            name="printed-uniform",
            without={
                "cross-checked": "the comparison is of a probability with a bound, not of scores",
                "decided": (
                    "the output of the network is whether a probability is at least one half, which is not"
                    " an affine function"
                ),
            },
            says=(
                "with equation 4, one temperature, here 1 / (4 ln 2), is sufficient for all strings: the"
                " output is 1 if the run follows the DFA with a probability of at least 1/2. At any"
                " temperature, each symbol multiplies that probability by an alpha_M below 1"
            ),
            reading=Equality(recurrence=followed_by_half, construction=always_one),
            theorem=Theorem(
                "state_regularized.theorem_3_2.printed_uniform_is_refuted",
                untied="the limits are about any real exponential",
            ),
            real_theorem=RealTheorem(
                "low_temperatures.no_temperature_for_all_strings",
                f"{EXP} ~ ({NETWORKS} (gap : {REALS}), 0 < gap -> {LEADS} ->"
                " exists2 tau, 0 < tau & forall w, 2^-1 <= follows e b delta tau start w)",
                refutes=True,
            ),
            effort=Effort(strings=20, exhausted=20, letters=1),
            kinds=SHOWN,
            **cases(no_ties, m=(4,)),
        ),
        refuted(
            name="without-low-temperature",
            without={
                "cross-checked": ("the mixture is irrational: OpenFst's floats would round both sides"),
                "decided": (
                    "one string refutes it; boxes would show that the mixture follows the DFA, not that it"
                    " does not"
                ),
                "kernel-checked": "the numbers of the counterexample are exponentials of irrational mixtures",
            },
            says="with equation 5, the network also follows the DFA at temperature 1 / ln 2",
            reading=Equality(recurrence=mixture_in_doubt, construction=dfa),
            kinds=SHOWN,
            **cases(no_ties, m=(1,), wide=True),
        ),
    ),
    differences=(
        (
            "For each reachable state and symbol, the greatest similarity is unique. The proof in"
            " appendix A.2 assumes this as if without loss of generality."
        ),
        "The network starts at a centroid, and the centroids are distinct.",
        (
            "For equation 4 the limit is pointwise: it is taken for each string separately, and no"
            " temperature is sufficient for all strings (variant printed-uniform). For equation 5,"
            " one temperature is sufficient for all strings."
        ),
        (
            "In the variant corrected, the limit of the softmax stands for temperatures that tend to 0. The"
            " Coq theorem of corrected-eq-4 takes the limit, for any similarities and any real exponential."
        ),
        (
            "In exact arithmetic, the network has integer weights and the activation hardtanh, and the"
            " temperatures above 0 are 1 / (m ln 2)."
        ),
        (
            "For equation 5, a DFA is read as: the most probable centroid is the state of the DFA"
            " after every string."
        ),
    ),
    example=EXAMPLE,
    uses=("theorem-3.1",),
    effort=Effort(examples={"cross-checked": 40, "decided": 40}, strings=20),
)
