"""Recurrent cells, defined by a step, weight shapes, and the state vector that contains the units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod

from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.vectors import ZERO, State, Vector, Weights

INPUT, SQUARE, PER_UNIT, TOKEN, ONE = ("units", "letters"), ("units", "units"), ("units",), ("letters",), ()


@dataclass(frozen=True)
class Cell:
    """A recurrent cell over any arithmetic; as in torch, the initial state is zero.

    Attributes:
        name: the name on the command line.
        says: a short description with its source.
        step: a function from the weights, the state and a letter's index to the next state.
        shapes: the shape of each weight: ``("units", "letters")``, ``("units", "units")``, ``("units",)``,
            ``("letters",)``, or ``()`` for a scalar.
        vectors: the names of the state's vectors.
        output: the name of the vector whose components are the cell's units.
        rational: whether its units are automata; then the verdict for large sizes must remain ``unknown``.
        extents: the shapes of the state's vectors that do not have one component for each unit. A vector is a
            flat list, whose length is the product of its shape.
        positive: the weights that must be positive.
        fewest: the minimum number of units; smaller cells are degenerate, such as a softmax over one slot.
        counts: whether its units depend only on the last letter and on how often each letter was read. A
            Hankel matrix then uses only strings whose letters are in the alphabet's order, because the rows
            of other strings are duplicates.
        seed: the seed of its example weights.
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
        """Return the state before any letter, in which all vectors are zero."""
        zero, sizes = arithmetic.number(ZERO), {"units": units, "letters": letters}
        extents = [self.extents.get(vector, PER_UNIT) for vector in self.vectors]
        return tuple([zero] * prod(sizes[name] for name in extent) for extent in extents)

    def units(self, state: State) -> Vector:
        """Return the values of the units in a state, that is, the state's vector ``output``."""
        return state[self.vectors.index(self.output)]
