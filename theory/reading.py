"""Formal statements of claims: a network equals automata, or no such automaton exists.

Every claim compares a recurrence c of d units with d automata (Definition 8, Peng et al. 2018):
[c(x)]_i = A_i[x] for all strings x. A *case* holds the weights from which the recurrence and the automata are
built.
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
    """Return the state, or a copy if a step could modify it.

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
    """A network over any number type: a first state, a step for each symbol, and the outputs of its d units.

    Attributes:
        start: a function from the case to the state before any symbol.
        step: a function from the case, a state and a symbol to the next state.
        out: a function from the case and a state to the values of the d units.
        modes: whether a state is a pair of a mode and numbers. A mode is one of finitely many values, such as
            the last symbol.
    """

    start: Callable[[Any], Any]
    step: Callable[[Any, Any, Any], Any]
    out: Callable[[Any, Any], tuple[Any, ...]]
    modes: bool = False

    def values(self, case: Any, string: String) -> Iterator[tuple[Any, ...]]:
        """Yield the outputs [c(x)]_1, ..., [c(x)]_d for every prefix x of the string, the empty one first.

        The outputs are computed lazily: if the gates depend on the state, the number of digits of exact
        values may double with every symbol.
        """
        state = untouched(self.start(case))
        yield self.out(case, state)
        for symbol in string:
            state = self.step(case, untouched(state), symbol)
            yield self.out(case, state)

    def levels(self, case: Any, longest: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yield, for each length up to ``longest``, the outputs for all strings of this length.

        The strings are in the alphabet's order.
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
    """A network with a linear step, whose output is a function of scores that are clamped to at most 1.

    Create instances with :meth:`of`. The output is always computed from ``scores`` and ``shown``.

    Attributes:
        scores: a function from the case and a state to the scores.
        shown: a function from the case and the clamped scores to the outputs.
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
        """Return the network that clamps its scores to at most 1 and then applies ``shown`` to them."""
        return cls(start=start, step=step, out=scores, scores=scores, shown=shown)

    def __post_init__(self) -> None:
        def out(case: Any, state: Any) -> tuple[Any, ...]:
            return self.shown(case, tuple(min(1, score) for score in self.scores(case, state)))

        object.__setattr__(self, "out", out)


@dataclass(frozen=True)
class Equality:
    """The statement that each unit of the network gives every string the score of its automaton.

    Attributes:
        recurrence: the network.
        construction: a function from a case to one automaton for each unit.
        algorithm: a recurrence that computes the scores of an automaton, which is its case; ``None`` for the
            Forward algorithm.
        shortest: the minimum length of compared strings; 1 if a statement is about nonempty
            strings.
    """

    recurrence: Recurrence
    construction: Callable[[Any], Sequence[WFSA]]
    algorithm: Recurrence | None = None
    shortest: int = 0

    def scores(self, automaton: WFSA, string: String) -> Sequence[Any]:
        """Return the automaton's score of every prefix of the string, the empty prefix first.

        The scores are computed by ``algorithm``, or by the Forward algorithm if it is ``None``.
        """
        if self.algorithm is None:
            return list(prefix_scores(automaton, string))
        return [value for (value,) in self.algorithm.values(automaton, string)]


@dataclass(frozen=True)
class NoAutomaton(Equality):
    """The false statement that a network equals automata of some size.

    Such a statement results from dropping a hypothesis. Its refutation must show that no such automaton
    exists. A Hankel block of full rank n shows that no automaton with fewer than n states computes the unit.

    Attributes:
        unit: the name of the cell in :mod:`theory.not_rational.cells` that has the paper's own nonlinearity;
            its first unit is proved to equal no automaton. ``None`` if there is no such cell.
        size: the sizes of the excluded automata, such as ``"with fewer than 3 states"``; empty if automata of
            every size are excluded.
    """

    unit: str | None = None
    size: str = ""


@dataclass(frozen=True)
class NoInitialDistribution(Equality):
    """The false statement that a network equals an automaton with some initial distribution.

    The refutation must show that the network's value is outside the range of the automaton's scores from
    single initial states. Then the value is not a weighted mean of these scores.
    """


@dataclass(frozen=True)
class Following(Equality):
    """The statement that the most probable centroid of a mixture is the state of an automaton.

    The mixture itself is not an automaton. Statements about all strings are therefore decided with boxes of
    mixtures: each step maps every box into a box.
    """
