"""What a result keeps of the automata that were extracted from a network, for pictures and tables: the one
that asking gives, what Algorithm 1 counts in both of its readings, and the probabilities along a string
(Figures 3, 4 and 8, Wang & Niepert 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from automata.aliases import String, Symbol
from automata.dfa import DFA
from ratproof.certification.extraction.counts import TransitionCounts, count
from ratproof.certification.extraction.probabilities import along
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.hard import HardAutomaton, labelled_outputs

LENGTH = 24
"""Of the string along which probabilities are kept."""
LEAST = 0.02
"""Centroids that never have this probability along the string are left out."""


def extracted(answer: Certification, dfa: DFA, strings: Sequence[String]) -> dict[str, Any]:
    """What there is to keep.

    Args:
        answer: of certifying the network.
        dfa: the least one of the language that it was to learn.
        strings: that Algorithm 1 counts over.

    Returns:
        ``automaton``: ``centroids`` that strings lead to, and for each its row of the ``table``, and which
        are ``final``; ``None`` where strings come to a tie. ``counted``: by reading (``hard``: the text's,
        ``soft``: the pseudo-code's) how many pairs of a centroid and a symbol count ``otherwise`` than asking
        says, are ``unseen``, or lead to ``several`` centroids; ``states`` of the least DFA of the table and
        its shortlex-least ``difference`` from the language, where the table is whole. ``over_time``: a
        ``string``, ``centroids``, and for each the probabilities after the start and each symbol.
    """
    machine, readings = answer.hard.machine(), ("hard", "soft")
    automaton: dict[str, Any] | None = None
    if machine is not None:
        outputs = labelled_outputs(machine)
        automaton = {
            "alphabet": list(map(str, machine.alphabet)),
            "centroids": [centroid for centroid, _ in outputs],
            "table": [list(row) for row in machine.table],
            "final": [q for q, (_, accepts) in enumerate(outputs) if accepts],
        }
    tables = [count(answer.numbers, strings, "hard" if one == "hard" else "soft") for one in readings]
    counted = {one: _said(table, answer.hard, dfa) for one, table in zip(readings, tables, strict=True)}
    return {"automaton": automaton, "counted": counted, "over_time": _over_time(answer, dfa)}


def _said(counted: TransitionCounts, asked: HardAutomaton, dfa: DFA) -> dict[str, Any]:
    said: dict[str, Any] = {
        "otherwise": len(counted.differences(asked)),
        "unseen": len(counted.unseen),
        "several": len(counted.undecided),
        "states": None,
        "difference": None,
    }
    machine = _machine(counted, asked)
    if machine is not None:
        word = machine.shortest_difference(dfa)
        said |= {"states": machine.minimal().states, "difference": None if word is None else list(word)}
    return said


def _machine(counted: TransitionCounts, asked: HardAutomaton) -> DFA | None:
    """The DFA of the counted table, which accepts at the centroids where the classifier does; ``None`` where
    a pair was never seen, or a decision is a tie.
    """
    table, order = counted.table, [counted.start]
    for i in order:
        order += [j for j in dict.fromkeys(table[i]) if j is not None and j not in order]
    if counted.unseen or any(asked.accepts[i] is None for i in order):
        return None
    place = {centroid: q for q, centroid in enumerate(order)}
    rows = tuple(tuple(place[j] for j in table[i] if j is not None) for i in order)
    return DFA(asked.alphabet, 0, rows, frozenset(q for q, i in enumerate(order) if asked.accepts[i]))


def _over_time(answer: Certification, dfa: DFA) -> dict[str, Any]:
    string = a_string(dfa)
    (alpha,) = along(answer.numbers, string, [float(answer.numbers.temperature)])
    shown = [i for i, most in enumerate(alpha.max(axis=0).tolist()) if most >= LEAST]
    rows = [" ".join(f"{share:.3g}" for share in alpha[:, i].tolist()) for i in shown]
    return {"string": list(map(str, string)), "centroids": shown, "alpha": rows}


def a_string(dfa: DFA) -> tuple[Symbol, ...]:
    """A string through all of the DFA that goes on as long as it can: from each state by the symbol that was
    read there least often, one that stays in living states where there is one.
    """
    often: dict[tuple[int, int], int] = {}
    state, string, dead = dfa.start, list[Symbol](), dfa.dead
    for _ in range(LENGTH):
        places = range(len(dfa.alphabet))
        a = min(places, key=lambda a: (dfa.table[state][a] in dead, often.get((state, a), 0), a))
        often[state, a] = often.get((state, a), 0) + 1
        string.append(dfa.alphabet[a])
        state = dfa.table[state][a]
    return tuple(string)
