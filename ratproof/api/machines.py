"""Conversion of users' automata to Moore machines whose outputs are the decisions of a network."""

from __future__ import annotations

from os import PathLike

from automata.dfa import DFA
from automata.errors import InputError
from automata.moore import Moore
from automata.semirings import BOOLEAN
from automata.text.number_text import plural, shorten
from automata.wfsa import WFSA


def machine_of(automaton: object, alphabet: tuple[str, ...], classes: int, where: str = "automaton") -> Moore:
    """Return an automaton as a Moore machine whose outputs are the decisions of a network.

    Args:
        automaton: A DFA or a boolean WFSA, or a Moore machine whose outputs are decisions. An accept state
            has the decision 1, and any other state has the decision 0.
        alphabet: The network's symbols, in the order for the result.
        classes: Number of different decisions of the network.
        where: The name of the automaton in messages.

    Raises:
        InputError: If the automaton is of another kind, or if the alphabets differ.
    """
    if isinstance(automaton, WFSA) and automaton.semiring is BOOLEAN:
        automaton = DFA.from_wfsa(automaton)
    if isinstance(automaton, DFA):
        if classes != 2:
            raise InputError(
                f"{where}: a network with {classes} classes must be compared with a Moore machine, got a DFA"
            )
        dfa = _over(automaton, alphabet, where)
        return Moore(alphabet, dfa.start, dfa.table, tuple(int(q in dfa.final) for q in range(dfa.states)))
    if not isinstance(automaton, Moore):
        raise wrong_type(automaton, where)
    if len(automaton.outputs) != automaton.states:
        raise InputError(
            f"{where}: a Moore machine must have one output per state, got {len(automaton.outputs)} for"
            f" {plural(automaton.states, 'state')}"
        )
    for output in automaton.outputs:
        if type(output) is not int or not 0 <= output < classes:
            raise InputError(
                f"{where}: the outputs must be class indices from 0 to {classes - 1}, got {output!r:.40}"
            )
    order = _over(automaton.accepting(frozenset()), alphabet, where)
    return Moore(alphabet, order.start, order.table, automaton.outputs)


def wrong_type(automaton: object, where: str = "automaton") -> InputError:
    """Return the error for an automaton that no network can be compared with."""
    got = type(automaton).__name__
    if isinstance(automaton, WFSA):
        got += f" over the {automaton.semiring.name} semiring"
    elif isinstance(automaton, (str, PathLike)):
        got += f"; pass ratproof.read({shorten(str(automaton))})"
    return InputError(f"{where}: must be a DFA, a boolean WFSA or a Moore machine, got {got}")


def _over(dfa: DFA, alphabet: tuple[str, ...], where: str) -> DFA:
    """Return the DFA with its symbols in the network's order; error messages begin with ``where``."""
    try:
        return dfa.over(alphabet, "the network")
    except InputError as error:
        raise error.about(where) from None
