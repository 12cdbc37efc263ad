"""The ways to compute the two sides of a claim and to hold them against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from automata.errors import InputError
from automata.forward import read_out, start, step
from automata.number_text import shorten, write_number
from automata.openfst_scores import Scorer
from automata.printable_text import write_string
from automata.rounding import share
from automata.strings import String
from automata.tree import levels
from automata.wfsa import WFSA
from ratproof.disagreement import Counterexample
from ratproof.ledger import IN_PART, TOO_SHORT, WITHOUT_BOUND
from theory.claim import Variant, untouched
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
    """One string, compared at all its prefixes: the largest share of a bound used, and the first difference,
    if any.

    Attributes:
        cases: how many strings were compared in full, each at every prefix and in every unit that the variant
            speaks of; more than one where one comparison reads more than one.
        left_out: for how many strings, by a reason of :data:`ratproof.ledger.LEFT_OUT`, some or all of these
            scores were not compared.
    """

    string: String
    share: float | None
    difference: Difference | None
    cases: int = 1
    left_out: Mapping[str, int] = field(default_factory=dict)


MOST_WRITTEN = 200


class NotAFunction(InputError):
    """A network that gave one string two scores: of no function of the string anything holds, and no string
    refutes it.
    """

    def __init__(
        self,
        string: String,
        once: str,
        again: str,
        what: str = "the step is not a function of state and symbol",
    ) -> None:
        text = write_string(list(string))
        shown = text if len(text) <= MOST_WRITTEN else f"{text[:MOST_WRITTEN]}..., {len(string):,} symbols,"
        super().__init__(f"{what}: on {shown} it gave {once}, then {again}")
        self.string = string


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


@runtime_checkable
class Repeatable(Protocol):
    """A comparison of a user's own program, which may not do twice what it did once."""

    def confirm(self, compared: Compared) -> None:
        """Raise :class:`NotAFunction` where a difference that was found is another one, or none, when the
        string is run again.
        """


def no_case(string: String, reason: str, share: float | None = None) -> Compared:
    """A string without a difference that does not count, for a reason of :data:`ratproof.ledger.LEFT_OUT`."""
    return Compared(string, share, None, cases=0, left_out={reason: 1})


def no_difference(string: String, share: float, compared: NDArray[np.bool_]) -> Compared:
    """A string on which nothing that was compared differs.

    Args:
        string: the string.
        share: the largest share of a bound used.
        compared: which of the scores that the variant speaks of were compared, shape ``(prefixes, units)``:
            it is a case where all were.
    """
    prefixes, units = compared.shape
    require_units(units)
    if not prefixes:
        return no_case(string, TOO_SHORT)
    if not compared.any():
        return no_case(string, WITHOUT_BOUND)
    return Compared(string, share, None) if compared.all() else no_case(string, IN_PART, share)


def require_units(units: int) -> None:
    """Raise :class:`~automata.errors.InputError` where there is nothing whose scores could be compared."""
    if not units:
        raise InputError("there is no unit, and so no automaton, to compare")


def shortest_of(claim: str, variant: str) -> int:
    """From which length on the variant speaks of strings: from the empty one, where nobody brought such a
    claim.
    """
    try:
        return claim_named(claim).variant(variant).shortest
    except InputError:
        return 0


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


def fresh_values(comparison: Exact, string: String) -> list[tuple[Any, ...]]:
    """What the network shows after every prefix of the string, run from a first state that no other run may
    have changed.
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
    except Exception:  # what cannot be copied is run as it is: a change of it shows in the next run
        return state


def unlike(
    string: String, once: Sequence[tuple[Any, ...]], again: Sequence[tuple[Any, ...]]
) -> NotAFunction | None:
    """What to raise of two runs of one string, with the first prefix that has two values; ``None`` where each
    has one.
    """
    for length, (one, other) in enumerate(zip(once, again, strict=True)):
        if tuple(one) != tuple(other):
            return NotAFunction(
                string[:length], *(", ".join(map(_shortly, values)) for values in (one, other))
            )
    return None


def _shortly(value: Any) -> str:
    return shorten(write_number(value) if isinstance(value, (int, Fraction)) else str(value), 40)[1:-1]


class Exact:
    """The recurrence against the automata's scores, both in exact fractions."""

    way = "exact"

    def __init__(self, claim: str, variant: str, case: Any) -> None:
        self.claim, self.variant, self.case = claim, variant, case
        self.read: Variant = claim_named(claim).variant(variant)

    @cached_property
    def _automata(self) -> Sequence[WFSA]:
        made = self.read.construction(self.case)
        require_units(len(made))
        return made

    def automata(self) -> Sequence[WFSA]:
        """What the construction makes of the case."""
        return self._automata

    def weights(self) -> str:
        """The case's own words."""
        return str(self.case.describe())

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Every prefix of every string, for equality; a prefix that an earlier string had is not read
        again.
        """
        for string in strings:
            found = self._first_difference(string)
            short = found is None and len(string) < self.read.shortest
            yield no_case(string, TOO_SHORT) if short else Compared(string, None, found)

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
        state = untouched(self.read.recurrence.start(self.case))
        return _Prefix(self, "", state, [start(a) for a in self._automata])

    def compare_all(self, longest: int) -> Compared:
        """All strings of at most ``longest`` symbols, each prefix read once: the shortlex-least difference,
        if any.
        """
        alphabet = self.case.alphabet
        for automaton in self._automata:
            if list(automaton.alphabet) != list(alphabet):
                raise InputError(
                    f"the automata read {list(automaton.alphabet)}, where the network reads {list(alphabet)}"
                )
        by_length = zip(
            self.read.recurrence.levels(self.case, longest),
            *(self._levels(a, longest) for a in self._automata),
            strict=True,
        )
        cases = short = 0
        for length, (network, *scores) in enumerate(by_length):
            for place, values in enumerate(network):
                if len(values) != len(scores):
                    raise ValueError(
                        f"the network shows {len(values)} numbers, and there are {len(scores)} automata"
                    )
                if length < self.read.shortest:
                    short += 1
                    continue
                cases += 1
                for unit, value in enumerate(values):
                    if value != scores[unit][place]:
                        string = _string_at(alphabet, length, place)
                        write = self._automata[unit].semiring.format
                        found = Difference(length, unit, write(value), write(scores[unit][place]), "0")
                        return Compared(string, None, found, cases)
        return Compared(alphabet[:1] * longest, None, None, cases, {TOO_SHORT: short} if short else {})

    def _levels(self, automaton: WFSA, longest: int) -> Iterator[Any]:
        if self.read.algorithm is None:
            return levels(automaton, longest)
        strings = (product(automaton.alphabet, repeat=length) for length in range(longest + 1))
        return ([self.read.scores(automaton, x)[-1] for x in level] for level in strings)

    def confirm(self, compared: Compared) -> None:
        """Raise :class:`NotAFunction` where a difference that was found is another one, or none, when the
        string is run again.
        """
        found = compared.difference
        if found is None:
            return
        string = compared.string[: found.length]
        write = self._automata[found.unit].semiring.format
        again = write(fresh_values(self, string)[-1][found.unit])
        if again != found.network:
            raise NotAFunction(string, found.network, again)

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
            state = sides.read.recurrence.step(sides.case, untouched(self.state), symbol)
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
        worst, compared = 0.0, []
        for t, values in enumerate(self.read.recurrence.values(self.case, string)):
            if t < self.read.shortest:
                continue
            for unit, (value, scorer) in enumerate(zip(values, self._scorers, strict=True)):
                bound = scorer.bound(string[:t])
                compared.append(bound < np.inf)
                if not compared[-1]:  # OpenFst's floats might overflow: nothing is compared
                    continue
                score = scorer.score(string[:t])
                used = share([score], [value], [bound])
                if used > 1:
                    found = Difference(
                        t, unit, self._automata[unit].semiring.format(value), repr(score), f"{bound:.2g}"
                    )
                    return Compared(string, worst, found)
                worst = max(worst, used)
        return no_difference(string, worst, np.array(compared, dtype=bool).reshape(-1, len(self._scorers)))


def _string_at(alphabet: Sequence[Any], length: int, place: int) -> list[Any]:
    """The string of that place among those of its length, in the alphabet's order."""
    digits = []
    for _ in range(length):
        place, digit = divmod(place, len(alphabet))
        digits.append(alphabet[digit])
    return digits[::-1]
