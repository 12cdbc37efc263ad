"""Thompson's construction of an automaton with epsilon transitions from a rule."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from automata.errors import InputError, LimitReached
from automata.rules.syntax import Repeat, Rule, Sequence, Wildcard, Word
from automata.rules.words import Letters
from automata.semirings import BOOLEAN
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA

MOST_STATES = 5000
"""Maximum number of states of a rule."""
MOST_ARROWS = 1 << 22
"""Maximum number of transitions of a rule, counting each letter that a wildcard matches."""
MOST_PARTS = 1_000_000
"""Maximum number of parts of a rule, counting repetitions."""


@dataclass
class _Arrows:
    """An automaton under construction: each part of the rule runs from one state to another."""

    letters: Letters
    states: int = 0
    parts: int = 0
    epsilon: list[tuple[int, int]] = field(default_factory=list)
    reading: dict[Word | Wildcard, list[tuple[int, int]]] = field(default_factory=dict)
    read: int = 0

    def state(self) -> int:
        self.states += 1
        if self.states > MOST_STATES:
            raise InputError(f"the rule's automaton must have at most {MOST_STATES:,} states")
        return self.states - 1

    def add(self, rule: Rule, source: int) -> int:
        """Add the rule's transitions, starting in ``source``, and return its end state."""
        self.parts += 1
        if self.parts > MOST_PARTS:
            raise InputError(f"the rule must have at most {MOST_PARTS:,} parts, counting repetitions")
        if isinstance(rule, Word | Wildcard):
            target = self.state()
            self.reading.setdefault(rule, []).append((source, target))
            self.read += len(self.letters.read(rule))
            if self.read > MOST_ARROWS:
                raise LimitReached(f"the rule's automaton must have at most {MOST_ARROWS:,} transitions")
            return target
        if isinstance(rule, Sequence):
            for part in rule.parts:
                source = self.add(part, source)
            return source
        if isinstance(rule, Repeat):
            return self._repeat(rule, source)
        target = self.state()
        self.epsilon += [(self.add(part, source), target) for part in rule.parts]
        return target

    def _repeat(self, rule: Repeat, source: int) -> int:
        for _ in range(rule.least):
            source = self.add(rule.part, source)
        end = self.state()
        self.epsilon.append((source, end))
        if rule.most is None:
            self.epsilon.append((self.add(rule.part, end), end))
            return end
        for _ in range(rule.most - rule.least):
            source = self.add(rule.part, source)
            self.epsilon.append((source, end))
        return end


def thompson(rule: Rule, letters: Letters) -> WFSA:
    """Return the boolean automaton of a rule; words with the same letter share a matrix."""
    arrows = _Arrows(letters)
    end = arrows.add(rule, arrows.state())
    n = arrows.states
    by_letter: list[list[tuple[int, int]]] = [[] for _ in range(letters.count)]
    for leaf, pairs in arrows.reading.items():
        for letter in letters.read(leaf):
            by_letter[letter] += pairs
    return WFSA.of_tables(
        BOOLEAN,
        np.arange(n) == 0,
        np.arange(n) == end,
        [SparseMatrix.of_pairs(n, pairs) for pairs in by_letter],
        dict(zip(letters.alphabet, letters.letter, strict=True)),
        SparseMatrix.of_pairs(n, arrows.epsilon),
    )
