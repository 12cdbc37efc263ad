"""Corollary 9: the recurrence of Example 6 is rational (Definition 8): d units, d automata, every string.

Peng et al. 2018, section 3.2, equation 9. Definition 8 speaks of all strings, where Proposition 7 speaks of nonempty ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from automata.wfsa import WFSA
from theory.claim import Claim, Recurrence, Source, Variant
from theory.rational_recurrences import proposition_7
from theory.rational_recurrences.proposition_7 import (
    ANYWHERE,
    AT_ONE,
    AT_ZERO,
    GRID,
    ONE,
    READS_STATE,
    ZERO,
    Cell,
    cells,
    small_cells,
)

# The weights of d units over one alphabet.


@dataclass(frozen=True)
class Layer:
    """The d units of Example 6."""

    units: tuple[Cell, ...]

    @property
    def alphabet(self) -> str:
        """The symbols, in order."""
        return self.units[0].alphabet

    def describe(self) -> str:
        """The weights on one line, unit by unit."""
        return "; ".join(f"unit {i}: {cell.describe()}" for i, cell in enumerate(self.units))

    def renamed(self, names: dict[str, str]) -> Layer:
        """The same gates for the letters named, under their new names."""
        return Layer(tuple(cell.renamed(names) for cell in self.units))

    def to_json(self) -> dict[str, Any]:
        """The weights as strings."""
        return {"units": [cell.to_json() for cell in self.units]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Layer:
        """What :meth:`to_json` wrote."""
        return cls(tuple(map(Cell.from_json, data["units"])))


# The recurrence (equation 5c), all units at once.

example_6 = Recurrence(
    start=lambda layer: tuple(cell.start for cell in layer.units),
    step=lambda layer, c, x: tuple(proposition_7.step(cell, c_i, x) for cell, c_i in zip(layer.units, c, strict=True)),
    out=lambda layer, c: c,
)


# The construction: one automaton of Figure 1 a unit.


def one_a_unit(construction: Callable[[Cell], list[WFSA]]) -> Callable[[Layer], list[WFSA]]:
    """Proposition 7's construction for each unit."""
    return lambda layer: [construction(cell)[0] for cell in layer.units]


# Random layers, and all small ones.


def layers(
    alphabet: str, start: st.SearchStrategy[Any] = AT_ZERO, feedback: st.SearchStrategy[Any] = AT_ZERO
) -> st.SearchStrategy[Layer]:
    """Random layers of one to three units over the alphabet."""
    units = st.lists(cells(alphabet, start, feedback), min_size=1, max_size=3)
    return units.map(lambda drawn: Layer(tuple(drawn)))


def small_layers(letters: int, **options: Any) -> Iterator[Layer]:
    """Layers whose first unit is each cell with weights 0, 1, -1 or 1/2; a second unit has its gates, changed round.

    Over one letter, layers of a single unit too, which come first.
    """
    for cell in small_cells(letters, **options):
        if letters == 1:
            yield Layer((cell,))
        yield Layer((cell, replace(cell, forget=cell.update, update=cell.forget)))


CLAIM = Claim(
    name="corollary-9",
    title="The recurrence of Example 6 is rational",
    statement=(
        "The recurrence of Example 6 with d units is rational: there are d weighted automata over the real semiring whose "
        "scores are the d units, for every string, the empty one included."
    ),
    source=Source("peng2018rational", "3.2", "Corollary 9", ("9",)),
    hypotheses=proposition_7.CLAIM.hypotheses,
    case=Layer,
    variants=(
        Variant(
            name="corrected",
            expected="holds",
            says="one automaton of Figure 1 a unit, with lambda(q_1) = c_0",
            recurrence=example_6,
            construction=one_a_unit(proposition_7.figure_1_from_c_0),
            cases=lambda alphabet: layers(alphabet, start=ANYWHERE),
            small_cases=lambda letters: small_layers(letters, starts=GRID),
        ),
        Variant(
            name="printed",
            expected="refuted",
            says="the automata of Figure 1 as drawn; c_0 is never said, taken as 1",
            recurrence=example_6,
            construction=one_a_unit(proposition_7.figure_1),
            cases=lambda alphabet: layers(alphabet, start=AT_ONE),
            small_cases=lambda letters: small_layers(letters, starts=[ONE]),
        ),
        Variant(
            name="without-memoryless-gates",
            expected="refuted",
            says="forget gates that also read the state before them",
            recurrence=example_6,
            construction=one_a_unit(proposition_7.figure_1),
            cases=lambda alphabet: layers(alphabet, feedback=READS_STATE),
            small_cases=lambda letters: small_layers(letters, feedbacks=GRID[1:]),
            kinds=("sampled", "cross-checked", "exhausted"),  # not decided: the step is not affine, and no automaton of this kind
            no_automaton=True,
        ),
    ),
    example=Layer((proposition_7.CLAIM.example, Cell({"a": ZERO, "b": Fraction(1, 2)}, {"a": ONE, "b": Fraction(2)}))),
    uses=("proposition-7",),
)
