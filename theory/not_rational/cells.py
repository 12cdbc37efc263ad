"""The cells by name: the cells of the paper, and newer layers whose units are not automata.

Each newer layer is defined in one file in :mod:`theory.not_rational.layers`.
"""

from __future__ import annotations

import importlib
import pkgutil

from automata.errors import InputError
from theory.not_rational import layers, steps
from theory.not_rational.cell import INPUT, ONE, PER_UNIT, SQUARE, Cell


def _gates(names: str) -> dict[str, tuple[str, ...]]:
    """Return the shapes of W, U and b for each gate; the gates read the letter and the previous state."""
    return {
        f"{kind}_{g}": shape for g in names for kind, shape in (("W", INPUT), ("U", SQUARE), ("b", PER_UNIT))
    }


_SRU = {"W_f": INPUT, "b_f": PER_UNIT, "W_u": INPUT}
_SCRN = {"W_s": INPUT, "alpha": ONE, "W_h": INPUT, "P_h": SQUARE, "U_h": SQUARE}
_GRU = {**_gates("rz"), "W_n": INPUT, "b_n": PER_UNIT, "U_m": SQUARE, "b_m": PER_UNIT}

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
        {**_SRU, "v_f": PER_UNIT},
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


def _newer() -> list[Cell]:
    """Import the file of each newer layer, and return the ``CELL`` that it defines."""
    modules = pkgutil.iter_modules(layers.__path__, f"{layers.__name__}.")
    return [importlib.import_module(module.name).CELL for module in modules]


CELLS = {cell.name: cell for cell in (*_ALL, *_newer())}
"""All cells by name. Cells whose units are automata are controls."""


def cell_named(name: str) -> Cell:
    """Return the cell with this name.

    >>> cell_named("gru").vectors
    ('h',)
    """
    if name not in CELLS:
        raise InputError(f"there is no cell {name!r}; the cells are {', '.join(CELLS)}")
    return CELLS[name]
