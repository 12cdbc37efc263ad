"""Elimination of states that are linear combinations of others, by relations closed under all transitions.

A relation is a row r with r M(w) rho = 0 for every string w. Random functionals suggest the first
candidates: pairs of states whose right languages are proportional. If every score is zero, lambda
itself is a relation. Each relation becomes a rule that replaces a state p by a combination of
states without a rule. For each symbol a, r M(a) is also a relation. If it is not zero after the rules are
applied to it, it becomes another rule. The rules form a right link, which is checked exactly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from math import isqrt

import flint
import numpy as np

from automata.equivalence.links import ChainLink, right_link
from automata.equivalence.lumps import SLACK, Functionals, modulo
from automata.equivalence.rationals import of_rows
from automata.equivalence.representation import Representation

Row = dict[int, flint.fmpq]
"""A sparse row: python-flint's fractions by state."""
MOST_TERMS = 60
"""Maximum number of products for each state and transition until all relations are closed."""
MOST_FILL = 8
"""Maximum number of entries of all rules for each state and transition."""


def close(
    of: Representation, primes: Iterator[int], progress: Callable[[str], None], zero: bool = False
) -> ChainLink | None:
    """Return the right link that eliminates states by linear relations between right languages.

    Return ``None`` if there are no such relations, or if a limit is exceeded. If ``zero`` is true, also try
    lambda as a relation, which succeeds if every score is zero.
    """
    functionals = Functionals.start(modulo(of, primes))
    functionals.settle()
    guesses = guessed(functionals)
    start: Row = of.initial.row_by_column(0)
    attempts = [[*guesses, start], *([guesses, [start]] if guesses else [])] if zero else [guesses]
    for attempt in attempts:
        relations = _Relations(of, functionals, progress)
        if attempt and relations.close(attempt):
            return relations.link()
    return None


def guessed(functionals: Functionals) -> list[Row]:
    """Return candidate relations between at most two states, suggested by two random functionals."""
    field, scale = functionals.of.field, functionals.scale
    one = flint.fmpq(1)
    guesses: list[Row] = [{int(q): one} for q in np.flatnonzero(scale == 0)]
    live = np.flatnonzero(scale)
    _, first, members = np.unique(functionals.quotients()[live], return_index=True, return_inverse=True)
    same = live[first][members]
    several = np.flatnonzero(same != live)
    ratios = field.product(scale[live[several]], field.inverse(scale[same[several]]))
    above, below = field.fractions(ratios, isqrt(field.prime >> SLACK))
    for q, r, n, d in zip(
        *(part.tolist() for part in (live[several], same[several], above, below)), strict=True
    ):
        if d:
            guesses.append({q: one, r: flint.fmpq(-n, d)})
    return guesses


class _Relations:
    """Rules that express eliminated states by the remaining states."""

    def __init__(self, of: Representation, functionals: Functionals, progress: Callable[[str], None]) -> None:
        self.of, self.progress = of, progress
        self.prime, self.functional = functionals.of.field.prime, functionals.scale.tolist()
        targets = np.concatenate([np.zeros(0, dtype=np.intp), *(step.columns for step in of.steps)])
        self.entering = np.bincount(targets, minlength=of.states)
        self.rules: dict[int, Row] = {}
        self.used: dict[int, set[int]] = {}
        self.waiting: deque[int] = deque()
        size = of.states + of.transitions
        self.terms, self.most_terms = 0, MOST_TERMS * size + 100_000
        self.fill, self.most_fill = 0, MOST_FILL * size + 10_000

    def close(self, relations: list[Row]) -> bool:
        """Add these relations and all relations that follow from them by transitions.

        Return ``False`` if a relation is wrong or a limit is exceeded.
        """
        for relation in relations:
            if not self._add(relation):
                return False
        done = 0
        while self.waiting:
            state = self.waiting.popleft()
            relation = {q: -w for q, w in self.rules[state].items()}
            relation[state] = flint.fmpq(1)
            images = self.of.images(relation)
            for symbol in sorted(images):
                self.terms += len(images[symbol])
                if not self._add(images[symbol]):
                    return False
            done += 1
            if done % 1024 == 0:
                self.progress(f"{len(self.rules)} relations, {len(self.waiting)} to be closed")
        return True

    def _reduced(self, row: Row) -> Row:
        result: Row = {}
        for q, v in row.items():
            rule = self.rules.get(q)
            if rule is None:
                result[q] = result[q] + v if q in result else v
                continue
            self.terms += len(rule)
            for r, w in rule.items():
                term = v * w
                result[r] = result[r] + term if r in result else term
        return {q: w for q, w in result.items() if w != 0}

    def _add(self, relation: Row) -> bool:
        row = self._reduced(relation)
        if not row:
            return True
        if self._value(row) or max(self.terms / self.most_terms, self.fill / self.most_fill) > 1:
            return False
        used = self.used
        pivot = min(row, key=lambda q: (len(used.get(q, ())) + int(self.entering[q]), q))
        scale = -1 / row.pop(pivot)
        rule = {q: w * scale for q, w in row.items()}
        for state in used.pop(pivot, ()):
            other = self.rules[state]
            factor = other.pop(pivot)
            self.fill -= 1
            for q, w in rule.items():
                term = factor * w
                total = other[q] + term if q in other else term
                if total != 0:
                    self.fill += q not in other
                    other[q] = total
                    used.setdefault(q, set()).add(state)
                else:
                    del other[q]
                    used[q].discard(state)
                    self.fill -= 1
            self.terms += len(rule)
        self.rules[pivot] = rule
        self.fill += len(rule)
        for q in rule:
            used.setdefault(q, set()).add(pivot)
        self.waiting.append(pivot)
        return True

    def _value(self, row: Row) -> int:
        """Return a random linear functional of the row modulo the prime; its value is 0 for each relation."""
        p, total = self.prime, 0
        for q, w in row.items():
            below = int(w.q)
            weight = int(w.p) if below == 1 else int(w.p) * pow(below, -1, p)
            total += weight * self.functional[q]
        return total % p

    def link(self) -> ChainLink | None:
        """Return the right link to the states without a rule; ``None`` if its exact check fails."""
        n = self.of.states
        kept = np.array([q for q in range(n) if q not in self.rules], dtype=np.intp)
        column = {q: i for i, q in enumerate(kept.tolist())}
        one = flint.fmpq(1)
        rows = [
            (q, {column[q]: one} if q in column else {column[r]: w for r, w in self.rules[q].items()})
            for q in range(n)
        ]
        return right_link(self.of, of_rows((n, len(kept)), rows), kept)
