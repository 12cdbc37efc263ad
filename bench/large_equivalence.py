"""Benchmark of the decision of equivalence for large sparse automata.

``python bench/large_equivalence.py [STATES [FILE]]`` prints a table, and writes the figures to FILE as JSON.
They are the seconds and the memory of the decision, and the seconds to check the certificate. There are two
pairs from each family of :mod:`automata.testing.random_pairs`: an equivalent pair, and the same pair with one
weight changed. Each pair runs in a separate process, so that its memory can be measured. The seed is fixed.
"""

import json
import os
import subprocess
import sys
from datetime import date
from time import perf_counter
from typing import Any

import numpy as np
from timing import argument, gigabytes, seconds, show, write

from automata.equivalence import Equivalent, equivalent
from automata.testing.random_pairs import FAMILIES, changed
from ratproof.checkers.table import judge

SEED = 7
WANTED = {5_000: (10, 1, 5), 100_000: (120, 4, None)}
"""The limits of the figures, keyed by the number of states.

They are the maximum seconds and gigabytes of the decision, and the maximum seconds of the check.
"""


def measured(family: str, states: int, change: bool) -> dict[str, Any]:
    """Decide one pair, check its certificate, and return the figures.

    The pair has the given family and number of states, and one changed weight if ``change`` is true.
    """
    rng = np.random.default_rng(SEED)
    a, b = FAMILIES[family](rng, states)
    b = changed(rng, b) if change else b
    warm, other = FAMILIES["permuted"](rng, 400)  # compile the kernels before the measurement
    equivalent(warm, other)
    begun = perf_counter()
    answer = equivalent(a, b)
    figures: dict[str, Any] = {
        "verdict": answer.verdict,
        "seconds": perf_counter() - begun,
        "gigabytes": gigabytes(),
        "states": a.states + b.states,
        "transitions": a.transitions + b.transitions,
        **{name: value for name, value in answer.figures.items() if name in ("links", "nonzeros", "methods")},
    }
    if answer.word is not None:
        figures["symbols"] = len(answer.word)
    if isinstance(answer, Equivalent) and answer.certificate is not None:
        data = answer.certificate.to_json()
        figures["check"] = seconds(lambda: _require_accepted(data))
    return figures


def _require_accepted(data: Any) -> None:
    assert judge(data).verdict == "accepted"


def main() -> None:
    """Print the table, and write the figures."""
    states = int(argument(1) or 5_000)
    about = {"date": str(date.today()), "cores": os.cpu_count(), "states": states}
    results: dict[str, Any] = {**about, "pairs": {}}
    show("4 symbols", about)
    print(f"  wanted (seconds, gigabytes, seconds to check): {WANTED.get(states)}")
    for family in FAMILIES:
        for change in (False, True):
            name = f"{family}{', changed' if change else ''}"
            command = [sys.executable, __file__, "--one", family, str(states), str(int(change))]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            results["pairs"][name] = json.loads(done.stdout)
            show(f"  {name}", results["pairs"][name])
    write(results, argument(2))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "1")))
    else:
        main()
