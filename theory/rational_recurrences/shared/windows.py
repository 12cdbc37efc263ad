"""Gates that read a window of the last K symbols, and the automata that remember them.

The claims about Proposition 11 share this code. Peng et al. 2018, section 4.1 and appendix A. A gate's
argument is a window: a string of K symbols, or a shorter one at the start of the string, after the
padding v_0 = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from automata.wfsa import WFSA
from theory.induction import Induction
from theory.reading import Recurrence
from theory.signature import Signature, WeightEntry, constant
from theory.weights import Weights

State = tuple[str, Any]
"""The last K - 1 symbols (fewer at the start), and c."""


def signature(window: int, *gates: WeightEntry, start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the weights of a unit whose gates are functions of a window of symbols.

    ``gates`` are the tables of these functions, and ``start`` restricts c_0.
    """
    return Signature((constant("c_0", only=start), *gates), size=("K", window), most_small=200)


def words(alphabet: str, longest: int) -> list[str]:
    """Return all strings of at most ``longest`` letters, shorter ones first."""
    return ["".join(x) for length in range(longest + 1) for x in product(alphabet, repeat=length)]


def remembered(w: Weights, history: str, x: str) -> str:
    """Return the last K - 1 symbols of the history and x, which are the next history."""
    return (history + x)[-(w.n - 1) :] if w.n > 1 else ""


def step(w: Weights, state: State, x: str) -> State:
    """Return the next state: the last K - 1 symbols, and c_t = f_t c_{t-1} + u_t (equation 5c).

    The gates f_t and u_t read the window of the last K symbols (equation 10 for K = 2).
    """
    k, (history, c) = w.over, state
    return remembered(w, history, x), k.plus(k.times(w.f[history + x], c), w.u[history + x])


windowed = Recurrence(start=lambda w: ("", w.c_0), step=step, out=lambda w, state: (state[1],), modes=True)


# The construction of appendix A for any K, with states p_h and q_h for each history h. The paper's q_0 is p
# of the empty history.


def automaton(w: Weights, padded: bool) -> WFSA:
    """Return the automaton of appendix A.

    If ``padded`` is true, the automaton also has the paths whose only mu occurs before the history is full.
    There is no state q of the empty history unless c_0 is nonzero or K is 1. Its initial weight is c_0.
    """
    k = w.over
    number = {state: i for i, state in enumerate(names(w))}
    arrows = []
    for (row, h), i in number.items():
        for x in w.alphabet:
            after = remembered(w, h, x)
            if row == "p":
                arrows.append((i, number["p", after], x, k.one))
            if row == "q" or padded or h:
                arrows.append((i, number["q", after], x, w.f[h + x] if row == "q" else w.u[h + x]))
    initial = [(number["p", ""], k.one)] + ([(number["q", ""], w.c_0)] if ("q", "") in number else [])
    final = [(i, k.one) for (row, _), i in number.items() if row == "q"]
    return WFSA.from_edges(k, len(number), w.alphabet, initial, final, arrows)


def names(w: Weights) -> list[tuple[str, str]]:
    """Return the names of the states of :func:`automaton`: p of every history, then q of every history.

    The empty history has a state q only if c_0 is nonzero or K is 1.
    """
    histories = words(w.alphabet, w.n - 1)
    return [("p", h) for h in histories] + [
        ("q", h) for h in histories if h or w.n == 1 or w.c_0 != w.over.zero
    ]


def printed(w: Weights) -> list[WFSA]:
    """Return the automaton as printed: tau(q_0, p_a, a) = 1 is the only transition from q_0."""
    return [automaton(w, padded=False)]


def corrected(w: Weights) -> list[WFSA]:
    """Return the automaton with tau(q_0, q_b, b) = mu_pad(b), with the padding v_0 = 0 before b."""
    return [automaton(w, padded=True)]


# Fewer states: 1, c, and for each word w shorter than K the value of c after reading w next.


def ahead(w: Weights) -> list[WFSA]:
    """Return the automaton with 2 + s + ... + s^(K-1) states, where s is the number of symbols.

    After a string x, its Forward vector is 1, and c(xw) at the state of each word w shorter than K. A symbol
    a moves c(xaw) from the state of aw to the state of w. For the longest words w, the window is aw
    regardless of x. The new number at w is then c(xaw) = f(aw) c(xaw') + u(aw), where w' is w without its
    last symbol.
    """
    k = w.over
    number = {word: i for i, word in enumerate(words(w.alphabet, w.n - 1), start=1)}
    arrows = []
    for a in w.alphabet:
        arrows.append((0, 0, a, k.one))
        for word, j in number.items():
            if len(word) < w.n - 1:
                arrows.append((number[a + word], j, a, k.one))
            else:
                arrows += [(number[(a + word)[:-1]], j, a, w.f[a + word]), (0, j, a, w.u[a + word])]
    initial = [(0, k.one)] + [
        (i, c) for word, i in number.items() for c in [after(w, ("", w.c_0), word)] if c != k.zero
    ]
    return [WFSA.from_edges(k, len(number) + 1, w.alphabet, initial, [(number[""], k.one)], arrows)]


def after(w: Weights, state: State, word: str) -> Any:
    """Return the unit's value c after the word, which is read from ``state`` on."""
    for x in word:
        state = step(w, state, x)
    return state[1]


def by_history(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms, for a unit with the gates f and u."""
    return {"c_0": w.c_0, **history_tables(w, "f", "u")}


def history_tables(w: Weights, *names: str) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms, for these tables by window.

    Each table becomes a table by history and letter, in which histories are represented by numbers. The
    result also contains the histories, the number of histories, and the next history for each history and
    letter. A name with the suffix ``_w`` is the original table by window.
    """
    histories = words(w.alphabet, w.n - 1)
    table = {
        name: tuple(tuple(w.entries[name][h + x] for x in w.alphabet) for h in histories) for name in names
    }
    remember = tuple(tuple(histories.index(remembered(w, h, x)) for x in w.alphabet) for h in histories)
    read = {f"{name}_w": w.entries[name] for name in names}
    sizes = {"m": len(histories), "k": w.n - 1, "s": len(w.alphabet)}
    start = f"(ord0 : place {len(histories)})"
    return {**sizes, "start": start, "remember": remember, "histories": tuple(histories), **table, **read}


# The proofs.


def states(w: Weights, variable: Callable[[str], Any]) -> list[State]:
    """Return the states of the induction step: every history, with a variable for c.

    Before the first symbol, c is c_0.
    """
    return [("", w.c_0)] + [
        (h, variable("c")) for h in words(w.alphabet, w.n - 1) if h or w.n == 1 or w.c_0 != w.over.zero
    ]


def remembering(instances: tuple[tuple[Signature, str], ...]) -> Induction:
    """Return the proof for appendix A: the Forward vector is 1 at p_h and c at q_h of the history h."""

    def invariant(w: Weights, state: State, unit: int) -> list[Any]:
        k, (history, c) = w.over, state
        return [k.zero if h != history else k.one if row == "p" else c for row, h in names(w)]

    return Induction(
        says=(
            "after every string, with h its last K - 1 symbols, the Forward vector is 1 at p_h, c at q_h,"
            " and 0 elsewhere"
        ),
        invariant=invariant,
        states=states,
        instances=instances,
        enough=(
            "From p_h and q_h, a symbol b leads to p and q of the same history, with weights that are"
            " variables of only (h, b): the identities of two pairs (h, b) differ only in the names of"
            " variables and states. Renaming the letters maps each pair to one in which the letters first"
            " occur in order, and a longer window only makes h longer. Every pair is checked for these"
            " sizes."
        ),
    )


def looking_ahead(instances: tuple[tuple[Signature, str], ...]) -> Induction:
    """Return the proof for the automaton with fewer states (:func:`ahead`).

    After a string x, its Forward vector is 1, and c(xw) for each word w shorter than K.
    """
    return Induction(
        says="after every string x, the Forward vector is 1, c(x), and c(xw) for each word w shorter than K",
        invariant=lambda w, state, unit: [
            w.over.one,
            *(after(w, state, word) for word in words(w.alphabet, w.n - 1)),
        ],
        states=states,
        instances=instances,
        enough=(
            "The step on a only moves the number at aw to w. For the longest words w, it is the step of the"
            " recurrence for the window aw. Both statements hold for any K and any alphabet. Every pair of"
            " a history and a symbol is checked for these sizes."
        ),
    )


def instances(
    of: Callable[[int, Sequence[Any] | None], Signature],
    starts: tuple[Any, ...] = (None, (0,)),
    most: int = 40,
) -> tuple[tuple[Signature, str], ...]:
    """Return the weights (as names and shapes) and the alphabets for which a proof is checked.

    A window has at most 4 symbols, an alphabet has at most 3 letters, and there are at most ``most`` strings
    that are not longer than a window.
    """
    sizes = [
        (window, "abc"[:s])
        for window in (1, 2, 3, 4)
        for s in (1, 2, 3)
        if len(words("abc"[:s], window)) <= most
    ]
    sizes.sort(key=lambda size: size != (2, "a"))  # reports show the first instance
    return tuple((of(window, start), alphabet) for window, alphabet in sizes for start in starts)
