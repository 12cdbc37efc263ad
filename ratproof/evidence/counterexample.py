"""Counterexamples: strings that a network and an automaton score differently."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from automata.aliases import JsonObject
from automata.text.printable_text import printable, write_string


@dataclass(frozen=True)
class Counterexample:
    """A string that a network and an automaton score differently.

    Attributes:
        claim, variant: Names of the refuted claim and variant.
        comparison: The comparison as JSON, which ``ratproof replay`` runs again.
        weights: The network's weights, as readable text.
        string: The shortest prefix on which the scores differ.
        unit: Index of the network's unit whose scores differ.
        network, automaton: Both scores, as text.
        bound: The largest difference that rounding could explain, as text; ``"0"`` in exact arithmetic.
    """

    claim: str
    variant: str
    comparison: JsonObject
    weights: str
    string: list[str]
    unit: int
    network: str
    automaton: str
    bound: str

    def sentence(self) -> str:
        """Return one line with the string, the scores and the weights, without unprintable characters."""
        slack = "" if self.bound == "0" else f" (rounding explains at most {self.bound})"
        scores = f"the network gives {self.network}, the automaton {self.automaton}{slack}; {self.weights}"
        return f"on {write_string(self.string)} {printable(scores)}"

    @property
    def simplicity(self) -> tuple[int, int]:
        """Return a sort key, so that counterexamples with short strings and simple weights come first."""
        return len(self.string), len(self.weights)

    def to_json(self) -> JsonObject:
        """Return the counterexample as a JSON object."""
        return dict(self.__dict__)


class ScriptedCounterexample(ABC):
    """A wrong result of a kernel or of a model, which a Python program reproduces.

    Attributes:
        claim, variant: Names of the refuted claim and variant.
    """

    claim: str
    variant: str

    @abstractmethod
    def sentence(self) -> str:
        """Return one line with the case, the position and both values."""

    @abstractmethod
    def in_short(self, unequal: str) -> str:
        """Return the position and both values on one line, with the sign ``unequal`` between the values."""

    @property
    @abstractmethod
    def simplicity(self) -> tuple[int, ...]:
        """Return a sort key, so that counterexamples with small sizes come first."""

    @abstractmethod
    def to_json(self) -> JsonObject:
        """Return the counterexample as a JSON object."""

    @abstractmethod
    def program(self, file: str) -> str:
        """Return a program that reproduces the difference, or an empty string if there is none.

        Args:
            file: The path of the file with the claim; empty if there is none.
        """


AnyCounterexample = Counterexample | ScriptedCounterexample


class Refutation(AssertionError):
    """An error that shows that a variant is false; no other error counts as a refutation."""


class Disagreement(Refutation):
    """Raised if two computations differ on a string; the error contains the counterexample.

    :func:`ratproof.ladder.rungs.agreement.agree` raises it.
    """

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(counterexample.sentence())
        self.counterexample = counterexample


class NoSuchAutomaton(Refutation):
    """Raised if no automaton of a given size computes a unit; no single string shows this."""


class FalseStatement(Refutation):
    """Raised if an assertion in a check of a claim is false; the message contains the assertion's line."""


class RefutedByTheorem(Refutation):
    """Raised if a theorem that Coq's kernel accepts refutes a variant."""
