"""Rules as nondeterministic automata with weights 0 and 1, and equivalent deterministic automata.

The scores of the deterministic automata are 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from automata.determinisation import determinise
from automata.operations import reverse
from automata.semirings import BOOLEAN, REAL
from automata.wfsa import WFSA
from theory.fa_rnn.shared.networks import BITS, tensor
from theory.signature import Signature, Sizes, WeightEntry, constant
from theory.weights import Weights


def one_start() -> WeightEntry:
    """Return the name, shape and values of alpha_0 if only the first state is a start state (section 2.3)."""
    return constant("alpha_0", derived=lambda w: tuple(int(i == 0) for i in range(w.n)))


def rule(k: int) -> Signature:
    """Return the names and shapes of the weights of an automaton with K states and one start state.

    All weights are 0 or 1.
    """
    return Signature((one_start(), *tensor(k, BITS)[1:]), size=("K", k), most_small=300)


RULES = Sizes(rule, (1, 2, 3), (1, 2))


def boolean(w: Weights) -> WFSA:
    """Return the rule's automaton over the booleans."""
    return WFSA(BOOLEAN, _true(w.alpha_0), _true(w.alpha_inf), {x: _true(w.T[x]) for x in w.alphabet})


def _true(values: Any) -> Any:
    return [_true(v) for v in values] if isinstance(values, tuple) else bool(values)


def match(automaton: WFSA) -> WFSA:
    """Return the deterministic real automaton whose score is 1 if ``automaton`` accepts, and 0 otherwise.

    ``automaton`` is an automaton over the booleans.
    """
    dfa = determinise(automaton)
    if not dfa.states:  # no sentence is accepted
        return WFSA(REAL, [0], [0], {x: [[0]] for x in automaton.alphabet})
    return WFSA(
        REAL,
        dfa.initial.astype(int),
        dfa.final.astype(int),
        {x: dfa.matrix(x).astype(int) for x in dfa.alphabet},
    )


def on_sets(w: Weights, final: Callable[[frozenset[int]], bool]) -> WFSA:
    """Return the deterministic automaton whose states are the reachable sets of the rule's states.

    The empty set is a state if it is reachable. ``final`` decides which sets are final.
    """
    first = frozenset(q for q, v in enumerate(w.alpha_0) if v)
    number, arrows = {first: 0}, []
    for states in (waiting := [first]):
        for x in w.alphabet:
            after = frozenset(j for q in states for j, v in enumerate(w.T[x][q]) if v)
            if after not in number:
                number[after] = len(number)
                waiting.append(after)
            arrows.append((number[states], number[after], x, 1))
    return WFSA.from_edges(
        w.over, len(number), w.alphabet, [(0, 1)], [(q, int(final(s))) for s, q in number.items()], arrows
    )


def matches(w: Weights) -> list[WFSA]:
    """Return the deterministic automaton whose score is 1 if the rule matches, and 0 otherwise.

    Its states are sets of the rule's states. No network is used to build it.
    """
    return [on_sets(w, lambda states: any(w.alpha_inf[q] for q in states))]


def backwards(w: Weights) -> WFSA:
    """Return the deterministic automaton, with weights 0 and 1, of the reversals of the rule's sentences."""
    return match(reverse(boolean(w)))
