"""``certify`` as a function."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from automata.errors import InputError
from neural.state_regularized.files import load
from ratproof.papers.certification.certify import Certification
from ratproof.papers.certification.certify import certify as decide
from ratproof.papers.certification.numbers import numbers_of
from ratproof.report.certification import as_json_object, sentences


@dataclass(frozen=True)
class CertificationReport:
    """Whether a soft network follows its hard automaton on all strings.

    Attributes:
        verdict: ``"certified"``, ``"different"`` or ``"unknown"``.
        word: a string on which they differ.
        answer: the boxes, and the automata.
    """

    verdict: str
    word: tuple[Any, ...] | None
    answer: Certification = field(repr=False)

    def __str__(self) -> str:
        return "\n".join(sentences(self.answer))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def certificate(self) -> dict[str, Any]:
        """What shows it, as ``check-certificate`` reads it; ``ValueError`` where nothing is proved."""
        return dict(self.answer.certificate())

    def to_json(self) -> dict[str, Any]:
        """The object that the command prints with ``--json``."""
        return as_json_object(self.answer, None)


def certify(checkpoint: str | Path, temperature: float | None = None) -> CertificationReport:
    """Prove that a soft network follows its automaton on all strings.

    Args:
        checkpoint: a state-regularized network (``.safetensors``).
        temperature: tau > 0; the network's own without.

    Raises :class:`~automata.errors.InputError`: there is no such network, or the temperature is none.
    """
    if temperature is not None and not 0 < temperature < math.inf:
        raise InputError(f"temperature is {temperature}, where a positive number is right")
    network, _ = load(str(checkpoint))
    try:
        numbers = numbers_of(network, temperature)
    except InputError as error:
        raise error.about(str(checkpoint)) from None
    answer = decide(network, numbers.temperature)
    word = None if answer.word is None else tuple(answer.word)
    return CertificationReport(answer.verdict, word, answer)
