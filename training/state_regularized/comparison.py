"""The automata of a trained network beside the language that it was to learn: decided, not sampled."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from automata.dfa import DFA
from automata.moore import Moore
from ratproof.certification.soft_networks.certify import Certification, accepting
from training.state_regularized.languages import RegularLanguage


@dataclass(frozen=True)
class MethodComparison:
    """An automaton beside the language's.

    Attributes:
        states: of the least DFA.
        automaton_states: of the automaton itself, before it is minimised.
        difference: the shortlex-least string on which they differ, ``None``: they accept the same strings.
    """

    states: int
    automaton_states: int
    difference: list[str] | None

    @classmethod
    def of(
        cls, machine: Moore | None, automaton: DFA | None, language: RegularLanguage
    ) -> MethodComparison | None:
        """Return the comparison of a machine and the DFA of what it accepts; ``None`` if there is none."""
        if machine is None or automaton is None:
            return None
        word = automaton.shortest_difference(language.dfa)
        return cls(automaton.minimal().states, machine.states, None if word is None else list(word))


def compared(answer: Certification, language: RegularLanguage) -> dict[str, Any]:
    """What a result says of a certified network.

    Returns:
        ``hard``, the automaton for temperature -> 0, compared (``None`` where strings come to a tie), and
        ``exact``: is its language the one to be learned; ``soft``, the automaton that the soft network
        follows at its own temperature, proved (``None`` where no boxes are proved to close), and
        ``accepts_exactly``: is it proved that the soft network accepts exactly the language, on all strings;
        ``certified``: does the soft network follow its hard automaton on all strings (``certified``,
        ``different`` or ``unknown``); ``boxes``: how many were proved to close.
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
