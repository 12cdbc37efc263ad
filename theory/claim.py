"""What a claim is: a statement, its source, and its variants, each with the verdict that is expected of it.

Every claim here has one shape (Definition 8, Peng et al. 2018): a recurrence c with d units equals d
automata, [c(x)]_i = A_i[x] for all strings x. A *case* is the weights that both are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from hypothesis.strategies import SearchStrategy

from automata.forward import prefix_scores
from automata.strings import String
from automata.wfsa import WFSA
from theory.induction import Induction
from theory.theorem import Theorem
from theory.weights import Weights

Expectation = Literal["holds", "refuted"]
LADDER = ("sampled", "cross-checked", "exhausted", "decided")
PROVED = (*LADDER, "proved")
# Decided in another way: the step is not affine, and a Hankel determinant shows that no automaton is small.
NO_AUTOMATON = LADDER
KERNEL = "kernel-checked"


class Case(Protocol):
    """Weights of a network: what a recurrence and a construction are given."""

    alphabet: str

    def describe(self) -> str:
        """The weights as a person would write them, on one line."""

    def renamed(self, names: dict[str, str]) -> Any:
        """The same weights for the letters named, under their new names; other letters are dropped."""

    def to_json(self) -> dict[str, Any]:
        """The weights, exactly; the class's ``from_json`` reads them back."""


def untouched(state: Any) -> Any:
    """The state itself, or a copy where a step could write into it: then no string's run changes another's.

    >>> first = [0, 1]
    >>> untouched(first) is first, untouched((0, (1, 2)))
    (False, (0, (1, 2)))
    """
    return deepcopy(state) if _can_be_written_into(state) else state


def _can_be_written_into(state: Any) -> bool:
    return (
        any(map(_can_be_written_into, state))
        if isinstance(state, tuple)
        else isinstance(state, (list, dict, set, np.ndarray))
    )


@dataclass(frozen=True)
class Recurrence:
    """A network over any number type: a first state, a step for each symbol, and what a state shows of its d
    units.

    Attributes:
        start: from the case, the state before any symbol.
        step: from the case, a state and a symbol, the next state.
        out: from the case and a state, the values of the d units.
        modes: a state is a pair of a mode, one of finitely many (what the network remembers of the symbols
            before), and numbers.
    """

    start: Callable[[Any], Any]
    step: Callable[[Any, Any, Any], Any]
    out: Callable[[Any, Any], tuple[Any, ...]]
    modes: bool = False

    def values(self, case: Any, string: String) -> Iterator[tuple[Any, ...]]:
        """[c(x)]_1, ..., [c(x)]_d for every prefix x of the string, from the empty one on.

        One at a time: without memoryless gates exact values may double their digits with every symbol.
        """
        state = untouched(self.start(case))
        yield self.out(case, state)
        for symbol in string:
            state = self.step(case, untouched(state), symbol)
            yield self.out(case, state)

    def levels(self, case: Any, longest: int) -> Iterator[list[tuple[Any, ...]]]:
        """For each length up to ``longest`` the values for all strings of that length, in the alphabet's
        order.
        """
        states = [untouched(self.start(case))]
        yield [self.out(case, state) for state in states]
        for _ in range(longest):
            states = [
                self.step(case, untouched(state), symbol) for state in states for symbol in case.alphabet
            ]
            yield [self.out(case, state) for state in states]


@dataclass(frozen=True)
class Variant:
    """A way to read the claim: as printed, corrected, or with a hypothesis dropped.

    Attributes:
        name: ``printed``, ``printed-...``, ``corrected`` or ``without-...``.
        expected: what the suite must find.
        says: what this reading says, in a sentence.
        recurrence: the network.
        construction: from a case, one automaton a unit.
        cases: for an alphabet, random cases over it, for Hypothesis.
        small_cases: for a number of letters, all cases with weights among 0, 1, -1 and 1/2, the simplest
            first.
        kinds: the kinds of evidence that it promises.
        algorithm: how an automaton's scores are computed, as a recurrence that is given the automaton in
            place of a case; ``None`` for Forward.
        proof: the invariant that proves it for all weights, strings and sizes.
        network: where there is a program in place of a recurrence: from the names of claim and variant, the
            comparison of its two sides.
        alphabet: the symbols of all its cases, where they are given and not drawn.
        theorem: what Coq's kernel accepts of it; with one, it promises to be kernel-checked.
        shortest: strings that are shorter are not compared: 1 where a statement is about nonempty strings.
        no_automaton: with the hypothesis dropped there is no such automaton at all, and the refutation has to
            show it: a Hankel block of full rank n says that no automaton with fewer than n states computes
                the unit.
        any_start: no initial distribution makes the constructed automaton right, and the refutation has to
            show it: the network's value lies outside of what the automaton scores from each single state, so
                it is no mean of those.
    """

    name: str
    expected: Expectation
    says: str
    recurrence: Recurrence
    construction: Callable[[Any], Sequence[WFSA]]
    cases: Callable[[str], SearchStrategy[Any]]
    small_cases: Callable[[int], Iterator[Any]]
    kinds: tuple[str, ...] = LADDER
    algorithm: Recurrence | None = None
    proof: Induction | None = None
    no_automaton: bool = False
    any_start: bool = False
    shortest: int = 0
    network: Callable[[str, str], Any] | None = None
    alphabet: tuple[str, ...] | None = None
    theorem: Theorem | None = None

    def __post_init__(self) -> None:
        if self.theorem is not None and KERNEL not in self.kinds:
            object.__setattr__(self, "kinds", (*self.kinds, KERNEL))

    def scores(self, automaton: WFSA, string: String) -> Sequence[Any]:
        """The scores of every prefix of the string, from the empty one to the string itself, as this reading
        computes them.
        """
        if self.algorithm is None:
            return list(prefix_scores(automaton, string))
        return [value for (value,) in self.algorithm.values(automaton, string)]


@dataclass(frozen=True)
class Source:
    """Where a paper says it.

    Attributes:
        paper: the key in ``docs/references.bib``.
        section, statement: as the paper numbers them.
        equations: the numbers of the equations.
    """

    paper: str
    section: str
    statement: str
    equations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A row of one of the paper's tables.

    Attributes:
        table: its number.
        cells: what the paper has in that row, in our words.
    """

    table: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Claim:
    """One statement of a paper.

    Attributes:
        name: as the command line knows it, ``proposition-7``.
        title: a few words.
        statement: what it says, in our own words.
        source: where the paper says it.
        hypotheses: what it assumes, said or not.
        variants: at least one of them expected to hold.
        example: a case to draw on the claim's page.
        uses: the names of the claims that it follows from.
        case: the class of its cases, which reads them back from JSON.
        row: where it stands in one of the paper's tables.
    """

    name: str
    title: str
    statement: str
    source: Source
    hypotheses: tuple[str, ...]
    variants: tuple[Variant, ...]
    example: Any
    uses: tuple[str, ...] = ()
    case: Any = Weights
    row: Row | None = None

    def variant(self, name: str) -> Variant:
        """The variant of that name."""
        for variant in self.variants:
            if variant.name == name:
                return variant
        raise KeyError(
            f"{self.name} has no variant {name!r}; it has {', '.join(v.name for v in self.variants)}"
        )
