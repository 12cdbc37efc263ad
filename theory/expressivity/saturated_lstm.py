"""A saturated LSTM is a counter machine, and computes more than weighted automata over a field.

Merrill et al. 2020: the gates of a saturated cell are 0 or 1, and its candidate is -1 or 1. If gates read
only the letter, the cells are linear. If the input gate also reads the cell, the cell can be a counter
that is never negative.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from automata.wfsa import WFSA
from theory.claim import LADDER, QUOTED, Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import Vector, dot
from theory.induction import Induction
from theory.one_layer.saturated import ALWAYS, Saturated, SaturatedGate, State
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.state_regularized.shared.limits import always_one
from theory.theorem import Theorem
from theory.weights import Weights
from theory.without import NO_AUTOMATON


def cells(k: int) -> Signature:
    """Return the names and shapes of the weights of k cells.

    The weights are gates f and i, candidates g, and a linear output r.
    """
    gates = by_symbol("f", (k,), (1, 0)), by_symbol("i", (k,), (1, 0)), by_symbol("g", (k,), (1, -1))
    return Signature((*gates, constant("r", (k,))), size=("K", k), most_small=200)


def cells_step(w: Weights, c: Vector, x: str) -> Vector:
    """Return the next cell state, f(x) c + i(x) g(x)."""
    k = w.over
    gates = zip(w.f[x], c, w.i[x], w.g[x], strict=True)
    return tuple(k.plus(k.times(f, value), k.times(i, g)) for f, value, i, g in gates)


def automaton(w: Weights) -> list[WFSA]:
    """Return the automaton with a state that is always 1, and a state for each cell."""
    k, states = w.over, range(len(w.r))
    tables = {
        x: [
            [k.one, *map(k.times, w.i[x], w.g[x])],
            *([k.zero, *(w.f[x][j] if j == to else k.zero for to in states)] for j in states),
        ]
        for x in w.alphabet
    }
    return [WFSA(k, [k.one, *[k.zero] * len(states)], [k.zero, *w.r], tables)]


linear = Recurrence(lambda w: (w.over.zero,) * len(w.r), cells_step, lambda w, c: (dot(w.over, w.r, c),))


# One cell whose input gate also reads the cell: the counter max(0, c + step).

RECURRENT = 2
"""The weight of the cell's output tanh(c) in the input gate."""
OFFSETS = {1: 1, -1: -1, 0: -3}
"""The offset of the input gate for each step: always open, open if the cell is not 0, and never open."""


def steps(values: tuple[int, ...]) -> Signature:
    """Return the name and shape of the step of each letter, which is one of ``values``."""
    return Signature((by_symbol("step", only=values),), most_small=120)


def network(w: Weights) -> Saturated:
    """Return the saturated LSTM with one cell; its pre-activations are multiplied by 4."""
    every = {x: int(w.step[x]) for x in w.alphabet}
    i = SaturatedGate(
        {x: np.array([4 * OFFSETS[step]]) for x, step in every.items()}, np.array([[RECURRENT]])
    )
    g = SaturatedGate({x: np.array([-1 if step < 0 else 1]) for x, step in every.items()})
    none = np.zeros(1, np.int64)
    return Saturated("lstm", none, {"i": i, "f": ALWAYS, "g": g}, none, np.array([1]), 0)


def cell(state: State) -> int:
    """Return the value of the only cell in a state of the saturated LSTM."""
    return int(np.frombuffer(state[2], np.int64)[0])


def count(w: Weights, c: int, x: str) -> int:
    """Return the counter's next value, max(0, c + step)."""
    return max(0, c + int(w.step[x]))


lstm = Recurrence(
    lambda w: network(w).start,
    lambda w, state, x: network(w).step(state, x),
    lambda w, state: (Fraction(cell(state)),),
)
beside_counter = Recurrence(
    lambda w: (network(w).start, 0),
    lambda w, state, x: (network(w).step(state[0], x), count(w, state[1], x)),
    lambda w, state: (Fraction(cell(state[0]) == state[1]),),
)


def difference(w: Weights) -> list[WFSA]:
    """Return the automaton whose score is the sum of all steps, without the maximum with 0."""
    k = w.over
    tables = {x: [[k.one, w.step[x]], [k.zero, k.one]] for x in w.alphabet}
    return [WFSA(k, [k.one, k.zero], [k.zero, k.one], tables)]


SIZES, STEPS, BOTH = Sizes(cells, (1, 2, 3), (1, 2)), steps((1, -1, 0)), steps((1, -1))

CLAIM = Claim(
    name="saturated-lstm",
    title="a saturated LSTM counts to 0, and is no automaton over a field",
    statement=(
        "A saturated LSTM with K cells whose gates read only the letter is a weighted automaton with K + 1"
        " states, if the output is a linear function of the cells. An input gate that also reads the cell"
        " makes one cell the counter max(0, c + 1) for a and max(0, c - 1) for b, which no weighted automaton"
        " over a field computes; after a*b*, it is max(0, #a - #b)."
    ),
    source=Source("merrill2020formal", "", "The saturated LSTM is not rational"),
    hypotheses=(
        "Exact core: gates are 0 or 1, candidates are -1 or 1, no pre-activation is 0, and the output gate"
        " is 1. The arithmetic is exact.",
        "For the counter, the automata have weights in a field, such as the real numbers. Over max-plus, an"
        " automaton with two states computes it (example-15).",
        "Of tanh, the counter uses only that tanh 0 = 0 and that 1/2 < tanh c <= 1 for every integer c >= 1.",
        "The statement is paraphrased from the version arXiv:2004.08500. Its hierarchy of architectures and"
        " its limits of infinite weights are not part of the claim.",
    ),
    variants=(
        holding(
            name="corrected",
            says="K cells whose gates read only the letter, as an automaton with K + 1 states",
            reading=Equality(linear, automaton),
            cases=SIZES.random,
            small_cases=SIZES.near_generic,
            programs=("saturated-lstm",),
            proof=Induction(
                says="after every string, the Forward vector is 1 and the cells",
                invariant=lambda w, c, unit: (w.over.one, *c),
                instances=tuple((cells(k), "a") for k in (1, 2, 3)),
                states=lambda w, variable: iter([tuple(variable(f"c_{j}") for j in range(len(w.r)))]),
                enough="An identity contains the weights of one letter and of one cell.",
            ),
            theorem=Theorem(
                "expressivity.saturated_lstm.saturated_lstm",
                network="cells (n := {n}) {f} {i} {g} {r} {word}",
                automaton="cells_automaton (n := {n}) {f} {i} {g} {r}",
                values=lambda w: {**w.entries, "n": len(w.r)},
                claims=(
                    "forall (K : semiring) (S : Type) n (f i g : S -> 'I_n -> K) (r : 'I_n -> K) word,"
                    " {automaton} = {network}"
                ),
            ),
        ),
        holding(
            name="corrected-counter",
            says="one cell whose input gate reads the cell has the value of the counter max(0, c + step)",
            without={
                "cross-checked": "the comparison is of a cell and a counter, not of scores",
                "decided": "the cell takes infinitely many values, and its gate is not affine in them",
            },
            reading=Equality(beside_counter, always_one),
            cases=STEPS.random,
            kinds=("sampled", "exhausted"),
            constant="the score is whether the cell equals the counter, which is always true",
            programs=("counting-lstm",),
            theorem=Theorem(
                "expressivity.saturated_lstm.saturated_lstm_counter",
                untied="the theorem is about any function in place of tanh, and about integers",
            ),
        ),
        refuted(
            name="without-letter-gates",
            says="a cell whose input gate reads the cell is an automaton over a field",
            without=NO_AUTOMATON,
            reading=NoAutomaton(lstm, difference),
            cases=BOTH.random,
            kinds=LADDER[:3],
            effort=Effort(examples=100, strings=20, longest=6, run=4),
            theorem=Theorem(
                "expressivity.saturated_lstm.without_letter_gates_is_refuted",
                network="of_count {over} (count {step:sign} {word})",
                claims=(
                    "forall F : numFieldType, let over := of_ring F in not (forall (S : eqType)"
                    " (step_sign : S -> option bool), exists (Q : finite) (A : wfa over S Q), forall word,"
                    " ratproof.automaton.score A word = {network})"
                ),
            ),
        ),
    ),
    differences=(
        (
            "The paper's limits of infinite weights are replaced by exact values: gates are 0 or 1,"
            " candidates are -1 or 1, and the output gate is 1."
        ),
        (
            "One cell whose input gate reads the cell is the counter of the second statement. The"
            " paper's hierarchy of architectures is left out."
        ),
        "The statement is paraphrased from the version arXiv:2004.08500.",
        QUOTED,
    ),
    example=cells(2).example(),
    effort=Effort(examples=25, strings=10, longest=8, run=10, exhausted=3),
)
