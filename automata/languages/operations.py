"""Complement and difference of languages, by the subset construction."""

from __future__ import annotations

from dataclasses import replace

from automata.dfa import DFA
from automata.errors import InputError
from automata.operations import hadamard, trim
from automata.wfsa import WFSA


def complement(automaton: WFSA) -> WFSA:
    """Return the trim deterministic automaton of the strings over the alphabet that ``automaton`` rejects.

    Raises InputError if the automaton is not boolean.

    >>> from automata.semirings import BOOLEAN
    >>> complement(WFSA(BOOLEAN, [True], [True], {"a": [[True]], "b": [[False]]}))
    <WFSA: 2 states, 2 symbols, boolean semiring, exact>
    """
    _require_boolean(automaton, "complement")
    dfa = DFA.from_wfsa(automaton)
    return trim(replace(dfa, final=frozenset(range(dfa.states)) - dfa.final).to_wfsa())


def difference(left: WFSA, right: WFSA) -> WFSA:
    """Return the automaton of the strings that ``left`` accepts and ``right`` does not.

    Its alphabet is the union of both alphabets.

    Raises InputError if one of the automata is not boolean.
    """
    for automaton in (left, right):
        _require_boolean(automaton, "difference")
    return trim(hadamard(left, complement(right.over(dict.fromkeys([*right.alphabet, *left.alphabet])))))


def _require_boolean(automaton: WFSA, operation: str) -> None:
    if not automaton.semiring.is_boolean:
        raise InputError(
            f"{operation} expects boolean automata, got one over the {automaton.semiring.name} semiring"
        )
