"""The ways to compute the two sides of a claim and to hold them against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Protocol

from automata.forward import read_out, start, step
from automata.openfst_scores import Scorer
from automata.rounding import FLOAT64
from automata.strings import String
from automata.tree import levels
from automata.wfsa import WFSA
from ratproof.disagreement import Counterexample
from theory.claim import Variant
from theory.registry import claim_named


@dataclass(frozen=True)
class Difference:
    """Where the two sides part: after how many symbols, in which unit, and the two values."""

    length: int
    unit: int
    network: str
    automaton: str
    bound: str


@dataclass(frozen=True)
class Compared:
    """One string, compared at all its prefixes: the largest share of a bound used, and the first difference, if any.

    ``cases`` is how many strings were compared, where one comparison reads more than one.
    """

    string: String
    share: float | None
    difference: Difference | None
    cases: int = 1


class Comparison(Protocol):
    """Two sides of one variant of a claim, for one case."""

    claim: str
    variant: str

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Compare the sides on each string, at every prefix."""

    def automata(self) -> Sequence[WFSA]:
        """The automata of the one side."""

    def weights(self) -> str:
        """The case as a person would write it."""

    def to_json(self) -> dict[str, Any]:
        """What :func:`from_json` reads back."""


def counterexample(comparison: Comparison, compared: Compared) -> Counterexample:
    """The counterexample that a comparison found."""
    found = compared.difference
    assert found is not None
    return Counterexample(
        claim=comparison.claim,
        variant=comparison.variant,
        comparison=comparison.to_json(),
        weights=comparison.weights(),
        string=[str(s) for s in compared.string[: found.length]],
        unit=found.unit,
        network=found.network,
        automaton=found.automaton,
        bound=found.bound,
    )


class Exact:
    """The recurrence against the automata's scores, both in exact fractions."""

    way = "exact"

    def __init__(self, claim: str, variant: str, case: Any) -> None:
        self.claim, self.variant, self.case = claim, variant, case
        self.read: Variant = claim_named(claim).variant(variant)

    @cached_property
    def _automata(self) -> Sequence[WFSA]:
        return self.read.construction(self.case)

    def automata(self) -> Sequence[WFSA]:
        """What the construction makes of the case."""
        return self._automata

    def weights(self) -> str:
        """The case's own words."""
        return str(self.case.describe())

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Every prefix of every string, for equality; a prefix that an earlier string had is not read again."""
        for string in strings:
            yield Compared(string, None, self._first_difference(string))

    def _first_difference(self, string: String) -> Difference | None:
        node = self._root
        for t in range(len(string) + 1):
            if t:
                node = node.child(self, string, t)
            for unit, (value, score) in enumerate(zip(node.values, node.scores, strict=True)):
                if value != score and t >= self.read.shortest:
                    write = self._automata[unit].semiring.format
                    return Difference(t, unit, write(value), write(score), "0")
        return None

    @cached_property
    def _root(self) -> _Prefix:
        state = self.read.recurrence.start(self.case)
        return _Prefix(self, "", state, [start(a) for a in self._automata])

    def compare_all(self, longest: int) -> Compared:
        """All strings of at most ``longest`` symbols, each prefix read once: the shortlex-least difference, if any."""
        alphabet = self.case.alphabet
        by_length = zip(
            self.read.recurrence.levels(self.case, longest), *(self._levels(a, longest) for a in self._automata), strict=True
        )
        cases = 0
        for length, (network, *scores) in enumerate(by_length):
            for place, values in enumerate(network):
                if len(values) != len(scores):
                    raise ValueError(f"the network shows {len(values)} numbers, and there are {len(scores)} automata")
                cases += 1
                for unit, value in enumerate(values):
                    if value != scores[unit][place] and length >= self.read.shortest:
                        string = _string_at(alphabet, length, place)
                        write = self._automata[unit].semiring.format
                        found = Difference(length, unit, write(value), write(scores[unit][place]), "0")
                        return Compared(string, None, found, cases)
        return Compared(alphabet[:1] * longest, None, None, cases)

    def _levels(self, automaton: WFSA, longest: int) -> Iterator[Any]:
        if self.read.algorithm is None:
            return levels(automaton, longest)
        strings = (product(automaton.alphabet, repeat=length) for length in range(longest + 1))
        return ([self.read.scores(automaton, x)[-1] for x in level] for level in strings)

    def to_json(self) -> dict[str, Any]:
        """The way, and the case."""
        return {"way": self.way, "case": self.case.to_json()}


class _Prefix:
    """What both sides say after some prefix, and after the symbols that may follow."""

    def __init__(self, sides: Exact, string: String, state: Any, omegas: list[Any]) -> None:
        self.state, self.omegas = state, omegas
        self.values = sides.read.recurrence.out(sides.case, state)
        if sides.read.algorithm is None:
            self.scores = [read_out(a, omega) for a, omega in zip(sides.automata(), omegas, strict=True)]
        else:
            self.scores = [sides.read.scores(a, string)[-1] for a in sides.automata()]
        self.children: dict[Any, _Prefix] = {}

    def child(self, sides: Exact, string: String, length: int) -> _Prefix:
        symbol = string[length - 1]
        if symbol not in self.children:
            state = sides.read.recurrence.step(sides.case, self.state, symbol)
            omegas = [step(a, omega, symbol) for a, omega in zip(sides.automata(), self.omegas, strict=True)]
            self.children[symbol] = _Prefix(sides, string[:length], state, omegas)
        return self.children[symbol]


class WithOpenFst(Exact):
    """The recurrence, in exact fractions, against the scores that OpenFst finds for the automata."""

    way = "openfst"

    @cached_property
    def _scorers(self) -> list[Scorer]:
        return [Scorer(automaton) for automaton in self._automata]

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Every prefix of every string, within OpenFst's derived bound."""
        for string in strings:
            yield self._compare(string)

    def _compare(self, string: String) -> Compared:
        worst, skipped = 0.0, False
        for t, values in enumerate(self.read.recurrence.values(self.case, string)):
            if t < self.read.shortest:
                continue
            for unit, (value, scorer) in enumerate(zip(values, self._scorers, strict=True)):
                bound = scorer.bound(string[:t])
                if bound == math.inf:  # OpenFst's floats might overflow: nothing is compared
                    skipped = True
                    continue
                score = scorer.score(string[:t])
                share = _share(score, value, bound)
                if share > 1:
                    found = Difference(t, unit, self._automata[unit].semiring.format(value), repr(score), f"{bound:.2g}")
                    return Compared(string, worst, found)
                worst = max(worst, share)
        return Compared(string, None if skipped else worst, None, cases=0 if skipped else 1)


def _string_at(alphabet: Sequence[Any], length: int, place: int) -> list[Any]:
    """The string of that place among those of its length, in the alphabet's order."""
    digits = []
    for _ in range(length):
        place, digit = divmod(place, len(alphabet))
        digits.append(alphabet[digit])
    return digits[::-1]


def _share(score: float, value: Any, bound: float) -> float:
    if score == value:
        return 0.0
    if math.isinf(score) or math.isinf(value):
        return math.inf
    used = abs(Fraction(score) - value) / Fraction(bound)
    return float(used) if used < FLOAT64.largest else math.inf
