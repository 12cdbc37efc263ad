"""How long the decision about large, sparse automata takes, how long its certificate takes to check, and how
much memory that is.

``python bench/large_equivalence.py [STATES [FILE]]`` prints a table of all families of
:mod:`automata.testing.random_pairs`, each as an equal pair and with one weight changed, and writes the
figures to FILE as JSON. Each pair has a process of its own, so that its memory is seen; the seed is kept.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from automata.equivalence import Equivalent, equivalent
from automata.testing.random_pairs import FAMILIES, changed
from ratproof.checkers.table import judge

SEED = 7
WANTED = {5_000: (10, 1, 5), 100_000: (120, 4, None)}
"""Seconds and gigabytes of the decision, and seconds of the check, at most, by states."""


def measured(family: str, states: int, change: bool) -> dict[str, Any]:
    """The figures of one pair."""
    rng = np.random.default_rng(SEED)
    a, b = FAMILIES[family](rng, states)
    b = changed(rng, b) if change else b
    warm, other = FAMILIES["permuted"](rng, 400)  # compiles
    equivalent(warm, other)
    begun = perf_counter()
    answer = equivalent(a, b)
    figures: dict[str, Any] = {
        "verdict": answer.verdict,
        "seconds": perf_counter() - begun,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "states": a.states + b.states,
        "transitions": a.transitions + b.transitions,
        **{name: value for name, value in answer.figures.items() if name in ("links", "nonzeros", "methods")},
    }
    if answer.word is not None:
        figures["symbols"] = len(answer.word)
    if isinstance(answer, Equivalent) and answer.certificate is not None:
        data = answer.certificate.to_json()
        begun = perf_counter()
        assert judge(data).verdict == "accepted"
        figures["check"] = perf_counter() - begun
    return figures


def main() -> None:
    """Print the table, and write the figures."""
    states = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    results: dict[str, Any] = {
        "date": str(date.today()),
        "cores": os.cpu_count(),
        "states": states,
        "pairs": {},
    }
    print(f"{results['date']}, {results['cores']} cores; {states} states, 4 symbols")
    print(f"  wanted (seconds, gigabytes, seconds to check): {WANTED.get(states)}")
    for family in FAMILIES:
        for change in (False, True):
            name = f"{family}{', changed' if change else ''}"
            command = [sys.executable, __file__, "--one", family, str(states), str(int(change))]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            found = results["pairs"][name] = json.loads(done.stdout)
            check = f", checked in {found['check']:.2f} s" if "check" in found else ""
            print(
                f"  {name:26} {found['verdict']:10} {found['seconds']:7.2f} s {found['gigabytes']:5.2f} GB"
                f" ({found['states']} states, {found['transitions']} transitions){check}",
                flush=True,
            )
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(sys.argv[2], int(sys.argv[3]), sys.argv[4] == "1")))
    else:
        main()
