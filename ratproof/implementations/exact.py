"""Comparison of a network's recurrence with its automata's scores, both in exact fractions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Self

from automata.aliases import JsonObject, Symbol
from automata.errors import InputError
from automata.forward import read_out, start, step
from automata.strings import String
from automata.text.number_text import shorten, write_number
from automata.tree import levels
from automata.wfsa import WFSA
from ratproof.evidence.ledger import TOO_SHORT
from ratproof.implementations.comparison import (
    Difference,
    NotAFunction,
    StringResult,
    no_case,
    require_units,
    value_text,
)
from theory.claim import Claim, Variant
from theory.reading import Equality, untouched
from theory.registry import claim_named
from theory.signature import Signature, Sizes, misfit, signatures_of
from theory.weights import Weights

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class ExactComparison:
    """A comparison of a network's recurrence with its automata's scores, both in exact fractions."""

    way = "exact"

    def __init__(self, claim: str, variant: str, case: Any) -> None:
        self.claim, self.variant, self.case = claim, variant, case
        self.read: Equality = claim_named(claim).variant(variant).reading
        self._first_scores: list[object] | None = None
        self._varies = False

    @cached_property
    def _automata(self) -> Sequence[WFSA]:
        automata = self.read.construction(self.case)
        require_units(len(automata))
        return automata

    def automata(self) -> Sequence[WFSA]:
        """Return the automata that the claim's construction builds from the weights."""
        return self._automata

    def weights(self) -> str:
        """Return a readable description of the weights."""
        return str(self.case.describe())

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the network with the automata at every prefix of every string, for equality.

        A prefix of an earlier string is not computed again.
        """
        for string in strings:
            difference = self._first_difference(string)
            if difference is None and len(string) < self.read.shortest:
                yield no_case(string, TOO_SHORT)
            else:
                yield StringResult(string, None, difference, varies=self._varies)

    def _first_difference(self, string: String) -> Difference | None:
        node = self._root
        for t in range(len(string) + 1):
            if t:
                node = node.child(self, string, t)
            if t < self.read.shortest:
                continue
            self._see(node.scores)
            for unit, (value, score) in enumerate(zip(node.values, node.scores, strict=True)):
                if value != score:
                    return Difference(t, unit, *self._written(unit, value, score), "0")
        return None

    def _written(self, unit: int, value: Any, score: Any) -> tuple[str, str]:
        """Return a value of the network and the score from which it differs, as text."""
        k = self._automata[unit].semiring
        return value_text(k, value, k.format(score)), k.format(score)

    def _see(self, scores: list[object]) -> None:
        """Record whether the scores of any string so far differ from those of the first string."""
        if not self._varies:
            self._first_scores = self._first_scores or scores
            self._varies = scores != self._first_scores

    @cached_property
    def _root(self) -> _Prefix:
        state = untouched(self.read.recurrence.start(self.case))
        algorithm = self.read.algorithm
        first = start if algorithm is None else algorithm.start
        return _Prefix(self, state, [untouched(first(a)) for a in self._automata])

    def compare_all(self, longest: int) -> StringResult:
        """Compare all strings of at most ``longest`` symbols, each prefix once.

        Returns:
            The first difference in shortlex order, if any, and the number of cases.
        """
        alphabet = self.case.alphabet
        for automaton in self._automata:
            if list(automaton.alphabet) != list(alphabet):
                raise InputError(
                    f"the automata must have the network's alphabet {list(alphabet)}, got"
                    f" {list(automaton.alphabet)}"
                )
        by_length = zip(
            self.read.recurrence.levels(self.case, longest),
            *(self._levels(a, longest) for a in self._automata),
            strict=True,
        )
        cases = short = 0
        for length, (network, *scores) in enumerate(by_length):
            for index, values in enumerate(network):
                if len(values) != len(scores):
                    raise ValueError(
                        f"the network must return one score for each of {len(scores)} automata, got"
                        f" {len(values)}"
                    )
                if length < self.read.shortest:
                    short += 1
                    continue
                cases += 1
                self._see([of_unit[index] for of_unit in scores])
                for unit, value in enumerate(values):
                    if value != scores[unit][index]:
                        string = _string_at(alphabet, length, index)
                        written = self._written(unit, value, scores[unit][index])
                        difference = Difference(length, unit, *written, "0")
                        return StringResult(string, None, difference, cases, varies=self._varies)
        left_out = {TOO_SHORT: short} if short else {}
        return StringResult(alphabet[:1] * longest, None, None, cases, left_out, self._varies)

    def _levels(self, automaton: WFSA, longest: int) -> Iterator[Any]:
        if self.read.algorithm is None:
            return levels(automaton, longest)
        strings = (product(automaton.alphabet, repeat=length) for length in range(longest + 1))
        return ([self.read.scores(automaton, x)[-1] for x in level] for level in strings)

    def confirm(self, compared: StringResult) -> None:
        """Run the recurrence again on the string that has a difference, from a fresh state.

        Raises:
            NotAFunction: If the second run gives another value.
        """
        difference = compared.difference
        if difference is None:
            return
        string = compared.string[: difference.length]
        value = fresh_values(self, string)[-1][difference.unit]
        again = value_text(self._automata[difference.unit].semiring, value, difference.automaton)
        if again != difference.network:
            raise NotAFunction(string, difference.network, again)

    def to_json(self) -> JsonObject:
        """Return the fields ``way`` and ``case``."""
        return {"way": self.way, "case": self.case.to_json()}

    @classmethod
    def from_json(cls, claim: Claim, variant: Variant, data: JsonObject) -> Self:
        """Return the comparison that ``data``, written by :meth:`to_json`, describes.

        Raises:
            InputError: If the weights do not match the variant.
        """
        case = claim.case.from_json(data["case"])
        wrong = misfit(signatures_of(variant), case) if isinstance(case, Weights) else None
        if wrong is not None:
            raise InputError(f"the weights do not match {claim.name}, {variant.name}: {wrong}")
        return cls(claim.name, variant.name, case)


def cases_for_long_strings(variant: Variant, alphabet: str) -> SearchStrategy[object]:
    """Return a strategy for the random weights that are compared on long strings.

    If the weights are drawn from a signature, huge and tiny weights are excluded, because on a long string
    their exact fractions would have many digits and be slow.
    """
    if variant.long_cases is not None:
        return variant.long_cases(alphabet)
    draw, source = variant.cases, getattr(variant.cases, "__self__", None)
    if isinstance(source, (Signature, Sizes)) and draw == source.random:
        return source.random(alphabet, extreme=False)
    return draw(alphabet)


class _Prefix:
    """The network's values and the automata's scores after a prefix.

    ``children`` has the prefixes that are one symbol longer, by this symbol.
    """

    def __init__(self, sides: ExactComparison, state: Any, omegas: list[Any]) -> None:
        self.state, self.omegas = state, omegas
        self.values = sides.read.recurrence.out(sides.case, state)
        algorithm = sides.read.algorithm
        of_units = zip(sides.automata(), omegas, strict=True)
        if algorithm is None:
            self.scores = [read_out(a, omega) for a, omega in of_units]
        else:
            self.scores = [score for a, omega in of_units for score in algorithm.out(a, omega)]
        self.children: dict[Any, _Prefix] = {}

    def child(self, sides: ExactComparison, string: String, length: int) -> _Prefix:
        symbol = string[length - 1]
        if symbol not in self.children:
            state = sides.read.recurrence.step(sides.case, untouched(self.state), symbol)
            algorithm = sides.read.algorithm
            of_units = zip(sides.automata(), self.omegas, strict=True)
            if algorithm is None:
                omegas = [step(a, omega, symbol) for a, omega in of_units]
            else:
                omegas = [algorithm.step(a, untouched(omega), symbol) for a, omega in of_units]
            self.children[symbol] = _Prefix(sides, state, omegas)
        return self.children[symbol]


def _string_at(alphabet: Sequence[Symbol], length: int, index: int) -> list[Symbol]:
    """Return the string with this index among all strings of this length in lexicographic order."""
    digits = []
    for _ in range(length):
        index, digit = divmod(index, len(alphabet))
        digits.append(alphabet[digit])
    return digits[::-1]


def fresh_values(comparison: ExactComparison, string: String) -> list[tuple[Any, ...]]:
    """Return the network's values after every prefix of the string.

    The run begins with a fresh copy of the first state, which earlier runs cannot have changed.
    """
    recurrence, case = comparison.read.recurrence, comparison.case
    state = _copied(recurrence.start(case))
    shown = [recurrence.out(case, state)]
    for symbol in string:
        state = recurrence.step(case, untouched(state), symbol)
        shown.append(recurrence.out(case, state))
    return shown


def _copied(state: Any) -> Any:
    try:
        return deepcopy(state)
    except Exception:
        return state  # if a step changes the state itself, the next run gives other values


def unlike(
    string: String, once: Sequence[tuple[Any, ...]], again: Sequence[tuple[Any, ...]]
) -> NotAFunction | None:
    """Return an error if two runs of the network on a string have different values, otherwise ``None``.

    The error contains the first prefix for which the values differ.
    """
    for length, (one, other) in enumerate(zip(once, again, strict=True)):
        if tuple(one) != tuple(other):
            return NotAFunction(
                string[:length], *(", ".join(map(_shortly, values)) for values in (one, other))
            )
    return None


def _shortly(value: Any) -> str:
    return shorten(write_number(value) if isinstance(value, (int, Fraction)) else str(value), 40)[1:-1]
