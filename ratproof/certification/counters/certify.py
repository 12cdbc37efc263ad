"""Certification that a network with a cell state accepts exactly the strings of balanced parentheses.

The result has two theorems, or a string on which the network is wrong.

- Soft: on all strings up to a height and a length, the network accepts exactly the balanced strings.
- Saturated: with gates that are 0 or 1, the same holds for strings of any length, up to a height.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from automata.aliases import JsonObject, Symbols
from automata.errors import InputError
from automata.truth import NoTruthValue
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.counters import certificate
from ratproof.certification.counters.boxes import Boxes, close
from ratproof.certification.counters.exploration import explore
from ratproof.certification.counters.numbers import CounterNumbers, numbers_of
from ratproof.certification.counters.proof import prove
from ratproof.certification.counters.reading import CellReading, read, with_proof
from ratproof.certification.counters.search import Tokens, wrong_string

HEIGHT, LENGTH, SATURATED_HEIGHT = 20, 1000, 50
TOLERANCES = (8.0, 4.0, 2.0, 1.0, 0.5)
"""Tolerances of :func:`explore`, from large to small; a smaller tolerance results in more nodes."""


@dataclass(frozen=True)
class CounterTheorem:
    """One of the two theorems about a network: for soft or for saturated gates.

    Attributes:
        height, length: The maximum height and length of the strings. With saturated gates, ``length`` is
            ``None``, which means any length.
        boxes: The proved boxes, or ``None``.
        why: The reason why nothing was proved, as a sentence; empty if the theorem was proved.
        word: A string on which a network with saturated gates is wrong, as proved in ball arithmetic, or
            ``None``.
    """

    height: int
    length: int | None
    boxes: Boxes | None
    why: str
    word: Symbols | None = None


@dataclass(frozen=True)
class CounterCertification(NoTruthValue):
    """The certification of one network.

    Attributes:
        numbers: The network.
        soft, saturated: The theorems.
        word: A string on which the soft network is wrong, as proved in ball arithmetic, or ``None``. It is
            within the limits of the soft theorem.
        reading: The interpretation of the cell.
    """

    numbers: CounterNumbers
    soft: CounterTheorem
    saturated: CounterTheorem
    word: Symbols | None
    reading: CellReading = field(repr=False)

    @property
    def verdict(self) -> str:
        """Return ``"certified"``, ``"different"`` if there is a wrong string, or ``"unknown"``."""
        if self.word is not None:
            return "different"
        return "certified" if all(t.boxes is not None for t in (self.soft, self.saturated)) else "unknown"

    @property
    def proved(self) -> list[CounterTheorem]:
        """Return the theorems that were proved."""
        return [theorem for theorem in (self.soft, self.saturated) if theorem.boxes is not None]

    def certificate(self) -> JsonObject:
        """Return the certificate of the proved theorems, for ``ratproof/checkers/check_counter.py``.

        Raises:
            InputError: If nothing is proved.
        """
        if not self.proved:
            raise InputError("there is no certificate because neither theorem was proved")
        return certificate.to_json(
            self.numbers, [(t.boxes, t.height, t.length) for t in self.proved if t.boxes is not None]
        )


def certify_counter(
    network: Acceptor,
    temperature: float | Fraction | None = None,
    height: int = HEIGHT,
    length: int = LENGTH,
    saturated_height: int = SATURATED_HEIGHT,
    progress: Callable[[int, int], None] = lambda done, of: None,
    stage: Callable[[str], None] = lambda what: None,
) -> CounterCertification:
    """Prove both theorems, or look for a string on which the network is wrong.

    Args:
        network: A network of one layer with a cell state, over an alphabet with ``(`` and ``)``.
        temperature: tau, for a network with centroids. Defaults to its own temperature.
        height: Maximum height of strings for the soft network.
        length: Maximum length of strings for the soft network.
        saturated_height: Maximum height of strings for saturated gates.
        progress: Called with the number of proved nodes and the total number.
        stage: Called with a description of each earlier stage.

    Raises:
        InputError: If the network is of a different kind.
    """
    numbers = numbers_of(network, temperature)
    stage("reading the cell")
    reading = read(numbers, height, min(length, LENGTH))
    soft = _theorem(numbers, height, length, progress, stage)
    word = None
    if soft.boxes is None:
        stage("searching for a string on which it is wrong")
        word = wrong_string(numbers, height, length, stage)
    else:
        reading = with_proof(reading, soft.boxes)
    saturated = _theorem(numbers, saturated_height, None, progress, stage)
    if saturated.boxes is None:
        stage("saturated gates: searching for a string on which they are wrong")
        saturated_word = wrong_string(numbers, saturated_height, length, stage, saturated=True)
        saturated = replace(saturated, word=_symbols(numbers, saturated_word))
    return CounterCertification(numbers, soft, saturated, _symbols(numbers, word), reading)


def _symbols(numbers: CounterNumbers, tokens: Tokens | None) -> Symbols | None:
    return None if tokens is None else tuple(numbers.alphabet[token] for token in tokens)


def _theorem(
    numbers: CounterNumbers,
    height: int,
    length: int | None,
    progress: Callable[[int, int], None],
    stage: Callable[[str], None],
) -> CounterTheorem:
    """Try to prove a theorem with more nodes in each attempt, until the boxes of an attempt are proved."""
    gates, why = "saturated" if length is None else "soft", ""
    for tolerance in TOLERANCES:
        stage(f"{gates} gates: searching for nodes")
        explored = explore(numbers, height, tolerance, length is None)
        if explored is None:
            return CounterTheorem(height, length, None, why or "there are too many nodes")
        if explored.wrong is not None:
            word = " ".join(str(numbers.alphabet[token]) for token in explored.wrong)
            return CounterTheorem(
                height, length, None, f"in float arithmetic the decision on {word!r} is wrong"
            )
        stage(f"{gates} gates: boxes around {len(explored.classes)} nodes")
        boxes = close(numbers, explored, length)
        if isinstance(boxes, str):
            why = boxes
            continue
        gap = prove(numbers, boxes, length, progress)
        if gap is None:
            return CounterTheorem(height, length, boxes, "")
        why = gap
    return CounterTheorem(height, length, None, why)
