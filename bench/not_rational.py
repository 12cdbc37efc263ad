"""Benchmark of lower bounds on the number of states of automata that compute the paper's cells.

``python bench/not_rational.py [FILE] [LARGEST]`` prints a table, and writes the figures to FILE as JSON,
which the docs show. The sizes (numbers of states) are 63, 127, 255 and so on to LARGEST (255 by default). For
each size, the figures are the precision in bits and the seconds to find the bound, including the attempts
with lower precision. The checker is timed for 63 states. Weights and strings are those of the command
``not-rational``. The controls are rational cells; their bound must not exceed the number of states that is
known to suffice. "Every size" states whether the hypotheses of the theorem for all sizes are proved.
"""

import json
from typing import Any

from timing import argument, host, seconds, show, write

from ratproof.certification.not_rational.every_size import EverySize, every_size
from ratproof.certification.not_rational.hankel_bound import Bound, bound, largest
from ratproof.certification.not_rational.matrix import first_strings
from ratproof.checkers import check_hankel
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import WeightedCell, some

CHECKED, LARGEST = 63, 255
CASES = [(cell, units) for cell in CELLS for units in ((1, 2) if cell in ("elman", "elman-linear") else (1,))]


def sizes(largest_size: int) -> list[int]:
    """Return the sizes 63, 127, 255 and so on, up to ``largest_size``."""
    return [n for k in range(6, 12) if (n := 2**k - 1) <= largest_size]


def reached(unit: WeightedCell, size: int) -> dict[str, Any]:
    """Find a lower bound of ``size`` states for a unit of a cell, and return its figures.

    They are the precision in bits, the seconds to find the bound, and for 63 states the checker's seconds.
    """
    strings = first_strings(unit.letters, size, unit.cell.counts)
    result = bound(unit, 0, strings, strings, most_bits=2**14)
    assert isinstance(result, Bound), result
    figures: dict[str, Any] = {"bits": result.bits, "seconds": result.seconds}
    if size == CHECKED:
        certificate = json.loads(json.dumps(result.to_json()))
        figures["checker"] = seconds(lambda: check_hankel.verdict(certificate))
    return figures


def main() -> None:
    """Print the table, and write the figures."""
    last = int(argument(2) or LARGEST)
    results: dict[str, Any] = {**host("python-flint"), "cells": [], "controls": []}
    show("not rational", results)
    for name, units in CASES:
        unit = some(CELLS[name], units)
        if CELLS[name].rational:
            best, unknown = largest(unit)
            assert best is not None and unknown is not None
            control = {"cell": name, "units": units, "states": best.states, "unknown": unknown.size}
            results["controls"].append(control)
            show("control", control)
            continue
        figures = {str(size): reached(unit, size) for size in sizes(last)}
        theorem = isinstance(every_size(unit), EverySize)
        results["cells"].append({"cell": name, "units": units, "sizes": figures, "every_size": theorem})
        for size, row in figures.items():
            show(f"{name}, {units} units, {size} states", row)
    write(results, argument(1))


if __name__ == "__main__":
    main()
