"""What a cell is: its step, its weights' shapes, and which vector of its state has the units. And those of
the paper, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from automata.errors import InputError
from theory.rational_recurrences.not_rational import steps
from theory.rational_recurrences.not_rational.arithmetic import Arithmetic
from theory.rational_recurrences.not_rational.steps import State, Weights

INPUT, SQUARE, PLACES, ONE = ("units", "letters"), ("units", "units"), ("units",), ()


@dataclass(frozen=True)
class Cell:
    """A recurrent cell over any arithmetic. Its state begins with zeros, as torch's does.

    Attributes:
        name: as the command line knows it.
        says: what it is, in a few words, with its source.
        step: from the weights, the state and a letter's number, the next state.
        shapes: for each weight ``("units", "letters")``, ``("units", "units")``, ``("units",)`` or ``()``, a
            single number.
        vectors: the names of the state's vectors, each with a number a unit.
        output: the vector whose numbers are the cell's units.
        rational: whether it is an automaton, so that large sizes must stay ``unknown``.
    """

    name: str
    says: str
    step: Callable[[Weights, State, int, Arithmetic], State]
    shapes: Mapping[str, tuple[str, ...]]
    vectors: tuple[str, ...] = ("h",)
    output: str = "h"
    rational: bool = False

    def start(self, units: int, arithmetic: Arithmetic) -> State:
        """The state before any letter: zeros."""
        zero = arithmetic.number(steps.ZERO)
        return tuple([zero] * units for _ in self.vectors)

    def units(self, state: State) -> steps.Vector:
        """The numbers of the units in a state."""
        return state[self.vectors.index(self.output)]


def _gates(names: str) -> dict[str, tuple[str, ...]]:
    """W, U and b of gates that read the letter and the state."""
    return {
        f"{kind}_{g}": shape for g in names for kind, shape in (("W", INPUT), ("U", SQUARE), ("b", PLACES))
    }


_SRU = {"W_f": INPUT, "b_f": PLACES, "W_u": INPUT}
_SCRN = {"W_s": INPUT, "alpha": ONE, "W_h": INPUT, "P_h": SQUARE, "U_h": SQUARE}
_GRU = {**_gates("rz"), "W_n": INPUT, "b_n": PLACES, "U_m": SQUARE, "b_m": PLACES}

_ALL = (
    Cell("elman", "Elman network with tanh (Elman 1990)", steps.elman, _gates("h")),
    Cell(
        "lstm",
        "LSTM, the memory c (Hochreiter and Schmidhuber 1997)",
        steps.lstm,
        _gates("ifgo"),
        ("c", "h"),
        "c",
    ),
    Cell("gru", "GRU (Cho et al. 2014)", steps.gru, _GRU),
    Cell(
        "sru-feedback",
        "SRU whose gate reads c_{t-1} (Lei et al. 2018)",
        steps.sru_feedback,
        {**_SRU, "v_f": PLACES},
        ("c",),
        "c",
    ),
    Cell(
        "rcnn",
        "RCNN of bigrams whose gate reads c_{t-1} (Lei et al. 2016)",
        steps.rcnn,
        {**_gates("l"), "W_1": INPUT, "W_2": INPUT},
        ("c1", "c2"),
        "c2",
    ),
    Cell(
        "rcnn-unigram",
        "RCNN of unigrams whose gate reads c_{t-1}",
        steps.rcnn_unigram,
        {**_gates("l"), "W_1": INPUT},
        ("c",),
        "c",
    ),
    Cell("scrn", "SCRN, the hidden units (Mikolov et al. 2014)", steps.scrn, _SCRN, ("s", "h"), "h"),
    Cell(
        "scrn-context",
        "SCRN, the context units: an automaton of 2 states",
        steps.scrn,
        _SCRN,
        ("s", "h"),
        "s",
        rational=True,
    ),
    Cell(
        "sru",
        "SRU as first published (Lei et al. 2017): an automaton of 2 states",
        steps.sru,
        _SRU,
        ("c",),
        "c",
        rational=True,
    ),
    Cell(
        "elman-linear",
        "Elman network without tanh: an automaton of d + 1 states",
        steps.elman_linear,
        _gates("h"),
        rational=True,
    ),
)

CELLS = {cell.name: cell for cell in _ALL}
"""The cells of the paper by name; those that are automata are controls."""


def cell_named(name: str) -> Cell:
    """The cell of that name.

    >>> cell_named("gru").vectors
    ('h',)
    """
    if name not in CELLS:
        raise InputError(f"there is no cell {name!r}; there are {', '.join(CELLS)}")
    return CELLS[name]
