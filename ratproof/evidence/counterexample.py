"""A counterexample: a network and an automaton that score a string differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from automata.text.printable_text import printable, write_string


@dataclass(frozen=True)
class Counterexample:
    """Where two sides part.

    Attributes:
        claim, variant: what is refuted.
        comparison: how the two sides were computed, as JSON: what ``ratproof replay`` runs again.
        weights: the case's weights as a person would write them.
        string: the shortest prefix on which they differ.
        unit: which of the d units.
        network, automaton: the two scores, as text.
        bound: the largest difference that rounding could explain, as text; ``"0"`` where all is exact.
    """

    claim: str
    variant: str
    comparison: dict[str, Any]
    weights: str
    string: list[str]
    unit: int
    network: str
    automaton: str
    bound: str

    def sentence(self) -> str:
        """One line: string, scores and weights, with nothing in it that a terminal would not print."""
        slack = "" if self.bound == "0" else f" (rounding explains at most {self.bound})"
        scores = f"the network gives {self.network}, the automaton {self.automaton}{slack}; {self.weights}"
        return f"on {write_string(self.string)} {printable(scores)}"

    @property
    def simplicity(self) -> tuple[int, int]:
        """What to sort by: the length of the string, then of the weights as written."""
        return len(self.string), len(self.weights)

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return dict(self.__dict__)


class Refutation(AssertionError):
    """A variant is false, and what is raised says why. Nothing else counts as a refutation."""


class Disagreement(Refutation):
    """Two sides differ on a string: :func:`ratproof.ladder.rungs.agreement.agree` raises it with the
    counterexample.
    """

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(counterexample.sentence())
        self.counterexample = counterexample


class NoSuchAutomaton(Refutation):
    """No automaton with so few states computes the unit; there is no single string that shows it."""


class FalseStatement(Refutation):
    """An assertion of a test that is evidence for a claim is false; the message is its line."""


class RefutedByTheorem(Refutation):
    """A theorem that Coq's kernel accepts says that the variant is false."""
