"""The hard automaton of a network, for temperature -> 0 (Wang & Niepert 2019, Theorem 3.2).

The network is evaluated at every centroid for every symbol, in ball arithmetic. A transition goes to the most
similar centroid if that is certain. If it is not certain at any precision, the transition is a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import flint

from automata.aliases import Symbols
from automata.dfa import DFA
from automata.moore import Moore
from ratproof.certification.soft_networks.ball_run import PRECISIONS, BallRun, sign, winner
from ratproof.certification.soft_networks.numbers import Numbers

LabelledOutput = tuple[int, bool]
"""The output of a state: the label, which is the most probable centroid, and the decision to accept."""


@dataclass(frozen=True)
class HardAutomaton:
    """The limit of a network for temperature -> 0, as a table over all centroids.

    Attributes:
        alphabet: The symbols.
        start: The centroid before the first symbol; ``None`` for a tie.
        table: ``table[i][a]`` is the centroid after centroid i and the a-th symbol; ``None`` for a tie.
        accepts: The classifier's decision at each centroid; ``None`` if its logit may be 0.
        margins: The margin of the winner over the second centroid, for each entry of the table; 0 for a tie.
    """

    alphabet: Symbols
    start: int | None
    table: tuple[tuple[int | None, ...], ...]
    accepts: tuple[bool | None, ...]
    margins: tuple[tuple[float, ...], ...]

    @property
    def reachable(self) -> list[int]:
        """Return the centroids that are reachable without ties, in breadth-first order."""
        queue = [] if self.start is None else [self.start]
        for i in queue:
            queue += [j for j in dict.fromkeys(self.table[i]) if j is not None and j not in queue]
        return queue

    @property
    def ties(self) -> list[str]:
        """Return descriptions of the reachable ties."""
        ties = ["the start"] if self.start is None else []
        for i in self.reachable:
            ties += [
                f"centroid {i}, symbol {a!r}"
                for a, j in zip(self.alphabet, self.table[i], strict=True)
                if j is None
            ]
            ties += [f"the decision at centroid {i}"] if self.accepts[i] is None else []
        return ties

    def machine(self) -> Moore | None:
        """Return the automaton on reachable centroids, or ``None`` if a tie is reachable.

        The outputs are ``(centroid, accepts)``.
        """
        if self.ties:
            return None
        order = self.reachable
        number = {centroid: q for q, centroid in enumerate(order)}
        table = tuple(tuple(number[j] for j in self.table[i] if j is not None) for i in order)
        return Moore(self.alphabet, 0, table, tuple((i, self.accepts[i]) for i in order))


def labelled_outputs(machine: Moore) -> list[LabelledOutput]:
    """Return the outputs ``(label, accepts)`` of a machine that was extracted from a network."""
    return cast(list[LabelledOutput], list(machine.outputs))


def language(machine: Moore) -> DFA:
    """Return the DFA of a machine with outputs ``(label, accepts)``, with the same states."""
    outputs = labelled_outputs(machine)
    return machine.accepting(frozenset(q for q, (_, accepts) in enumerate(outputs) if accepts))


def hard_automaton(numbers: Numbers) -> HardAutomaton:
    """Return the hard automaton, from the network's values at every centroid."""
    k, symbols = numbers.k, range(len(numbers.alphabet))
    start: int | None = 0
    table: dict[tuple[int, int], int | None] = {(i, a): None for i in range(k) for a in symbols}
    margins: dict[tuple[int, int], float] = dict.fromkeys(table, 0.0)
    accepts: dict[int, bool | None] = dict.fromkeys(range(k))
    open_start = numbers.start_token
    for bits in PRECISIONS:
        left = [pair for pair, j in table.items() if j is None]
        undecided = [i for i, accepted in accepts.items() if accepted is None]
        if not left and not undecided and not open_start:
            break
        with flint.ctx.workprec(bits):
            run = BallRun(numbers)
            if open_start:
                start = winner(run.from_start())
                open_start = start is None
            for i, a in left:
                b = run.similarities(run.u(run.centroid(i), a))
                table[i, a] = j = winner(b)
                if j is not None:
                    margins[i, a] = min(float((b[j] - other).mid()) for m, other in enumerate(b) if m != j)
            for i in undecided:
                accepts[i] = sign(run.logit(run.centroid(i)))
    return HardAutomaton(
        numbers.alphabet,
        start,
        tuple(tuple(table[i, a] for a in symbols) for i in range(k)),
        tuple(accepts[i] for i in range(k)),
        tuple(tuple(margins[i, a] for a in symbols) for i in range(k)),
    )
