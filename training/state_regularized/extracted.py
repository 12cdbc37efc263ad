"""The extracted automata and the data for figures, which are stored in the result of a run.

The data are the automaton, the transition counts of Algorithm 1, and the probabilities along a string
(Figures 3, 4 and 8, Wang & Niepert 2019). The paper's text and its pseudo-code count transitions differently;
the result contains both counts.
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
"""The length of the string along which probabilities are stored."""
LEAST = 0.02
"""Centroids whose probability is below this at all steps of the string are omitted."""


def extracted(answer: Certification, dfa: DFA, strings: Sequence[String]) -> dict[str, Any]:
    """Return the data to store in the result.

    Args:
        answer: the certification of the network.
        dfa: the minimal DFA of the language to learn.
        strings: the strings over which Algorithm 1 counts.

    Returns:
        An object with these fields:

        - ``automaton``: the hard automaton (temperature -> 0), or ``None`` if a string leads to a tie. Its
          states are the centroids in ``centroids``. ``table`` has a row for each state, and ``final``
          contains the accepting states.
        - ``counted``: an object for each way to count (``hard`` as in the text, ``soft`` as in the
          pseudo-code). It counts three kinds of pairs of a centroid and a symbol: pairs for which counting
          and queries give different centroids (``otherwise``), pairs that no string reaches (``unseen``), and
          pairs that lead to several centroids (``several``). If the table is complete, it also has the number
          of ``states`` of the table's minimal DFA, and the shortlex-least string on which this DFA differs
          from the language (``difference``).
        - ``over_time``: a ``string``, some ``centroids``, and the probabilities of these centroids after the
          start token and after each symbol.
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
    counted = {one: _summary(table, answer.hard, dfa) for one, table in zip(readings, tables, strict=True)}
    return {"automaton": automaton, "counted": counted, "over_time": _over_time(answer, dfa)}


def _summary(counted: TransitionCounts, hard: HardAutomaton, dfa: DFA) -> dict[str, Any]:
    result: dict[str, Any] = {
        "otherwise": len(counted.differences(hard)),
        "unseen": len(counted.unseen),
        "several": len(counted.undecided),
        "states": None,
        "difference": None,
    }
    machine = _machine(counted, hard)
    if machine is not None:
        word = machine.shortest_difference(dfa)
        result |= {"states": machine.minimal().states, "difference": None if word is None else list(word)}
    return result


def _machine(counted: TransitionCounts, hard: HardAutomaton) -> DFA | None:
    """Return the DFA of the counted transitions; the classifier's decision at each centroid labels the state.

    Return ``None`` if a pair of centroid and symbol was never reached, or if a decision is a tie.
    """
    table, order = counted.table, [counted.start]
    for i in order:
        order += [j for j in dict.fromkeys(table[i]) if j is not None and j not in order]
    if counted.unseen or any(hard.accepts[i] is None for i in order):
        return None
    index = {centroid: q for q, centroid in enumerate(order)}
    rows = tuple(tuple(index[j] for j in table[i] if j is not None) for i in order)
    return DFA(hard.alphabet, 0, rows, frozenset(q for q, i in enumerate(order) if hard.accepts[i]))


def _over_time(answer: Certification, dfa: DFA) -> dict[str, Any]:
    string = a_string(dfa)
    (alpha,) = along(answer.numbers, string, [float(answer.numbers.temperature)])
    shown = [i for i, most in enumerate(alpha.max(axis=0).tolist()) if most >= LEAST]
    rows = [" ".join(f"{share:.3g}" for share in alpha[:, i].tolist()) for i in shown]
    return {"string": list(map(str, string)), "centroids": shown, "alpha": rows}


def a_string(dfa: DFA) -> tuple[Symbol, ...]:
    """Return a string that visits many states of the DFA, and avoids dead states if possible.

    In each state, the next symbol is the symbol that was read there least often.
    """
    often: dict[tuple[int, int], int] = {}
    state, string, dead = dfa.start, list[Symbol](), dfa.dead
    for _ in range(LENGTH):
        symbols = range(len(dfa.alphabet))
        a = min(symbols, key=lambda a: (dfa.table[state][a] in dead, often.get((state, a), 0), a))
        often[state, a] = often.get((state, a), 0) + 1
        string.append(dfa.alphabet[a])
        state = dfa.table[state][a]
    return tuple(string)
