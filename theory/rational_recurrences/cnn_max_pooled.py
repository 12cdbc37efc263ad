"""Convolutions with max-pooling over time, which section 1 calls rational, after Schwartz et al. 2018.

Peng et al. 2018, section 1: "a single-layer max-pooled CNN can be simulated by a set of simple
WFSAs (one per output dimension), and accordingly are also rational". A filter's score of a window
is a sum over its symbols, and pooling takes the maximum; over max-plus, that is a sum of products.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from automata.semirings import MAX_PLUS
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.induction import Induction
from theory.rational_recurrences.shared import windows
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights of one output: f_j is the contribution of the symbol at position j of K in a window, and b the
# bias. A nonlinearity after the pooling is not part of the recurrence; a monotone one may precede it.


def filters(window: int) -> Signature:
    """Return the names and shapes of the weights of a filter over windows of K symbols."""
    return Signature(
        (by_symbol("f", (window,)), constant("b")), over=MAX_PLUS, size=("K", window), most_small=200
    )


# The recurrence, over any semiring. Its state consists of the last K - 1 symbols and the pool: the maximum of
# the windows' scores so far. Before the first full window, the pool is the semiring's zero.

State = tuple[str, Any]


def of_window(w: Weights, window: str) -> Any:
    """Return the filter's score of a window or of a prefix of it.

    Over max-plus, it is b + f_1(x_1) + f_2(x_2) + ...
    """
    score = w.b
    for position, x in enumerate(window):
        score = w.over.times(score, w.f[x][position])
    return score


def step(w: Weights, state: State, x: str) -> State:
    """Return the state after symbol x, whose pool is c_t = max(c_{t-1}, the score of the last K symbols)."""
    history, c = state
    window = history + x
    if len(window) < w.n:
        return window, c
    return window[1:], w.over.plus(c, of_window(w, window))


pooled = Recurrence(
    start=lambda w: ("", w.over.zero), step=step, out=lambda w, state: (state[1],), modes=True
)


def padded_step(w: Weights, state: State, x: str) -> State:
    """Return the state after symbol x if windows may start before the string.

    The positions before the string add nothing to a window's score.
    """
    history, c = state
    window = history + x
    k, score = w.over, w.b
    for position, symbol in enumerate(reversed(window), start=1):
        score = k.times(score, w.f[symbol][w.n - position])
    return windows.remembered(w, history, x), k.plus(c, score)


pooled_with_padding = Recurrence(
    start=lambda w: ("", w.over.zero), step=padded_step, out=lambda w, state: (state[1],), modes=True
)


# The construction: a chain of K + 1 states, in which the first state and the last state have loops.


def chain(w: Weights, padded: bool = False) -> list[WFSA]:
    """Return the automaton whose paths select a window.

    A path waits in state 0, reads a window on its way from state 0 to state K, and stays there. With padding,
    it may start in any state except the last, because the window's positions before that state have no
    symbol.
    """
    k, n = w.over, w.n
    arrows = []
    for x in w.alphabet:
        arrows += [(0, 0, x, k.one), (n, n, x, k.one), (0, 1, x, k.times(w.b, w.f[x][0]))]
        arrows += [(j, j + 1, x, weight) for j, weight in enumerate(w.f[x]) if j]
    initial = [(0, k.one), *((j, w.b) for j in range(1, n if padded else 1))]
    return [WFSA.from_edges(k, n + 1, w.alphabet, initial, [(n, k.one)], arrows)]


# The proofs.


def begun(w: Weights, state: State, unit: int) -> list[Any]:
    """Return the Forward vector: one, the score of each partial window, and the pool c.

    For each j below K, the partial window consists of the last j symbols, at the window's first j positions.
    """
    k, (history, c) = w.over, state
    scores = [of_window(w, history[-j:]) if j <= len(history) else k.zero for j in range(1, w.n)]
    return [k.one, *scores, c]


def begun_with_padding(w: Weights, state: State, unit: int) -> list[Any]:
    """Return the Forward vector with padding: one, the score of each partial window, and the pool c.

    For each j below K, the partial window consists of the last i symbols, at the window's positions j - i + 1
    to j. Here i is j, or the length of the string if that is less.
    """
    k, (history, c) = w.over, state
    scores = []
    for j in range(1, w.n):
        score, read = w.b, history[-j:]
        for position, x in enumerate(read, start=j - len(read)):
            score = k.times(score, w.f[x][position])
        scores.append(score)
    return [k.one, *scores, c]


def histories(w: Weights, variable: Callable[[str], Any]) -> list[State]:
    """Return one state for each string of at most K - 1 last symbols, with a variable for the pool c."""
    return [(h, variable("c")) for h in windows.words(w.alphabet, w.n - 1)]


INSTANCES = tuple(
    (filters(window), "abc"[:s]) for window, s in ((2, 1), (1, 1), (1, 2), (2, 2), (3, 1), (3, 2))
)


def proof(says: str, invariant: Callable[[Weights, State, int], Any], factors: str) -> Induction:
    """Return the proof by induction over ``invariant``, whose products have ``factors``."""
    return Induction(
        says=f"after every string, the Forward vector is 1, for each j below K the score of {says}",
        invariant=invariant,
        states=histories,
        instances=INSTANCES,
        enough=(
            f"From state j to state j + 1, a symbol extends a product of {factors} by one factor, for any"
            " previous symbols; a longer window only adds more such states, and a larger alphabet more names."
            " Every pair of a history and a symbol is checked for these sizes."
        ),
    )


PROOF = proof("the first j positions of a window on the last j symbols, and the pool", begun, "j factors")
PROOF_WITH_PADDING = proof(
    "the positions of a window up to j on the last symbols, in which positions before the string add"
    " nothing, and the pool",
    begun_with_padding,
    "at most j factors",
)

SIZES = Sizes(filters, (1, 2, 3), (1, 2, 3))


def in_coq(name: str, padded: tuple[bool, bool], **options: Any) -> Theorem:
    """Return the Coq theorem of this name.

    ``padded`` contains two booleans: whether the network has padding, and whether the automaton has it.
    """
    network, automaton = (str(side).lower() for side in padded)
    return Theorem(
        f"rational_recurrences.cnn_max_pooled.{name}",
        network=f"pooled {{K}} {{f:from 1}} {{b}} {network} {{word}}",
        automaton=f"chain {{K}} {{f:from 1}} {{b}} {automaton}",
        over="rational_max_plus",
        **options,
    )


CLAIM = Claim(
    name="cnn-max-pooled",
    title="A max-pooled convolution is rational",
    statement=(
        "An output of a single-layer convolution with windows of K symbols and max-pooling over time is the"
        " Forward score of an automaton with K + 1 states over the max-plus semiring."
    ),
    source=Source("peng2018rational", "1", "Max-pooled CNN", ("3a", "3b", "3c")),
    hypotheses=(
        "The score of a filter is a sum over its window; a nonlinearity is applied after the maximum, or is"
        " increasing.",
        "The pool of a string shorter than K is empty, which is -infinity, unless there is padding.",
    ),
    variants=(
        holding(
            name="corrected",
            says="only complete windows; a string without one has the score -infinity",
            reading=Equality(recurrence=pooled, construction=chain),
            cases=SIZES.random,
            small_cases=SIZES.near_generic,
            proof=PROOF,
            theorem=in_coq("cnn_max_pooled", padded=(False, False)),
        ),
        holding(
            name="corrected-padding",
            says="with padding that adds nothing: a path may begin in any state but the last",
            reading=Equality(recurrence=pooled_with_padding, construction=lambda w: chain(w, padded=True)),
            cases=SIZES.random,
            small_cases=SIZES.near_generic,
            proof=PROOF_WITH_PADDING,
            theorem=in_coq("cnn_max_pooled_padding", padded=(True, True)),
            layers=("cnn-max-pooled-padded",),
        ),
        refuted(
            name="without-whole-windows",
            says="with padding before the string, the network is the automaton of complete windows",
            reading=Equality(recurrence=pooled_with_padding, construction=chain),
            cases=SIZES.random,
            theorem=in_coq(
                "without_whole_windows_is_refuted",
                padded=(True, False),
                claims=(
                    "forall R : semiring, one <> zero :> R -> not (forall (S : Type) K (f : S -> nat -> R)"
                    " b word, {automaton} = {network})"
                ),
            ),
        ),
    ),
    differences=(
        (
            "The paper prints no equation. The network is our reading of a single-layer convolution"
            " with max-pooling over time."
        ),
        (
            "The contribution of a symbol to a position of the window is any number, in place of the"
            " product of a row of the filter and an embedding."
        ),
        "The nonlinearity is left out. An increasing one has the same effect after the maximum.",
        (
            "K + 1 states are our count; the paper states only that there is a simple automaton for"
            " each output."
        ),
        (
            "Padding adds nothing to a window, as zero vectors do; without padding, a string that is"
            " shorter than K has the score -infinity."
        ),
    ),
    example=SIZES.of(2).example(),
    uses=("definition-4",),
    layers=("cnn-max-pooled",),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
