"""Algorithm 1 (Wang & Niepert 2019, Appendix D), which counts transitions, in two readings.

The text of section 3.1 moves the network to the most probable centroid before it continues (the hard run).
The pseudo-code only records that centroid, and the network continues with its mixture (the soft run). The two
readings may give different tables.

A pair of centroid and symbol that never occurs in the data has no count. The pseudo-code's argmax would map
it to the first centroid.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from automata.aliases import String
from automata.errors import InputError
from ratproof.certification.extraction.probabilities import indices
from ratproof.certification.soft_networks.floats import Points
from ratproof.certification.soft_networks.hard import HardAutomaton
from ratproof.certification.soft_networks.numbers import Numbers

Reading = Literal["hard", "soft"]


@dataclass(frozen=True)
class TransitionCounts:
    """The transitions that Algorithm 1 of Wang & Niepert 2019 counted.

    Attributes:
        reading: ``"hard"`` or ``"soft"``.
        start: The centroid before the first symbol.
        counts: ``counts[i, a, j]`` is the number of times that centroid j followed centroid i and symbol a,
            shape ``(k, symbols, k)``.
    """

    reading: Reading
    start: int
    counts: NDArray[np.int64]

    @property
    def table(self) -> tuple[tuple[int | None, ...], ...]:
        """Return the most frequent next centroid of each centroid and symbol; ``None`` for unseen pairs.

        In a tie, the first centroid is used.
        """
        seen = self.counts.sum(axis=2) > 0
        most = self.counts.argmax(axis=2)
        return tuple(
            tuple(int(j) if there else None for j, there in zip(*row, strict=True))
            for row in zip(most, seen, strict=True)
        )

    @property
    def unseen(self) -> list[tuple[int, int]]:
        """Return the pairs of a centroid and a symbol's index that never occurred in the strings.

        Only centroids that the table reaches from the start are included.
        """
        table = self.table
        queue = [self.start]
        for i in queue:
            queue += [j for j in dict.fromkeys(table[i]) if j is not None and j not in queue]
        return [(i, a) for i in queue for a, j in enumerate(table[i]) if j is None]

    @property
    def undecided(self) -> list[tuple[int, int]]:
        """Return the pairs of a centroid and a symbol's index that led to more than one next centroid."""
        return [(int(i), int(a)) for i, a in np.argwhere((self.counts > 0).sum(axis=2) > 1)]

    def differences(self, hard: HardAutomaton) -> list[tuple[int, int, int, int | None]]:
        """Return the transitions of :attr:`table` that the hard automaton does not have.

        Each one is a centroid, a symbol's index, the next centroid in this table, and the next centroid in
        the hard automaton.
        """
        pairs = ((i, a, j) for i, row in enumerate(self.table) for a, j in enumerate(row) if j is not None)
        return [(i, a, j, hard.table[i][a]) for i, a, j in pairs if j != hard.table[i][a]]


def count(numbers: Numbers, strings: Iterable[String], reading: Reading) -> TransitionCounts:
    """Count the network's transitions over the strings.

    Args:
        numbers: The network.
        strings: Strings of the network's symbols.
        reading: ``"hard"`` or ``"soft"``; see the module's docstring.

    Raises:
        InputError: If a string has a symbol that the network lacks, or there are no strings.
    """
    points, k = Points(numbers), numbers.k
    words = sorted((indices(numbers, string) for string in strings), key=len, reverse=True)
    if not words:
        raise InputError("the strings must not be an empty sequence")
    first = points.first()
    alpha = np.repeat(first, len(words), axis=0)
    label = alpha.argmax(axis=1)
    counts = np.zeros((k, len(numbers.alphabet), k), dtype=np.int64)
    there = len(words)
    for t in range(len(words[0])):
        # words are sorted by length: only the first `there` have a symbol at this position
        while len(words[there - 1]) <= t:
            there -= 1
        tokens = np.array([word[t] for word in words[:there]])
        from_ = np.eye(k)[label[:there]] if reading == "hard" else alpha[:there]
        alpha = points.steps(from_, tokens)
        after = alpha.argmax(axis=1)
        np.add.at(counts, (label[:there], tokens, after), 1)
        label = after
    return TransitionCounts(reading, int(first.argmax()), counts)
