"""What a reading of a claim says: that a network equals automata, or that there is no such automaton.

Every claim here has one shape (Definition 8, Peng et al. 2018): a recurrence c with d units equals d
automata, [c(x)]_i = A_i[x] for all strings x. A *case* is the weights that both are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from automata.forward import prefix_scores
from automata.strings import String
from automata.wfsa import WFSA


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
class Clamped(Recurrence):
    """A network that steps linearly, and shows a function of its scores clamped to at most 1; made by
    :meth:`of`. What it shows is always made of ``scores`` and ``shown``.

    Attributes:
        scores: from the case and a state, the scores.
        shown: from the case and the clamped scores, what it shows.
    """

    scores: Callable[[Any, Any], tuple[Any, ...]] = lambda case, state: ()
    shown: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]] = lambda case, clamped: ()

    @classmethod
    def of(
        cls,
        start: Callable[[Any], Any],
        step: Callable[[Any, Any, Any], Any],
        scores: Callable[[Any, Any], tuple[Any, ...]],
        shown: Callable[[Any, tuple[Any, ...]], tuple[Any, ...]],
    ) -> Clamped:
        """The network whose ``out`` is ``shown`` of min(1, score), for each of the scores."""
        return cls(start=start, step=step, out=scores, scores=scores, shown=shown)

    def __post_init__(self) -> None:
        def out(case: Any, state: Any) -> tuple[Any, ...]:
            return self.shown(case, tuple(min(1, score) for score in self.scores(case, state)))

        object.__setattr__(self, "out", out)


@dataclass(frozen=True)
class Equality:
    """Each unit of the network gives every string the score that its automaton gives it.

    Attributes:
        recurrence: the network.
        construction: from a case, one automaton a unit.
        algorithm: how an automaton's scores are computed, as a recurrence that is given the automaton in
            place of a case; ``None`` for Forward.
        shortest: strings that are shorter are not compared: 1 where a statement is about nonempty strings.
    """

    recurrence: Recurrence
    construction: Callable[[Any], Sequence[WFSA]]
    algorithm: Recurrence | None = None
    shortest: int = 0

    def scores(self, automaton: WFSA, string: String) -> Sequence[Any]:
        """The scores of every prefix of the string, from the empty one on, as this reading computes them."""
        if self.algorithm is None:
            return list(prefix_scores(automaton, string))
        return [value for (value,) in self.algorithm.values(automaton, string)]


@dataclass(frozen=True)
class NoAutomaton(Equality):
    """An equality that fails for every automaton: with the hypothesis dropped there is none, and the
    refutation has to show it. A Hankel block of full rank n says that no automaton with fewer than n states
    computes the unit.

    Attributes:
        unit: the cell in :mod:`theory.not_rational.cells` whose first unit is decided to
            be no automaton, with the paper's own nonlinearity; ``None`` where none is.
    """

    unit: str | None = None


@dataclass(frozen=True)
class NoInitialDistribution(Equality):
    """An equality that fails whatever the constructed automaton starts with, and the refutation has to show
    it: the network's value lies outside of what the automaton scores from each single state, so it is no mean
    of those.
    """


@dataclass(frozen=True)
class Following(Equality):
    """An equality of a mixture's most probable place with an automaton's state. The mixture itself is no
    automaton, so all strings are decided by boxes of mixtures that the step takes into one another.
    """
