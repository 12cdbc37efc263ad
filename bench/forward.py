"""Benchmark of the Forward algorithm for dense automata, compared with OpenFst in the same run.

Run it with ``python bench/forward.py [STATES ...]``. The input has 256 strings of length 64 over 8 symbols,
and a dense automaton in float64. Both programs start from strings of symbols and end with scores. The time to
compile and sort OpenFst's automaton is not measured. For each string, OpenFst composes the string with the
automaton and removes epsilon transitions (``automata/io/openfst_scores.py``).
"""

import sys

import numpy as np
from timing import host, median, show

from automata import batch
from automata.io.openfst_scores import Scorer
from automata.semirings import MAX_PLUS, REAL, Semiring
from automata.wfsa import WFSA

STRINGS, LENGTH, SYMBOLS = 256, 64, "abcdefgh"
WANTED = {"real": 500, "max-plus": 300}


def automaton(semiring: Semiring, states: int) -> WFSA:
    """Return a dense random automaton whose scores of strings of 64 symbols neither vanish nor overflow."""
    rng = np.random.default_rng(states)
    tables = (rng.random((len(SYMBOLS), states, states)) + 0.5) / states
    return WFSA(semiring, rng.random(states), rng.random(states), dict(zip(SYMBOLS, tables, strict=True)))


def main() -> None:
    """Print the times of both programs for each semiring and number of states."""
    sizes = [int(n) for n in sys.argv[1:]] or [16, 64, 256]
    rng = np.random.default_rng(0)
    strings = ["".join(rng.choice(list(SYMBOLS), LENGTH)) for _ in range(STRINGS)]
    show(f"Forward, {STRINGS} strings of length {LENGTH}, {len(SYMBOLS)} symbols", host("numpy"))
    for semiring in (REAL, MAX_PLUS):
        for states in sizes:
            machine = automaton(semiring, states)
            ours = median(lambda: batch.scores(machine, strings), 9)  # noqa: B023
            scorer = Scorer(machine)
            # OpenFst takes minutes for large automata: time some of the strings, and extrapolate to all.
            some = strings[: max(2, STRINGS // max(1, states // 8) ** 2)]
            repeats = 1 if states > 100 else 3
            seconds = median(lambda: [scorer.score(x) for x in some], repeats)  # noqa: B023
            theirs = seconds * STRINGS / len(some)
            scores = batch.scores(machine, some)
            assert np.allclose(scores, [scorer.score(x) for x in some[:2]] + list(scores[2:]), rtol=1e-4)
            figures = {"ratproof ms": 1e3 * ours, "OpenFst ms": 1e3 * theirs, "ratio": theirs / ours}
            show(f"{semiring.name}, {states} states", {**figures, "wanted": WANTED[semiring.name]})


if __name__ == "__main__":
    main()
