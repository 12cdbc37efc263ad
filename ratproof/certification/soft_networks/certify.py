"""Proofs that a soft network follows an automaton on strings of any length, at its temperature.

>>> from neural.state_regularized.acceptor import Acceptor
>>> import torch
>>> _ = torch.manual_seed(1)
>>> answer = certify(Acceptor(("0", "1"), hidden_size=4, k=3), temperature=0.001)
>>> answer.verdict
'certified'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from automata.aliases import Symbols
from automata.dfa import DFA
from automata.errors import InputError
from automata.moore import Moore
from automata.truth import NoTruthValue
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.soft_networks import certificate
from ratproof.certification.soft_networks.boxes import Nodes, OpenBoxes, attempts
from ratproof.certification.soft_networks.certificate import BoxesCertificate, soft_machine
from ratproof.certification.soft_networks.hard import HardAutomaton, hard_automaton, language
from ratproof.certification.soft_networks.numbers import Numbers, numbers_of
from ratproof.certification.soft_networks.proof import prove
from ratproof.certification.soft_networks.search import difference


@dataclass(frozen=True)
class Certification(NoTruthValue):
    """The certification of one network: proved boxes, a difference, or neither.

    Attributes:
        numbers: The network, at the requested temperature.
        hard: Its automaton for temperature -> 0.
        nodes: Proved closed boxes, or ``None``.
        word: A string on which the soft network and the automaton or DFA differ, or ``None``.
        why: A sentence that explains where the proof fails, if there are neither boxes nor a string.
    """

    numbers: Numbers
    hard: HardAutomaton
    nodes: Nodes | None
    word: Symbols | None
    why: str

    @property
    def verdict(self) -> str:
        """Return ``"certified"``, ``"different"`` or ``"unknown"``."""
        return (
            "different"
            if self.word is not None
            else "unknown"
            if self.why or self.nodes is None
            else "certified"
        )

    @cached_property
    def soft(self) -> Moore | None:
        """Return the minimal automaton that the soft network follows, if its boxes are proved.

        Its outputs are ``(label, accepts)``.
        """
        return None if self.nodes is None else soft_machine(self.numbers, self.nodes).minimal()

    @property
    def language(self) -> DFA | None:
        """Return the minimal DFA of the soft network's language, if its boxes are proved."""
        return None if self.soft is None else accepting(self.soft)

    def certificate(self) -> BoxesCertificate:
        """Return the certificate for ``ratproof/checkers/check_boxes.py``.

        It covers the soft network and its automaton.

        Raises:
            InputError: If no boxes are proved.
        """
        if self.nodes is None:
            raise InputError("there is no certificate because no boxes were proved")
        return certificate.to_json(self.numbers, self.nodes)

    def finer_nodes(self) -> Iterator[Nodes]:
        """Yield nodes with proved boxes, each time more of them; the first time as few as possible."""
        return (nodes for nodes in proved_nodes(self.numbers) if isinstance(nodes, Nodes))


def certify(
    network: Acceptor,
    temperature: float | Fraction | None = None,
    against: DFA | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    stage: Callable[[str], None] = lambda what: None,
) -> Certification:
    """Prove that the soft network (equation 5) follows its hard automaton on all strings, or refute it.

    The labels, which are the most probable centroids, and the decisions to accept are compared. With
    ``against``, only the decisions are compared.

    Args:
        network: A network of one layer without a cell state.
        temperature: tau. Defaults to the network's own temperature.
        against: A DFA with which the decisions are compared.
        progress: Called with the number of proved nodes and the total number.
        stage: Called with a description of each earlier stage.

    Raises:
        InputError: If the network is of a different kind, the temperature is not positive, or the DFA has
            a different alphabet.
    """
    numbers = numbers_of(network, temperature)
    stage("the hard automaton")
    limit = hard_automaton(numbers)
    nodes, why = prove_boxes(numbers, progress, stage)
    target = (
        limit.machine()
        if against is None
        else Moore(
            numbers.alphabet,
            (dfa := against.over(numbers.alphabet)).start,
            dfa.table,
            tuple(q in dfa.final for q in range(dfa.states)),
        )
    )
    if target is None:
        ties = f"there is no automaton to compare with, because a tie is possible at {limit.ties[0]}"
        return Certification(numbers, limit, nodes, None, ties)
    view = (lambda output: output) if against is None else (lambda output: output[1])
    if nodes is None:
        stage("searching for a string on which they differ")
        return Certification(numbers, limit, None, difference(numbers, target, view), why)
    soft = soft_machine(numbers, nodes)
    followed = Moore(soft.alphabet, soft.start, soft.table, tuple(map(view, soft.outputs)))
    return Certification(numbers, limit, nodes, followed.difference(target), "")


def prove_boxes(
    numbers: Numbers,
    progress: Callable[[int, int], None] = lambda done, of: None,
    stage: Callable[[str], None] = lambda what: None,
) -> tuple[Nodes | None, str]:
    """Return nodes whose boxes are proved to be closed, or the reason why there are none."""
    why = ""
    for nodes in proved_nodes(numbers, progress, stage):
        if isinstance(nodes, Nodes):
            return nodes, ""
        why = nodes
    return None, why


def proved_nodes(
    numbers: Numbers,
    progress: Callable[[int, int], None] = lambda done, of: None,
    stage: Callable[[str], None] = lambda what: None,
) -> Iterator[Nodes | str]:
    """Yield the result of each attempt: nodes whose boxes are proved to be closed, or why the proof fails.

    Each attempt has more boxes than the last.
    """
    for nodes in attempts(numbers, stage):
        if isinstance(nodes, OpenBoxes):
            yield nodes.why
        else:
            gap = prove(numbers, nodes, progress)
            yield nodes if gap is None else gap


def accepting(machine: Moore) -> DFA:
    """Return the minimal DFA of a machine with outputs ``(label, accepts)``."""
    return language(machine).minimal()
