"""What a cell is: its step, its weights' shapes, and which vector of its state has the units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.vectors import ZERO, State, Vector, Weights

INPUT, SQUARE, PLACES, TOKEN, ONE = ("units", "letters"), ("units", "units"), ("units",), ("letters",), ()


@dataclass(frozen=True)
class Cell:
    """A recurrent cell over any arithmetic. Its state begins with zeros, as torch's does.

    Attributes:
        name: as the command line knows it.
        says: what it is, in a few words, with its source.
        step: from the weights, the state and a letter's number, the next state.
        shapes: for each weight ``("units", "letters")``, ``("units", "units")``, ``("units",)``,
            ``("letters",)`` or ``()``, a single number.
        vectors: the names of the state's vectors.
        output: the vector whose numbers are the cell's units.
        rational: whether it is an automaton, so that large sizes must stay ``unknown``.
        extents: how many numbers a vector has, as the product of a shape, where that is not a number a unit.
        positive: the weights that must be greater than 0.
        fewest: units; with fewer it is something else.
        counts: whether its unit hangs, but for the last letter, on how often each letter was read and not on
            their order. A Hankel matrix is then made of strings in the alphabet's order: others repeat rows.
        seed: of its example weights.
    """

    name: str
    says: str
    step: Callable[[Weights, State, int, Arithmetic], State]
    shapes: Mapping[str, tuple[str, ...]]
    vectors: tuple[str, ...] = ("h",)
    output: str = "h"
    rational: bool = False
    extents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    positive: tuple[str, ...] = ()
    fewest: int = 1
    counts: bool = False
    seed: int = 41

    def start(self, units: int, letters: int, arithmetic: Arithmetic) -> State:
        """The state before any letter: zeros."""
        zero, sizes = arithmetic.number(ZERO), {"units": units, "letters": letters}
        extents = [self.extents.get(vector, PLACES) for vector in self.vectors]
        return tuple([zero] * prod(sizes[name] for name in extent) for extent in extents)

    def units(self, state: State) -> Vector:
        """The numbers of the units in a state."""
        return state[self.vectors.index(self.output)]
