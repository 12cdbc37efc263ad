"""The Python counterpart of ``ratproof certify``."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.truth import NoTruthValue
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import load
from ratproof.certification.counters.certify import (
    HEIGHT,
    LENGTH,
    SATURATED_HEIGHT,
    CounterCertification,
    certify_counter,
)
from ratproof.certification.counters.numbers import counts
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.certify import certify as decide
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.html.certification_page import certification_page
from ratproof.html.page import fragment
from ratproof.report import counters as counter_report
from ratproof.report.certification import as_json_object, sentences


@dataclass(frozen=True)
class CertificationReport(NoTruthValue):
    """A proof, or a counterexample, that a soft network follows its hard automaton on all strings.

    For a network with a cell state, the report says instead whether it decides balanced parentheses.

    Attributes:
        verdict: ``"certified"``, ``"different"`` or ``"unknown"``.
        word: A string on which the two networks differ, or on which a counter is wrong, or None.
        answer: The full result: boxes and automata, or the results for a network that counts.
    """

    ask: ClassVar[str] = ".verdict or .check()"

    verdict: str
    word: tuple[Any, ...] | None
    answer: Certification | CounterCertification = field(repr=False)

    def __str__(self) -> str:
        answer = self.answer
        if isinstance(answer, CounterCertification):
            return "\n".join(counter_report.sentences(answer))
        return "\n".join(sentences(answer))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        name = "certify"
        return fragment(certification_page(self.verdict, name, str(self).splitlines(), self.answer, ""))

    def certificate(self) -> JsonObject:
        """Return the certificate for ``check-certificate``; raise ValueError if nothing is proved."""
        return dict(self.answer.certificate())

    def check(self) -> None:
        """Raise AssertionError with the answer unless the network is certified."""
        __tracebackhide__ = True
        if self.verdict != "certified":
            raise AssertionError(str(self))

    def to_json(self) -> JsonObject:
        """Return the object that the command prints with ``--json``."""
        answer = self.answer
        if isinstance(answer, CounterCertification):
            return counter_report.as_json_object(answer, None)
        return as_json_object(answer, None)


def certify(
    checkpoint: str | Path,
    temperature: float | None = None,
    height: int = HEIGHT,
    length: int = LENGTH,
    saturated_height: int = SATURATED_HEIGHT,
) -> CertificationReport:
    """Prove that a soft network follows its automaton on all strings.

    For a network with a cell state, prove instead that it decides balanced parentheses.

    Args:
        checkpoint: Path of a saved acceptor (``.safetensors``).
        temperature: Positive temperature of the soft network. Defaults to the network's own.
        height: Maximum height of the strings on which a soft network with a cell state is certified.
        length: Maximum length of these strings.
        saturated_height: Maximum height of the strings on which the network with saturated gates is
            certified. Their length is not limited.

    Raises:
        InputError: If the file is not a network that can be certified, or an argument is invalid.
    """
    if temperature is not None and not (isinstance(temperature, Real) and 0 < temperature < math.inf):
        raise InputError(f"temperature must be positive, got {temperature!r:.60}")
    for name, value in (("height", height), ("length", length), ("saturated_height", saturated_height)):
        if not isinstance(value, Integral) or value < 0:
            raise InputError(f"{name} must be a non-negative integer, got {value!r:.60}")
    network, _ = load(str(checkpoint))
    answer: Certification | CounterCertification
    try:
        if counts(network):
            answer = certify_counter(network, temperature, height, length, saturated_height)
        else:
            answer = _certify_automaton(network, temperature)
    except InputError as error:
        raise error.about(str(checkpoint)) from None
    word = None if answer.word is None else tuple(answer.word)
    return CertificationReport(answer.verdict, word, answer)


def _certify_automaton(network: Acceptor, temperature: float | None) -> Certification:
    numbers = numbers_of(network, temperature)
    return decide(network, numbers.temperature)
