"""Figure 1: a grammar, a DFA, a pushdown automaton and an SR-LSTM-P for balanced parentheses.

Wang & Niepert 2019, section 2, and equations 6 to 8 of section 3.2.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from automata.languages.parentheses import CLOSE, OPEN, balanced_to_all_depths
from automata.pushdown import Configuration
from automata.wfsa import WFSA
from theory.claim import LADDER, Claim, Effort, Source, holding, refuted
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.state_regularized.shared.limits import always_one
from theory.theorem import Theorem
from theory.weights import Weights
from theory.without import NO_AUTOMATON

LETTER = "x"
SYMBOLS = {1: OPEN, -1: CLOSE, 0: LETTER}
PUSHDOWN = balanced_to_all_depths(LETTER)
"""The automaton on the right of Figure 1, over the parentheses and one letter."""
Run = tuple[Configuration | None, tuple[()]]

# The weights: whether each symbol opens (1), closes (-1) or is a letter (0); a depth; and two peepholes.


def signature(*more: Any, depths: tuple[int, ...] = (1, 2, 3, 4), kinds: Any = (1, -1, 0)) -> Signature:
    """Return the names and shapes of a maximum depth, the kind of each symbol, and the weights ``more``."""
    entries = constant("depth", only=depths), by_symbol("kind", only=kinds), *more
    return Signature(entries, most_small=120)


def peepholes(only: tuple[int, ...]) -> Signature:
    """Return the names and shapes of the weights of an SR-LSTM-P.

    They include the input gate's peephole weight p, and q, which is minus that of the output gate.
    """
    return signature(constant("p", only=only), constant("q", only=(1, 2, 3)), depths=(1,))


# Left: the grammar, in which S is empty, or a letter and S, or "(" S ")" S.


@lru_cache(maxsize=4096)
def derived(kinds: tuple[int, ...]) -> bool:
    """Return whether the grammar derives the string, given as the kind of each of its symbols."""
    if not kinds:
        return True
    first, rest = kinds[0], kinds[1:]
    if first != 1:
        return first == 0 and derived(rest)
    return any(kind == -1 and derived(rest[:i]) and derived(rest[i + 1 :]) for i, kind in enumerate(rest))


# Right: the pushdown automaton, without and with a limit on its stack.


def first(w: Weights) -> Run:
    """Return the pushdown automaton's configuration before the first symbol."""
    return PUSHDOWN.run("")[0], ()


def step(w: Weights, state: Run, x: str) -> Run:
    """Return the pushdown automaton's configuration after symbol x, or ``None`` if it has no move."""
    return PUSHDOWN.step(state[0], SYMBOLS[int(w.kind[x])]), ()


def limited_step(w: Weights, state: Run, x: str) -> Run:
    """Return the pushdown automaton's configuration after symbol x.

    It is ``None`` if there is no move, or if more than ``depth`` parentheses are open.
    """
    after, _ = step(w, state, x)
    return None if after is None or len(after.stack) > w.depth + 1 else after, ()


def accepted(now: Configuration | None) -> bool:
    """Return whether the pushdown automaton accepts in this configuration; ``None`` never accepts."""
    return now is not None and now.state in PUSHDOWN.final


pushdown = Recurrence(start=first, step=step, out=lambda w, state: (Fraction(accepted(state[0])),))
limited = Recurrence(
    start=first, step=limited_step, out=lambda w, state: (Fraction(accepted(state[0])),), modes=True
)


def read_both(w: Weights, state: tuple[tuple[int, ...], Run], x: str) -> tuple[tuple[int, ...], Run]:
    """Return the kinds of all symbols up to x, and the pushdown automaton's configuration after x."""
    return (*state[0], int(w.kind[x])), step(w, state[1], x)


def agrees_with_grammar(w: Weights, state: tuple[tuple[int, ...], Run]) -> tuple[Any]:
    """Return 1 if the grammar and the pushdown automaton agree on the string so far, else 0."""
    return (Fraction(derived(state[0]) == accepted(state[1][0])),)


with_grammar = Recurrence(
    start=lambda w: ((), first(w)), step=read_both, out=agrees_with_grammar, modes=False
)


# Centre: the DFA, whose states are the numbers of open parentheses.


def dfa(w: Weights) -> list[WFSA]:
    """Return the DFA for parentheses that are nested at most ``depth`` deep."""
    one, states = w.over.one, range(int(w.depth) + 1)
    arrows = [
        (d, d + int(w.kind[x]), x, one) for d in states for x in w.alphabet if d + int(w.kind[x]) in states
    ]
    return [WFSA.from_edges(w.over, len(states), w.alphabet, [(0, one)], [(0, one)], arrows)]


# An SR-LSTM-P with one unit and two centroids, 0 and -1, with hard activations. Its forget gate is 1; its
# input gate is 1 while the cell state is not negative, and then 0; its output gate reads the new cell state.


def clamp(z: int, low: int = 0) -> int:
    """Return z, clamped to the range from ``low`` to 1: a hard gate, or the hardtanh."""
    return max(low, min(1, z))


def lstm_step(w: Weights, state: tuple[int, int], x: str) -> tuple[int, int]:
    """Return the cell state c_t and the centroid that is nearest (most similar) to o_t hardtanh(c_t).

    o_t is the output gate.
    """
    c, _ = state
    c = c + clamp(1 + int(w.p) * c) * int(w.kind[x])
    u = clamp(1 - int(w.q) * c) * clamp(c, -1)
    return c, -1 if abs(u + 1) < abs(u) else 0


def decided(state: tuple[int, int]) -> bool:
    """Return whether the classifier, 1 - 2 c + 4 h, is positive for the cell state c and the centroid h."""
    c, h = state
    return 1 - 2 * c + 4 * h > 0


def agrees_with_pushdown(w: Weights, state: tuple[tuple[int, int], Run]) -> tuple[Any]:
    """Return 1 if the network and the pushdown automaton agree on the string so far, else 0."""
    return (Fraction(decided(state[0]) == accepted(state[1][0])),)


with_pushdown = Recurrence(
    start=lambda w: ((0, 0), first(w)),
    step=lambda w, state, x: (lstm_step(w, state[0], x), step(w, state[1], x)),
    out=agrees_with_pushdown,
)


DEPTHS, LOW = signature(), signature(depths=(0,), kinds=(1, -1))
PEEPHOLES, NONE = peepholes((1, 2, 3)), peepholes((0,))
SHOWN = ("sampled", "exhausted")
NOT_SCORES = {
    "cross-checked": "the comparison is of two decisions, not of scores",
    "decided": "the network has infinitely many states, and its output is not an affine function of them",
}
AGREE = "the score is whether two decisions agree, which is always true"
DECISIONS = "the theorem is about the decisions of two machines, not about scores"
KINDS = "(kind_sign : S -> option bool)"

CLAIM = Claim(
    name="figure-1",
    title="balanced parentheses by a DFA, a DPDA and an SR-LSTM-P",
    statement=(
        "A DFA with n + 1 states recognises balanced parentheses among letters up to depth n, and a"
        " deterministic pushdown automaton recognises those of all depths, which no finite automaton does."
        " An SR-LSTM-P with one unit and two centroids recognises them, too."
    ),
    source=Source("wang2019state", "2", "Figure 1", ("6", "7", "8")),
    hypotheses=(
        "A missing transition rejects the string.",
        "The SR-LSTM-P has hard activations, and its temperature tends to 0.",
    ),
    variants=(
        holding(
            name="corrected",
            says="the DFA to depth n is the pushdown automaton whose stack is limited to n parentheses",
            reading=Equality(recurrence=limited, construction=dfa),
            cases=DEPTHS.random,
            theorem=Theorem(
                "state_regularized.figure_1.figure_1",
                network="(if accepts_to_depth {kind:sign} {n} {word} then one else zero)",
                automaton="dfa {kind:sign} {over} {n}",
                claims=(
                    f"forall (K : semiring) (S : Type) {KINDS} n word, let over := K in"
                    " {automaton} = {network}"
                ),
                values=lambda w: {**w.entries, "n": int(w.depth)},
            ),
        ),
        holding(
            name="corrected-pushdown",
            without=NOT_SCORES,
            says="the pushdown automaton accepts the strings that the grammar derives, of all depths",
            reading=Equality(recurrence=with_grammar, construction=always_one),
            cases=DEPTHS.random,
            kinds=SHOWN,
            constant=AGREE,
            theorem=Theorem("state_regularized.figure_1.figure_1_pushdown", untied=DECISIONS),
        ),
        holding(
            name="corrected-peepholes",
            without=NOT_SCORES,
            says=(
                "an SR-LSTM-P accepts the strings of the pushdown automaton: its cell state counts, and the"
                " peephole of the input gate stops the count once it is negative"
            ),
            reading=Equality(recurrence=with_pushdown, construction=always_one),
            cases=PEEPHOLES.random,
            kinds=SHOWN,
            constant=AGREE,
            theorem=Theorem("state_regularized.figure_1.figure_1_peepholes", untied=DECISIONS),
        ),
        refuted(
            name="without-depth-limit",
            without=NO_AUTOMATON,
            says="a finite automaton for all depths, here the DFA to depth n",
            reading=NoAutomaton(recurrence=pushdown, construction=dfa),
            cases=LOW.random,
            kinds=LADDER[:3],
            effort=Effort(examples=200, strings=40, longest=6, run=4),
            theorem=Theorem(
                "state_regularized.figure_1.without_depth_limit_is_refuted",
                network="(if accepts {kind:sign} {word} then one else zero)",
                claims=(
                    "forall F : numFieldType, let over := of_ring F in not (forall (S : eqType)"
                    f" {KINDS}, exists (Q : finite) (A : wfa over S Q), forall word,"
                    " ratproof.automaton.score A word = {network})"
                ),
            ),
        ),
        refuted(
            name="without-peepholes",
            without=NOT_SCORES,
            says="an SR-LSTM-P without the peephole of the input gate (equation 7)",
            reading=Equality(recurrence=with_pushdown, construction=always_one),
            cases=NONE.random,
            kinds=SHOWN,
            theorem=Theorem("state_regularized.figure_1.without_peepholes_is_refuted", untied=DECISIONS),
        ),
    ),
    differences=(
        (
            "The figure draws the DFA for depth 4; it is constructed for several depths, and the"
            " theorem is about every depth n."
        ),
        (
            "A missing transition rejects. The wildcard is any symbol that is not a parenthesis, and"
            " stands for several letters."
        ),
        (
            "The paper shows by experiments that the SR-LSTM-P operates like the pushdown automaton."
            " Here it is one network, whose weights are ours, with one unit, two centroids, hard"
            " activations and the limit of temperature 0."
        ),
        (
            "Equations 6 to 8 are used with R = 0, and with the peepholes of the input and the output"
            " gate; the forget gate is 1."
        ),
        (
            "The recognition of all depths by a finite automaton is refuted for the DFA of depth n;"
            " Coq refutes it for all finite automata."
        ),
    ),
    example=DEPTHS.example(),
    effort=Effort(examples=60, strings=20, longest=12, run=8, exhausted=5),
)
