"""Exact comparison of a trained network's automata with the language to learn."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from automata.dfa import DFA
from automata.moore import Moore
from ratproof.certification.soft_networks.certify import Certification, accepting
from training.state_regularized.languages import RegularLanguage


@dataclass(frozen=True)
class MethodComparison:
    """The result of comparing an automaton with the language.

    Attributes:
        states: the number of states of the minimal DFA.
        automaton_states: the number of states of the automaton before it is minimised.
        difference: the shortlex-least string on which automaton and language differ, or ``None``.
    """

    states: int
    automaton_states: int
    difference: list[str] | None

    @classmethod
    def of(
        cls, machine: Moore | None, automaton: DFA | None, language: RegularLanguage
    ) -> MethodComparison | None:
        """Compare a Moore machine's automaton with the language; return ``None`` if there is no machine."""
        if machine is None or automaton is None:
            return None
        word = automaton.shortest_difference(language.dfa)
        return cls(automaton.minimal().states, machine.states, None if word is None else list(word))


def compared(answer: Certification, language: RegularLanguage) -> dict[str, Any]:
    """Return the part of a result that compares a certified network's automata with the language.

    Returns:
        An object with these fields:

        - ``hard``: the comparison of the automaton for temperature -> 0; ``None`` if a
          string leads to a tie.
        - ``exact``: whether the language of this automaton is the language to learn.
        - ``soft``: the comparison of the automaton that the soft network provably follows at its own
          temperature; ``None`` if no set of boxes is proved to be closed under the network's steps.
        - ``accepts_exactly``: whether the soft network provably accepts exactly the language.
        - ``certified``: whether the soft network follows its hard automaton on all strings (``certified``,
          ``different`` or ``unknown``).
        - ``boxes``: the number of boxes that are proved to be closed.
    """
    machine = answer.hard.machine()
    hard = MethodComparison.of(machine, None if machine is None else accepting(machine), language)
    soft = MethodComparison.of(answer.soft, answer.language, language)
    return {
        "hard": None if hard is None else asdict(hard),
        "soft": None if soft is None else asdict(soft),
        "certified": answer.verdict,
        "boxes": None if answer.nodes is None else len(answer.nodes),
        "exact": hard is not None and hard.difference is None,
        "accepts_exactly": soft is not None and soft.difference is None,
    }
