"""The Python counterparts of ``ratproof certify`` and ``ratproof train dfa --certify``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from os import PathLike
from typing import ClassVar

import torch
from torch import Tensor, nn

from automata.aliases import JsonObject, Symbol
from automata.checks import checked_integer
from automata.dfa import DFA
from automata.errors import InputError
from automata.moore import Moore
from automata.truth import NoTruthValue
from automata.wfsa import WFSA
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import load
from ratproof.api.machines import machine_of, wrong_type
from ratproof.certification.counters.certify import (
    HEIGHT,
    LENGTH,
    SATURATED_HEIGHT,
    CounterCertification,
    certify_counter,
)
from ratproof.certification.counters.numbers import counts
from ratproof.certification.ordinary_networks.certify import (
    SECONDS,
    OrdinaryCertification,
    certify_ordinary,
    harden_until_certified,
)
from ratproof.certification.ordinary_networks.counterexamples import float32_decisions
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.recognise import Recognised, network_of_module
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.certify import certify as decide
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.html.certification_page import certification_page
from ratproof.html.page import fragment
from ratproof.report import counters as counter_report
from ratproof.report import ordinary
from ratproof.report.certification import as_json_object, sentences


@dataclass(frozen=True)
class CertificationReport(NoTruthValue):
    """A proof that a trained network follows an automaton on all strings, or a counterexample.

    For a saved network with a cell state, the report says instead whether the network decides balanced
    parentheses. Reports are equal if ``verdict`` and ``word`` are.

    Attributes:
        verdict: ``"certified"``, ``"different"`` or ``"unknown"``.
        word: A string on which the network and the automaton differ, or on which a network that counts
            decides wrongly; None if there is no such string.
        answer: The full result. It has the automata, and the regions or boxes of the proof, or the results
            for a network that counts.
    """

    ask: ClassVar[str] = ".verdict or .check()"

    verdict: str
    word: tuple[Symbol, ...] | None
    answer: Certification | CounterCertification | OrdinaryCertification = field(repr=False, compare=False)

    def __str__(self) -> str:
        answer = self.answer
        if isinstance(answer, CounterCertification):
            return "\n".join(counter_report.sentences(answer))
        if isinstance(answer, OrdinaryCertification):
            return "\n".join(ordinary.sentences(answer))
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
        """Raise AssertionError with the result unless the network is certified."""
        __tracebackhide__ = True
        if self.verdict != "certified":
            raise AssertionError(str(self))

    def to_json(self) -> JsonObject:
        """Return the object that the command prints with ``--json``."""
        answer = self.answer
        if isinstance(answer, CounterCertification):
            return counter_report.as_json_object(answer, None)
        if isinstance(answer, OrdinaryCertification):
            return ordinary.as_json_object(answer, None)
        return as_json_object(answer, None, None)


def certify(
    network: str | PathLike[str] | nn.Module,
    automaton: DFA | WFSA | Moore | float | None = None,
    *,
    embeddings: Tensor | str | None = None,
    alphabet: Sequence[str] | None = None,
    threshold: float = 0.0,
    seconds: float = SECONDS,
    temperature: float | None = None,
    height: int = HEIGHT,
    length: int = LENGTH,
    saturated_height: int = SATURATED_HEIGHT,
) -> CertificationReport:
    """Prove that a trained network follows an automaton on all strings, or find a string where it does not.

    A module with an ``nn.RNN``, ``nn.GRU`` or ``nn.LSTM`` and a linear classifier is compared with
    ``automaton``, or with an automaton that is extracted from it. A file of a state-regularized network is
    compared with its own hard automaton. For a file of a network with a cell state, the proof is that it
    decides balanced parentheses.

    >>> import torch
    >>> from automata.dfa import DFA
    >>> rnn, linear = torch.nn.RNN(1, 1), torch.nn.Linear(1, 1)
    >>> with torch.no_grad():
    ...     for parameter in (*rnn.parameters(), *linear.parameters()):
    ...         _ = parameter.fill_(1.0)
    >>> from ratproof import classifier
    >>> every = DFA(("a",), 0, ((0,),), frozenset({0}))
    >>> certify(classifier(rnn, linear), every, embeddings="one-hot", alphabet="a").verdict
    'certified'

    Args:
        network: A module, or the path of a saved acceptor (``.safetensors``).
        automaton: For a module, a DFA, a boolean WFSA, or a Moore machine whose outputs are the classes. A
            DFA accepts a string if the module's single output exceeds the threshold, or if the second of its
            two outputs is larger. By default, an automaton is extracted. For a path, this argument may be the
            temperature, a number.
        embeddings: For a module, the input of each symbol, in shape ``(symbols, input_size)``, or
            ``"one-hot"``. For a module with its own ``nn.Embedding``, the indices of the symbols, in shape
            ``(symbols,)``.
        alphabet: The symbols of a module, in the order of ``embeddings``. Defaults to the automaton's.
        threshold: The value that a single logit must exceed for an accepted string. If the module ends with a
            sigmoid, the threshold 0 corresponds to a probability of 1/2.
        seconds: Time limit of the search for a proof about a module.
        temperature: Positive temperature of a state-regularized network. Defaults to the network's own.
        height: Maximum height of the strings on which a soft network with a cell state is certified.
        length: Maximum length of the strings on which a soft network with a cell state is certified.
        saturated_height: Maximum height of the strings on which a network with saturated gates is certified.
            The length of these strings is not limited.

    Raises:
        InputError: If the network cannot be certified, or an argument is invalid.
    """
    if isinstance(network, nn.Module):
        parts = recognised(network, automaton, embeddings, alphabet, threshold)
        expected = None if automaton is None else expected_machine(automaton, parts.network)
        _require_seconds(seconds)
        decide = float32_decisions(parts.network, parts.rnn, parts.linear)
        return report_of(certify_ordinary(parts.network, expected, decide, seconds))
    if not isinstance(network, (str, PathLike)):
        raise InputError(f"network must be a module or the path of a file, got {network!r:.60}")
    if isinstance(automaton, (int, float)) and not isinstance(automaton, bool):
        temperature, automaton = automaton, None
    if automaton is not None:
        raise InputError(
            f"temperature must be positive, got {automaton!r:.60}"
            if isinstance(automaton, (str, bool))
            else "automaton must be None for a file, which is certified against its own automaton; pass a"
            " module to compare it with another one"
        )
    if temperature is not None and not (isinstance(temperature, Real) and 0 < temperature < math.inf):
        raise InputError(f"temperature must be positive, got {temperature!r:.60}")
    for name, value in (("height", height), ("length", length), ("saturated_height", saturated_height)):
        if not isinstance(value, Integral) or value < 0:
            raise InputError(f"{name} must be a non-negative integer, got {value!r:.60}")
    checkpoint = str(network)
    acceptor, _ = load(checkpoint)
    answer: Certification | CounterCertification
    try:
        if counts(acceptor):
            answer = certify_counter(acceptor, temperature, height, length, saturated_height)
        else:
            answer = _certify_automaton(acceptor, temperature)
    except InputError as error:
        raise error.about(checkpoint) from None
    return report_of(answer)


def harden(
    module: nn.Module,
    automaton: DFA | WFSA | Moore,
    *,
    embeddings: Tensor | str | None = None,
    alphabet: Sequence[str] | None = None,
    threshold: float = 0.0,
    seconds: float = 600.0,
    seed: int = 0,
    progress: Callable[[str], None] = lambda _: None,
) -> CertificationReport:
    """Fine-tune a module until it can be certified, and return the last report.

    The recurrent layer and the classifier are changed in place. Training uses noise on the hidden state, a
    margin, and a penalty if distances between hidden states do not shrink. If there are symbols that the
    automaton does not distinguish, they learn similar inputs; only then the module's own ``nn.Embedding`` is
    changed. Parameters with ``requires_grad=False`` remain unchanged. After each round, certification is
    tried, and its counterexamples become training strings.

    Args:
        module: As for :func:`certify`. It may be untrained.
        automaton: As for :func:`certify`.
        embeddings: As for :func:`certify`.
        alphabet: As for :func:`certify`.
        threshold: As for :func:`certify`.
        seconds: Time limit.
        seed: Seed of the strings and of the noise. The state of torch's generator is restored.
        progress: Called with a description of the current work.

    Raises:
        InputError: If the module is not supported, or an argument is invalid.
    """
    _require_seconds(seconds)
    seed = checked_integer("seed", seed, least=0)
    with torch.random.fork_rng(), torch.inference_mode(False), torch.enable_grad():
        parts = recognised(module, automaton, embeddings, alphabet, threshold)
        machine = expected_machine(automaton, parts.network)
        parameters = [*parts.rnn.parameters(), *parts.linear.parameters()]
        if not any(parameter.requires_grad for parameter in parameters):
            raise InputError(
                "module: the recurrent layer or the classifier must have a parameter with requires_grad=True"
            )
        if any(parameter.is_inference() for parameter in module.parameters()):
            raise InputError("module: the parameters must not be created in torch.inference_mode()")
        torch.manual_seed(seed)
        answer = harden_until_certified(parts, machine, seconds, seed, progress)
    for parameter in module.parameters():
        parameter.grad = None
    return report_of(answer)


def _require_seconds(seconds: float) -> None:
    if not (isinstance(seconds, Real) and 0 < seconds < math.inf):
        raise InputError(f"seconds must be positive, got {seconds!r:.60}")


def recognised(
    module: nn.Module,
    automaton: object,
    embeddings: Tensor | str | None,
    alphabet: Sequence[str] | None,
    threshold: float,
) -> Recognised:
    """Return the network in a module, with its recurrent layer and its classifier.

    ``alphabet`` defaults to the automaton's symbols.
    """
    if alphabet is None:
        if automaton is None:
            raise InputError("alphabet must have the network's symbols if no automaton is passed, got None")
        if not isinstance(automaton, (DFA, WFSA, Moore)):
            raise wrong_type(automaton)
        alphabet = [str(symbol) for symbol in automaton.alphabet]
    return network_of_module(module, embeddings=embeddings, alphabet=alphabet, threshold=threshold)


def expected_machine(automaton: object, network: OrdinaryNetwork) -> Moore:
    """Return the expected automaton as a Moore machine over the network's alphabet.

    The outputs of the Moore machine are decisions of the network.
    """
    return machine_of(automaton, tuple(str(s) for s in network.alphabet), network.decisions)


def report_of(answer: Certification | CounterCertification | OrdinaryCertification) -> CertificationReport:
    """Return the report on the result of a certification."""
    word = None if answer.word is None else tuple(answer.word)
    return CertificationReport(answer.verdict, word, answer)


def _certify_automaton(network: Acceptor, temperature: float | None) -> Certification:
    numbers = numbers_of(network, temperature)
    return decide(network, numbers.temperature)
