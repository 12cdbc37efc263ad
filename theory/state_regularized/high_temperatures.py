"""High temperatures: alpha becomes uniform, and the network forgets what it reads.

Wang & Niepert 2019, section 3, equations 2 and 3: "The higher tau the more uniform is alpha."
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.reading import Equality, Recurrence
from theory.signature import Sizes
from theory.state_regularized.shared.limits import always_one, distinct, most_probable, scores_at
from theory.state_regularized.shared.mixtures import ball, distribution
from theory.state_regularized.shared.networks import ANY, EXAMPLE, SIZES, SMALL, Vector, integers, sampled
from theory.theorem import Theorem
from theory.weights import Weights


def uniform(w: Weights, h: Vector, c: Any, x: str) -> tuple[Vector, Any]:
    """Return the uniform distribution over the n centroids, and the unchanged cell state c.

    The distribution is the limit of alpha as the temperature tau tends to infinity.
    """
    return (Fraction(1, w.n),) * w.n, c


def two_states(w: Weights) -> list[WFSA]:
    """Return, for each centroid, an automaton with one state before the first symbol and one after it."""
    one, zero = w.over.one, w.over.zero
    table = [[zero, one], [zero, one]]
    return [
        WFSA(
            w.over, [one, zero], [one if j == 0 else zero, Fraction(1, w.n)], dict.fromkeys(w.alphabet, table)
        )
        for j in range(w.n)
    ]


# The bound, in ball arithmetic: k alpha_i is between exp(-spread / tau) and exp(spread / tau), where the
# spread is the difference of the greatest and the least similarity. The run moves to the most probable
# centroid.

BITS = 128


def within_bounds(w: Weights, b: Vector) -> bool:
    """Return whether alpha, the softmax of b / tau, is certainly within its bounds at tau = 1 / (m ln 2).

    The bounds for each of the k entries are exp(-spread / tau) / k and exp(spread / tau) / k, where the
    spread is max(b) - min(b). If all similarities b are equal, alpha is uniform; otherwise the bounds are
    strict.
    """
    spread = max(b) - min(b)
    if spread == 0:
        return True
    with flint.ctx.workprec(BITS):
        inverse = ball(Fraction(w.m)) * flint.arb(2).log()
        alpha = distribution(tuple(map(ball, map(Fraction, b))), inverse)
        most = (inverse * ball(Fraction(spread))).exp()
        return all(bool(w.n * a < most) and bool(w.n * a * most > 1) for a in alpha)


def bounded_step(w: Weights, state: tuple[int, bool], x: str) -> tuple[int, bool]:
    """Return the most probable centroid, and whether all alphas so far were within the bounds."""
    b = scores_at(w, state[0], x)
    return most_probable(b), state[1] and within_bounds(w, b)


bounded = Recurrence(start=lambda w: (1, True), step=bounded_step, out=lambda w, state: (Fraction(state[1]),))


HIGH = tuple(Fraction(m) for m in ("1/100", "1/10", "1", "3"))
RANDOM = Sizes(lambda size: integers(size, ANY, where=distinct), SIZES, ())
SMALL_ONES = Sizes(
    lambda size: integers(size, SMALL, (1,), where=distinct, most=80), (), ((2, 1), (3, 1), (2, 2))
)
TEMPERATURES = Sizes(lambda size: integers(size, ANY, HIGH, where=distinct), SIZES, ())
ABOUT_ANY_EXPONENTIAL = "the limits are about any real exponential"

CLAIM = Claim(
    name="high-temperatures",
    title="high temperatures make alpha uniform",
    statement=(
        "As the temperature tends to infinity, every alpha_i tends to 1 / k, for every state and symbol. With"
        " equation 4, the network is then at each centroid with probability 1 / k after every nonempty"
        " string, like an automaton with two states."
    ),
    source=Source("wang2019state", "3", "High temperatures", ("2", "3")),
    hypotheses=("The network starts at a centroid.",),
    variants=(
        holding(
            name="corrected",
            says="the limit network samples uniformly",
            reading=Equality(recurrence=sampled(answer=uniform), construction=two_states),
            cases=RANDOM.random,
            small_cases=SMALL_ONES.small,
            theorem=Theorem(
                "state_regularized.high_temperatures.high_temperatures",
                network=(
                    "{sampled} (fun (_ : place {k}) _ (_ : place {k}) => {share}) id ord0 (Some ord0) {word}"
                    " {unit}"
                ),
                automaton="two_states _ {share} (ord0 == {unit})",
                claims=(
                    "forall (R : numFieldType) (S : eqType) n (word : seq S) (unit : 'I_n.+1),"
                    " let k := n.+1 in let share : of_ring R := (n.+1%:R^-1)%R in {automaton} = {network}"
                ),
                values=lambda w: {"share": Fraction(1, w.n), "k": w.n},
            ),
        ),
        holding(
            name="corrected-bound",
            without={
                "cross-checked": "the comparison is of a probability with its bounds, not of scores",
                "decided": "the numbers are exponentials; the theorem covers every case",
            },
            says=(
                "k alpha_i is between exp(-spread / tau) and exp(spread / tau), where the spread is the"
                " difference of the greatest and the least similarity"
            ),
            reading=Equality(recurrence=bounded, construction=always_one),
            cases=TEMPERATURES.random,
            small_cases=SMALL_ONES.small,
            kinds=("sampled", "exhausted"),
            constant="the comparison is whether alpha is within its bounds, which is true after every string",
            theorem=Theorem(
                "state_regularized.high_temperatures.high_temperatures_bound", untied=ABOUT_ANY_EXPONENTIAL
            ),
        ),
        refuted(
            name="without-limit",
            says="alpha is uniform at a temperature that is not infinite",
            reading=Equality(recurrence=sampled(), construction=two_states),
            cases=RANDOM.random,
            small_cases=SMALL_ONES.small,
            theorem=Theorem(
                "state_regularized.high_temperatures.without_limit_is_refuted", untied=ABOUT_ANY_EXPONENTIAL
            ),
        ),
    ),
    differences=(
        (
            "The paper states only that a higher temperature makes alpha more uniform. The limit, its"
            " bound and the automaton with two states are ours."
        ),
        "The network starts at a centroid.",
        (
            "The limit network is exact. The bound is checked at temperatures 1 / (m ln 2), at which"
            " alpha is rational for integer weights."
        ),
    ),
    example=EXAMPLE,
    uses=("theorem-3.1",),
    effort=Effort(examples={"cross-checked": 40, "decided": 40}, strings=20, exhausted=3),
)
