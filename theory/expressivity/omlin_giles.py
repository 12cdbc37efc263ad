"""Second-order sigmoid networks that are constructed from a DFA are stable if their gain is large enough.

Omlin and Giles 1996. Each state has a unit. For each letter, the unit has the weight H from the units of all
states from which the letter leads to its state. It has the weight -H from itself, unless its own state is one
of them, and the bias -H/2. Let n be the largest number of states from which one letter leads to the same
state. If sigma(H (n e - 1/2)) <= e, then the current state's unit always stays at least 1 - e, and all other
units at most e.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import count
from typing import Any

import flint

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, WeightEntry, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

Units = tuple[flint.arb, ...]
BITS = 128
ROOM = Fraction(1, 2**12)
"""The margin for rounding errors of a float32 network in the condition on the gain."""
HALF, HALF_BALL = Fraction(1, 2), flint.arb(1) / 2


def ball(value: Fraction) -> flint.arb:
    """Return a ball around the number, at the current precision."""
    return flint.arb(value.numerator) / value.denominator


def interval(low: Fraction, high: Fraction) -> flint.arb:
    """Return a ball that contains the interval from ``low`` to ``high``."""
    return ball(low).union(ball(high))


def sigmoid(z: flint.arb) -> flint.arb:
    """Return a ball that contains the sigmoid of each number in z.

    The sigmoid is increasing, so its values at both ends of z suffice.
    """

    def at(end: flint.arb) -> flint.arb:
        power = (-abs(end)).exp()  # the exponential of a large positive number would have no finite ball
        return (power if end < 0 else 1) / (1 + power)

    return at(z.lower()).union(at(z.upper()))


def is_stable(gain: Fraction, n: int, e: Fraction) -> bool:
    """Return whether the gain H is certainly stable for the error e, with a margin for rounding errors.

    The condition is sigma(H (n e - 1/2)) <= e.
    """
    with flint.ctx.workprec(BITS):
        return bool(sigmoid(ball(gain * (n * e - HALF))) < ball(e - ROOM))


@cache
def gain_and_error(n: int) -> tuple[Fraction, Fraction]:
    """Return the least gain H that is stable for some error e, and the least such e.

    Gains are multiples of 1/8 from 1 on. Errors are multiples of 1/(128 n) below 1/(2 n), so a smaller gain
    may also be stable for another error.
    """
    errors = [Fraction(i, 128 * n) for i in range(1, 64)]
    for eighths in count(8):
        stable = [e for e in errors if is_stable(Fraction(eighths, 8), n, e)]
        if stable:
            return Fraction(eighths, 8), stable[0]
    raise AssertionError


def maps(w: Weights, x: str) -> tuple[int, ...]:
    """Return, for each state of the DFA, the next state after letter x."""
    return tuple(map(int, w.delta[x]))


def predecessors(w: Weights) -> int:
    """Return the maximum number of states that one letter maps to the same state, but at least 2."""
    return max(2, *(maps(w, x).count(q) for x in w.alphabet for q in range(w.n)))


def large_gain(w: Weights) -> Fraction:
    """Return a gain that is large enough for all strings."""
    return gain_and_error(predecessors(w))[0]


def automaton_of(n: int, gain: WeightEntry) -> Signature:
    """Return the names and shapes of the table of a DFA and the network's gain.

    The DFA has N states and start state 0.
    """
    return Signature((by_symbol("delta", (n,), range(n)), gain), size=("N", n), most_small=200)


def dfa(w: Weights) -> list[WFSA]:
    """Return a copy of the DFA for each state, in which this state is the only final state."""
    states = range(w.n)
    tables = {x: [[int(maps(w, x)[q] == p) for p in states] for q in states] for x in w.alphabet}
    first = [int(q == 0) for q in states]
    return [WFSA(w.over, first, [int(q == j) for q in states], tables) for j in states]


# The network, in ball arithmetic.


def step(w: Weights, h: Units, x: str) -> Units:
    """Return the next units, as balls that contain the exact values.

    A unit's value is sigma(H (the sum of the predecessors' units - the unit itself - 1/2)). The unit itself
    is not subtracted if its state is one of the predecessors.
    """
    after = maps(w, x)
    with flint.ctx.workprec(BITS):
        return tuple(
            sigmoid(
                ball(w.H)
                * (
                    sum((h[j] for j in range(w.n) if after[j] == i), flint.arb(0))
                    - (0 if after[i] == i else h[i])
                    - ball(HALF)
                )
            )
            for i in range(w.n)
        )


def shown(unit: flint.arb) -> int | None:
    """Return 1 if the unit is certainly above 1/2, 0 if it is certainly below, and ``None`` if in doubt."""
    return 1 if unit > HALF_BALL else 0 if unit < HALF_BALL else None


def one_hot(w: Weights) -> Units:
    """Return the first units: 1 for state 0, and 0 for all others."""
    return tuple(flint.arb(int(q == 0)) for q in range(w.n))


def decisions(w: Weights, h: Units) -> tuple[Any, ...]:
    """Return 1 for each unit that is certainly above 1/2, 0 if it is certainly below, and -1 if in doubt."""
    values = map(shown, h)
    return tuple(Fraction(-1 if value is None else value) for value in values)


run = Recurrence(one_hot, step, decisions)


# The proof for all strings: each state has a box of units, and each letter must map every box into a box.


def box(w: Weights, q: int) -> Units:
    """Return the box of a state: at least 1 - e for the state's own unit, and at most e for all others."""
    _, e = gain_and_error(predecessors(w))
    with flint.ctx.workprec(BITS):
        return tuple(interval(1 - e, Fraction(1)) if i == q else interval(Fraction(0), e) for i in range(w.n))


def box_step(w: Weights, state: tuple[int, tuple[()]], x: str) -> tuple[int, tuple[()]]:
    """Return the state whose box certainly contains the image of this state's box; -1 if there is none."""
    q = state[0]
    if q < 0:
        return state
    _, e = gain_and_error(predecessors(w))
    image, after = step(w, box(w, q), x), maps(w, x)[q]
    with flint.ctx.workprec(BITS):
        inside = all(
            bool(unit > ball(1 - e)) if i == after else bool(unit < ball(e)) for i, unit in enumerate(image)
        )
    return (after if inside else -1), ()


boxes = Recurrence(
    lambda w: (0, ()),
    box_step,
    lambda w, state: tuple(Fraction(int(j == state[0])) for j in range(w.n)),
    modes=True,
)


# If a unit is undecided, the network with a small gain counts as correct.


def decisions_in_doubt(w: Weights, state: tuple[int, Units]) -> tuple[Any, ...]:
    """Return 1 or 0 for each unit; a unit in doubt has the value that the DFA requires."""
    values = zip(map(shown, state[1]), range(w.n), strict=True)
    return tuple(Fraction(int(j == state[0]) if value is None else value) for value, j in values)


in_doubt = Recurrence(
    lambda w: (0, one_hot(w)),
    lambda w, state, x: (maps(w, x)[state[0]], step(w, state[1], x)),
    decisions_in_doubt,
)


LARGE = constant(
    "H",
    derived=large_gain,
    follows=lambda w: bool(large_gain(w) <= w.H),  # if letters are dropped, a smaller gain may be enough
)
STABLE = Sizes(lambda n: automaton_of(n, LARGE), (2, 3, 4, 5), (2, 3))
FLAT = Sizes(lambda n: automaton_of(n, constant("H", only=(1, 2, 3))), (2, 3), (2,))
NOT_RATIONAL = {
    "cross-checked": "the comparison is of decisions about irrational units, not of scores",
    "decided": "the units are sigmoids of sigmoids; the variant corrected has boxes for all strings",
}
ANY_SIGMOID = "the theorem is about any increasing function g of at least 0 with g(-z) = 1 - g(z)"

CLAIM = Claim(
    name="omlin-giles",
    title="constructed sigmoid networks follow their DFA",
    statement=(
        "A second-order sigmoid network that is constructed from a DFA with weights H, -H and biases -H/2"
        " follows the DFA on strings of every length, if the gain H is large enough for n, the maximum number"
        " of states that one letter maps to the same state."
    ),
    source=Source("omlin1996constructing", "", "Stable second-order networks"),
    hypotheses=(
        "Exact core: sigma(H (n e - 1/2)) <= e for some e < 1/2, and n >= 2. The gain is computed from n in"
        " ball arithmetic.",
        "The network starts in a one-hot vector.",
        "The network has no separate output unit; a unit above 1/2 shows its state.",
        "The paper's own bounds, which use fixed points of two functions, are not part of the claim. Its text"
        " was not available, and the statement is paraphrased.",
    ),
    variants=(
        holding(
            name="corrected",
            says="each letter maps the box of a state into the box of the next state, for units in [0, 1]",
            reading=Equality(boxes, dfa),
            cases=STABLE.random,
            programs=("omlin-giles",),
            theorem=Theorem("expressivity.omlin_giles.omlin_giles", untied=ANY_SIGMOID),
        ),
        holding(
            name="corrected-run",
            says="the units above 1/2 show the state of the DFA, in ball arithmetic along each string",
            without=NOT_RATIONAL,
            reading=Equality(run, dfa),
            cases=STABLE.random,
            kinds=("sampled", "exhausted"),
            theorem=Theorem("expressivity.omlin_giles.omlin_giles_run", untied=ANY_SIGMOID),
        ),
        refuted(
            name="without-large-gain",
            says="a gain H of at most 3",
            without={
                **NOT_RATIONAL,
                "decided": "one string refutes it; boxes would show that the network follows its DFA",
                "kernel-checked": "the numbers of the counterexample are sigmoids of sigmoids",
            },
            reading=Equality(in_doubt, dfa),
            cases=FLAT.random,
            kinds=("sampled", "exhausted"),
        ),
    ),
    differences=(
        "The text of the paper was not available: the statement is paraphrased.",
        (
            "The gain is computed in ball arithmetic from a condition of ours, sigma(H (n e - 1/2))"
            " <= e for some e < 1/2. The paper's own bounds, which use fixed points of two functions,"
            " are left out."
        ),
        "The network starts in a one-hot vector, and has no output unit: a unit above 1/2 shows its state.",
    ),
    example=automaton_of(2, LARGE).example(),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=4),
)
