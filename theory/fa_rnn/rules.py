"""Rules as nondeterministic automata with weights 0 and 1, and the deterministic one of the same language, whose scores are 0 and 1."""

from __future__ import annotations

from typing import Any

from automata.dfa import determinise
from automata.operations import reverse
from automata.semirings import BOOLEAN, REAL
from automata.wfsa import WFSA
from theory.fa_rnn.networks import BITS, tensor
from theory.signature import Entry, Signature, Sizes, constant
from theory.weights import Weights


def one_start() -> Entry:
    """alpha_0 of an automaton with one start state, the first (section 2.3)."""
    return constant("alpha_0", derived=lambda w: tuple(int(i == 0) for i in range(w.n)))


def rule(k: int) -> Signature:
    """An automaton with K states: one start state, final and transition weights 0 and 1."""
    return Signature((one_start(), *tensor(k, BITS)[1:]), size=("K", k), most_small=300)


RULES = Sizes(rule, (1, 2, 3), (1, 2))


def boolean(w: Weights, final: Any = None) -> WFSA:
    """The automaton over the booleans; with other final weights."""
    return WFSA(BOOLEAN, _true(w.alpha_0), _true(w.alpha_inf if final is None else final), {x: _true(w.T[x]) for x in w.alphabet})


def _true(values: Any) -> Any:
    return [_true(v) for v in values] if isinstance(values, tuple) else bool(values)


def match(automaton: WFSA) -> WFSA:
    """Whether a boolean automaton accepts a sentence, 0 or 1: the deterministic automaton over the reals."""
    found = determinise(automaton)
    if not found.states:  # nothing is accepted
        return WFSA(REAL, [0], [0], {x: [[0]] for x in automaton.alphabet})
    return WFSA(
        REAL, found.initial.astype(int), found.final.astype(int), {x: found.matrix(x).astype(int) for x in found.alphabet}
    )


def matches(w: Weights) -> list[WFSA]:
    """Whether the rule matches."""
    return [match(boolean(w))]


def backwards(w: Weights) -> WFSA:
    """The rule's sentences read from their ends, as a deterministic automaton with weights 0 and 1."""
    return match(reverse(boolean(w)))
