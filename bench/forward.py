"""Forward beside OpenFst in the same run: 256 strings of length 64, 8 symbols, dense automata, float64.

``python bench/forward.py [STATES ...]``. Both sides start from strings of symbols and end with scores;
OpenFst gets its automaton compiled and sorted beforehand, and runs compose and an epsilon removal for each
string (``automata/io/openfst_scores.py``).
"""

from __future__ import annotations

import os
import platform
import sys
from datetime import date

import numpy as np
from timing import median

from automata import batch
from automata.io.openfst_scores import Scorer
from automata.semirings import MAX_PLUS, REAL, Semiring
from automata.wfsa import WFSA

STRINGS, LENGTH, SYMBOLS = 256, 64, "abcdefgh"
WANTED = {"real": 500, "max-plus": 300}


def automaton(semiring: Semiring, states: int) -> WFSA:
    """Dense, with weights that neither vanish nor overflow over 64 symbols."""
    rng = np.random.default_rng(states)
    tables = (rng.random((len(SYMBOLS), states, states)) + 0.5) / states
    return WFSA(semiring, rng.random(states), rng.random(states), dict(zip(SYMBOLS, tables, strict=True)))


def main() -> None:
    """Print a table."""
    sizes = [int(n) for n in sys.argv[1:]] or [16, 64, 256]
    rng = np.random.default_rng(0)
    strings = ["".join(rng.choice(list(SYMBOLS), LENGTH)) for _ in range(STRINGS)]
    print(
        f"{date.today()}, {platform.python_implementation()} {platform.python_version()}, numpy"
        f" {np.__version__}"
    )
    print(
        f"Forward, {STRINGS} strings of length {LENGTH}, {len(SYMBOLS)} symbols; {os.cpu_count()} cores,"
        f" {platform.machine()}"
    )
    print(f"{'semiring':10} {'states':>6} {'ratproof ms':>12} {'OpenFst ms':>12} {'ratio':>7} {'wanted':>7}")
    for semiring in (REAL, MAX_PLUS):
        for states in sizes:
            machine = automaton(semiring, states)
            ours = median(lambda: batch.scores(machine, strings), 9)  # noqa: B023
            scorer = Scorer(machine)
            # OpenFst takes minutes for the large ones: time some of the strings, and say it for all.
            some = strings[: max(2, STRINGS // max(1, states // 8) ** 2)]
            repeats = 1 if states > 100 else 3
            seconds = median(lambda: [scorer.score(x) for x in some], repeats)  # noqa: B023
            theirs = seconds * STRINGS / len(some)
            scores = batch.scores(machine, some)
            assert np.allclose(scores, [scorer.score(x) for x in some[:2]] + list(scores[2:]), rtol=1e-4)
            print(
                f"{semiring.name:10} {states:6} {ours * 1e3:12.2f} {theirs * 1e3:12.0f} {theirs / ours:7.0f}"
                f" {WANTED[semiring.name]:7}"
            )


if __name__ == "__main__":
    main()
