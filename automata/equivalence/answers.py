"""The results of a decision: equivalent, different or unknown, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from automata.aliases import JsonObject, Symbols, Weight
from automata.drawing import small_svg
from automata.equivalence.certificates import Certificate
from automata.errors import LimitReached
from automata.text.html_text import html_fragment
from automata.text.number_text import write_number
from automata.text.printable_text import write_string
from automata.truth import NoTruthValue

if TYPE_CHECKING:
    from automata.wfsa import WFSA

Verdict = Literal["equivalent", "different", "unknown"]


class _Result(NoTruthValue):
    """A result that a notebook displays, with drawings of its automata if they are small."""

    ask: ClassVar[str] = ".verdict or .check()"

    def check(self: Any) -> None:
        """Raise AssertionError with the result unless the automata are equivalent.

        Call it in a test: ``equivalent(a, b).check()``.
        """
        __tracebackhide__ = True
        if self.verdict != "equivalent":
            raise AssertionError(self.to_text("A", "B"))

    def _repr_html_(self: Any) -> str:
        drawings = {name: small_svg(one) for name, one in self.automata().items()}
        return html_fragment(self.to_text("A", "B"), drawings)

    def automata(self: Any) -> dict[str, WFSA]:
        """Return the two automata of the certificate, A and B; empty if there is no certificate."""
        about = getattr(self.certificate, "link", self.certificate)
        return {} if about is None else {"A": about.a, "B": about.b}


@dataclass(frozen=True)
class Equivalent(_Result):
    """The two automata give every string the same score.

    Results are equal if ``how`` is; their certificates are not compared.

    Attributes:
        how: a description of the method that decided the equivalence.
        certificate: the proof, for an independent checker; ``None`` if the method does not produce one.
        figures: sizes, times and methods of a decision about large automata, keyed by name; otherwise empty.
    """

    how: str
    certificate: Certificate | None = field(default=None, repr=False, compare=False)
    figures: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    verdict: ClassVar[Verdict] = "equivalent"
    word: ClassVar[None] = None
    scores: ClassVar[None] = None

    def to_json(self) -> JsonObject:
        """Return the JSON object that ``equivalent --json`` prints."""
        return _fields(self) | {"why": self.how}

    def to_text(self, a: str, b: str) -> str:
        """Return the result as a sentence about automata named ``a`` and ``b``."""
        return f"equivalent: every string has the same score in {a} and {b} ({self.how})"


@dataclass(frozen=True)
class Different(_Result):
    """The shortlex-least string that two automata score differently, in the order of the first alphabet.

    For large automata the string is the least one with high probability (see ``doubt``).

    Attributes:
        word: The symbols of the string.
        scores: The exact scores of the first and the second automaton; float logarithms as exact fractions.
        certificate: The automata, the word and the scores.
        figures: Sizes, times and methods of a decision about large automata, keyed by name; otherwise empty.
        doubt: The binary logarithm of a bound on the probability that the scores of a smaller string differ;
            ``None`` if it is proved that the scores of all smaller strings are equal.
        tolerance: The tolerance of the comparison. The difference of the scores exceeds it.
    """

    word: Symbols
    scores: tuple[Weight, Weight]
    certificate: Certificate | None = field(default=None, repr=False)
    figures: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    doubt: float | None = field(default=None, repr=False)
    tolerance: Weight = field(default=0, repr=False)
    verdict: ClassVar[Verdict] = "different"

    def to_json(self) -> JsonObject:
        """Return the JSON object that ``equivalent --json`` prints."""
        scores = [_written(score) for score in self.scores]
        return _fields(self) | {"word": list(self.word), "scores": scores, "least": self.doubt is None}

    def to_text(self, a: str, b: str) -> str:
        """Return the result as a sentence about automata named ``a`` and ``b``."""
        x, y = map(_written, self.scores)
        if self.doubt is not None:
            chance = f"with a probability of less than 2^-{int(-self.doubt)}"
            least = f"an earlier string in shortlex order may differ, {chance}"
        elif self.tolerance:
            least = f"no earlier string in shortlex order differs by more than {_written(self.tolerance)}"
        else:
            least = "no earlier string in shortlex order differs"
        return f"different: on {write_string(list(self.word))} {a} gives {x} and {b} gives {y}; {least}"


@dataclass(frozen=True)
class Unknown(_Result):
    """Neither a string that distinguishes the automata nor a proof of equivalence was found.

    Attributes:
        why: the reason, in one sentence.
        searched: a length up to which all strings have the same scores; ``None`` if no such length is known.
        figures: sizes, times and methods of a decision about large automata, keyed by name; otherwise empty.
    """

    why: str
    searched: int | None = None
    figures: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    verdict: ClassVar[Verdict] = "unknown"
    word: ClassVar[None] = None
    scores: ClassVar[None] = None
    certificate: ClassVar[None] = None

    def to_json(self) -> JsonObject:
        """Return the JSON object that ``equivalent --json`` prints."""
        return _fields(self) | {"why": self.why, "searched": self.searched}

    def to_text(self, a: str, b: str) -> str:
        """Return the result as a sentence about automata named ``a`` and ``b``."""
        return f"unknown: {self.why}"


Answer = Equivalent | Different | Unknown


def _fields(answer: Answer) -> JsonObject:
    none = dict.fromkeys(("word", "scores", "why", "searched", "least"))
    return {"verdict": answer.verdict, **none, "figures": dict(answer.figures)}


def _written(score: Weight) -> str:
    """Return the exact text of a score: ``true``, ``false`` or a number."""
    return str(score).lower() if isinstance(score, bool) else write_number(score)


Method = Callable[[], Answer | None]


def first_answer(methods: Iterable[Method]) -> Answer:
    """Return the result of the first method that decides.

    If no method decides, return the ``Unknown`` with the largest ``searched``, and add the limits to its
    reason.
    """
    unknown: Unknown | None = None
    limits: list[str] = []
    for method in methods:
        try:
            answer = method()
        except LimitReached as limit:
            limits.append(str(limit))
            continue
        if answer is not None and not isinstance(answer, Unknown):
            return answer
        if answer is not None and (unknown is None or _searched(answer) >= _searched(unknown)):
            unknown = answer
    reached = f"a limit was reached: {'; '.join(dict.fromkeys(limits))}"
    if unknown is None:
        return Unknown(reached)
    return replace(unknown, why=f"{unknown.why}; {reached}") if limits else unknown


def _searched(unknown: Unknown) -> int:
    return -1 if unknown.searched is None else unknown.searched
