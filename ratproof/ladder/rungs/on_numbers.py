"""Trial runs of a user's decided claim on numbers, to compare the step with the function that was decided.

A decision is about the function that a step computes on affine forms (:mod:`automata.recurrences.affine`). It
would miss a step that computes a different function on numbers. It would also miss a step that is not a
function, because it counts its calls, draws random numbers, or changes its state argument. Therefore, the
recurrence also runs on fractions. All strings run twice, each from a fresh state. The second time, they run
in reverse order.

- If a string's score differs from the automaton's in both runs, it refutes the claim regardless of the
  decision. ``replay`` shows the difference again.
- If the two runs of a string differ, the step is not a function of the string. The claim then does not hold,
  but no string can refute it. The verdict is unknown, and the message contains the string and the values.

The runs only cover finitely many strings, so the verdict states their number.
"""

from __future__ import annotations

import json
import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from automata.aliases import JsonObject, Weight
from automata.equivalence.explore import explore
from automata.equivalence.integers import cleared
from automata.operations import remove_epsilon
from automata.strings import String
from automata.wfsa import WFSA
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger
from ratproof.implementations.comparison import (
    Difference,
    NotAFunction,
    StringResult,
    counterexample,
    value_text,
)
from ratproof.implementations.exact import ExactComparison, fresh_values, unlike

STRINGS = 1000
"""Minimum number of strings, including their prefixes, if there are that many over the alphabet."""
MOST_STEPS, LEAST_STEPS, WORK = 20_000, 1_200, 400_000
LONGEST, SHORTEST_LONG, BITS = 1000, 60, 8000
PRIME = 2**61 - 1
Word = tuple[Hashable, ...]


@dataclass(frozen=True)
class TrialPlan:
    """A plan of the strings on which a user's recurrence runs. Its random strings come from fixed seeds.

    Args:
        alphabet: The symbols.
        basis: Strings on which the decision depends. If the step is a function, the results for these strings
            with and without one more symbol determine those for all strings.
        steps: Approximate total number of symbols.
        longest: Length of the longest string.
        least: Minimum number of strings, including prefixes, if there are that many.
    """

    alphabet: tuple[Hashable, ...]
    basis: Sequence[Word]
    steps: int
    longest: int
    least: int = STRINGS

    def strings(self) -> list[Word]:
        """Return the strings to run.

        They are the strings of the basis with one more symbol, short strings, long runs of a symbol, repeated
        words, and random strings.
        """
        chosen: dict[Word, None] = {}
        tried = Prefixes()
        spent = 0

        def take(strings: Iterator[Word], steps: float) -> None:
            nonlocal spent
            end = spent + steps
            for x in strings:
                if x not in chosen:
                    chosen[x] = None
                    spent += len(x)
                    tried.add(x)
                if spent >= end:
                    break

        take(((*word, x) for word in self.basis for x in self.alphabet), self.steps / 5)
        take(self._shortlex(), self.steps / 5)
        take(self._repeated(), self.steps / 3)
        take(self._random(), self.steps - spent)
        least = min(self.least, self.longest + 1) if len(self.alphabet) == 1 else self.least
        while tried.count() < least:
            take(self._random(seed=tried.count()), 1000)
        return list(chosen)

    def _shortlex(self) -> Iterator[Word]:
        for length in range(self.longest):
            yield from product(self.alphabet, repeat=length)

    def _repeated(self) -> Iterator[Word]:
        for size, length in ((2, self.longest // 10), (3, self.longest // 10), (1, self.longest)):
            for word in islice(product(self.alphabet, repeat=size), 8):
                yield (word * length)[:length]

    def _random(self, seed: int = 0) -> Iterator[Word]:
        rng = random.Random(seed)
        for number in range(20 * STRINGS):
            length = rng.randint(self.longest // 4, self.longest) if number % 40 == 0 else rng.randint(1, 40)
            yield tuple(rng.choices(self.alphabet, k=min(length, self.longest)))


class Prefixes:
    """The set of all prefixes of some strings."""

    def __init__(self, strings: Iterable[Word] = ()) -> None:
        self._after: dict[tuple[int, Hashable], int] = {}
        self._of_length = [1]
        for x in strings:
            self.add(x)

    def add(self, string: Word) -> None:
        """Add the prefixes of a string."""
        node = 0
        for length, symbol in enumerate(string, start=1):
            new = len(self._after) + 1
            node = self._after.setdefault((node, symbol), new)
            if node == new:
                self._of_length += [0] * (length == len(self._of_length))
                self._of_length[length] += 1

    def count(self, shortest: int = 0) -> int:
        """Return the number of prefixes with at least ``shortest`` symbols."""
        return sum(self._of_length[shortest:])


def plan_for(network: Sequence[WFSA], constructed: Sequence[WFSA], part: float = 1.0) -> TrialPlan:
    """Return a plan of the strings on which a recurrence runs.

    The size of a plan is chosen so that the runs take seconds: a large network runs on fewer strings, and a
    network with long fractions on shorter strings.

    Args:
        network: The automata to which the recurrence was converted.
        constructed: The automata that the claim constructs.
        part: The size of the plan relative to a full plan. It is less than 1 if there are many cases.
    """
    size = sum(a.states**2 for a in constructed) + network[0].states ** 2
    steps = max(LEAST_STEPS, min(MOST_STEPS, WORK // size))
    digits = max(
        (
            max(abs(w.numerator), w.denominator).bit_length()
            for table in network[0].matrices
            for w in table.flat
            if w
        ),
        default=1,
    )
    longest = max(SHORTEST_LONG, min(LONGEST, BITS // digits, steps // 8))
    alphabet = network[0].alphabet
    if len(alphabet) == 1:
        longest = max(longest, STRINGS)
    if part < 1:
        steps, longest = int(steps * part), max(SHORTEST_LONG, int(longest * part))
    return TrialPlan(alphabet, basis(network), steps, longest, STRINGS if part == 1 else 0)


def basis(automata: Sequence[WFSA], most: int = 200) -> list[Word]:
    """Return strings, in shortlex order, whose state vectors span the state vectors of all strings.

    At most ``most`` strings are returned.
    """
    both = cleared([remove_epsilon(automata[0])])
    return [tuple(both.symbols[i] for i in word) for word in explore(both, PRIME).words[:most]]


class OnNumbers:
    """Trial runs of a claim's recurrence on numbers, with the full plan for the first case only."""

    def __init__(self, part: float = 1 / 20) -> None:
        self.part = part
        self._first: str | None = None

    def run(self, comparison: ExactComparison, network: Sequence[WFSA], constructed: Sequence[WFSA]) -> None:
        """Assert that a recurrence gives the strings of the plan the same scores as its automata.

        Raises:
            Disagreement: If a score differs; the error contains the first such string after shrinking.
            NotAFunction: If two runs of a string give different scores.
        """
        case = json.dumps(comparison.case.to_json(), sort_keys=True, default=str)
        self._first = self._first or case
        strings = plan_for(network, constructed, 1.0 if case == self._first else self.part).strings()
        first: list[list[tuple[Weight, ...]]] = []
        differs = None
        for x in strings:
            first.append(fresh_values(comparison, x))
            differs = difference(comparison, x, first[-1])
            if differs is not None:
                break
        ran = strings[: len(first)]
        again = [fresh_values(comparison, x) for x in reversed(ran)]
        twice = (unlike(*runs) for runs in zip(ran, first, reversed(again), strict=True))
        impure = min(filter(None, twice), key=lambda error: len(error.string), default=None)
        if impure is not None:
            raise impure
        if differs is not None:
            raise Disagreement(counterexample(comparison, shrunk(comparison, ran[-1][: differs.length])))
        tried = Prefixes(strings).count(comparison.read.shortest)
        current_ledger = ledger()
        before = current_ledger.facts.get("on_numbers", {"cases": 0, "strings": 0, "longest": 0})
        longest = max(before["longest"], *map(len, strings))
        current_ledger.facts["on_numbers"] = ran_on_strings(
            before["cases"] + 1, before["strings"] + tried, longest
        )


def difference(
    comparison: ExactComparison, string: String, values: Sequence[tuple[Weight, ...]]
) -> Difference | None:
    """Return the first prefix and unit for which the network's value differs from the automaton's score."""
    scores = [comparison.read.scores(automaton, string) for automaton in comparison.automata()]
    for t in range(comparison.read.shortest, len(values)):
        for unit, (value, score) in enumerate(
            zip(values[t], (of_unit[t] for of_unit in scores), strict=True)
        ):
            if value != score:
                k = comparison.automata()[unit].semiring
                return Difference(t, unit, value_text(k, value, k.format(score)), k.format(score), "0")
    return None


def shrunk(comparison: ExactComparison, string: Word, tries: int = 300) -> StringResult:
    """Shrink a counterexample by removing parts of it and everything after the first difference.

    Raises:
        NotAFunction: If the string no longer differs.
    """

    def differs(x: Word) -> Difference | None:
        once = fresh_values(comparison, x)
        impure = unlike(x, once, fresh_values(comparison, x))
        if impure is not None:
            raise impure
        return difference(comparison, x, once)

    current = differs(string)
    if current is None:
        raise NotAFunction(string, "a score other than the automaton's", "the automaton's score")
    string, part = string[: current.length], len(string) // 2
    while part and tries > 0:
        for low in range(0, len(string), part):
            tries -= 1
            shorter = string[:low] + string[low + part :]
            less = differs(shorter) if tries > 0 else None
            if less is not None:
                string, current = shorter[: less.length], less
                break
        else:
            part //= 2
            continue
        part = min(part, len(string))
    return StringResult(string, None, current)


def ran_on_strings(cases: int, strings: int, longest: int) -> JsonObject:
    """Describe the runs on numbers in the report of a decided verdict: their counts, and a sentence."""
    sentence = (
        f"decided for the function that the step computes on affine forms; on {strings:,} strings of at most"
        f" {longest:,} symbols{f', in {cases:,} cases' if cases > 1 else ''}, two runs of the step on"
        " fractions agree with the automaton"
    )
    return {"cases": cases, "strings": strings, "longest": longest, "says": sentence}


def ran_on_cases(cases: int) -> JsonObject:
    """Describe the runs on numbers in the report of a proof: the number of cases, and a sentence."""
    sentence = (
        "proved for the functions that the recurrence and the construction compute on variables; in"
        f" {cases:,} random cases with numbers, the recurrence agrees with the automaton"
    )
    return {"cases": cases, "says": sentence}
