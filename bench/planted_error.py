"""Benchmark of hunts (random searches for counterexamples): cases per second, and seconds to find an error.

The error occurs on one string in 10,000: on strings whose checksum is divisible by 10,000. In one experiment,
a layer of Example 6 is replaced by one whose state has an error of 1e-3 after these strings. In the other,
the recurrence of Proposition 7 is replaced by one with an error of 1/1000 after them.
"""

import time
import zlib
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest import mock

from timing import show

from ratproof.hunting.rounds import Round
from ratproof.hunting.targets import by_name, collect
from ratproof.hunting.worker import Worker
from ratproof.implementations.layer import LayerComparison
from ratproof.ladder.hypothesis_profile import forget_constants
from theory.claim import Variant
from theory.reading import Recurrence
from theory.registry import claim_named

ONE_IN = 10_000
OF = {"exact": "-sampled]", "network": "-sampled-"}
"""The part of a target's name that shows whether the target compares exact recurrences or networks."""


def planted(string: Any) -> bool:
    """Return whether the planted error occurs after this string."""
    return len(string) > 0 and zlib.crc32("".join(string).encode()) % ONE_IN == 0


def wrong_unit() -> Any:
    """Return a patch that plants an error of 1/1000 into the recurrence of Proposition 7.

    The error occurs after the strings for which :func:`planted` is true.
    """
    right = claim_named("proposition-7")

    def spoilt(variant: Variant) -> Variant:
        inner = variant.equality.recurrence
        recurrence = Recurrence(
            start=lambda cell: (inner.start(cell), ""),
            step=lambda cell, state, symbol: (inner.step(cell, state[0], symbol), state[1] + symbol),
            out=lambda cell, state: tuple(
                c + Fraction(planted(state[1]), 1000) for c in inner.out(cell, state[0])
            ),
        )
        return replace(variant, reading=replace(variant.reading, recurrence=recurrence))

    wrong = replace(right, variants=(spoilt(right.variant("corrected")),))
    return mock.patch("ratproof.implementations.exact.claim_named", return_value=wrong)


def wrong_layer() -> Any:
    """Return a patch that plants an error of 1e-3 into the states of networks.

    The error occurs after the strings for which :func:`planted` is true.
    """
    right = LayerComparison.states

    def states(self: LayerComparison, strings: Any) -> Any:
        rows = right(self, strings)
        for x, values in zip(strings, rows, strict=True):
            for t in range(1, len(x) + 1):
                if planted(x[:t]):
                    values[t] += 1e-3 * (1 + abs(values[t]))
        return rows

    return mock.patch.object(LayerComparison, "states", states)


class Searching(Worker):
    """A pytest plugin that runs a hunt with one kind of comparison.

    The hunt ends when it finds a difference, or at its time limit.
    """

    def __init__(self, way: str, seed: int, seconds: float) -> None:
        super().__init__(None, None, seed)
        self.way, self.limit = way, seconds
        self.cases, self.seconds = 0, 0.0

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run rounds of the hunt, each with all targets, until one finds a difference or the time is over."""
        forget_constants()  # as workers do
        items = by_name(session.items, None)
        begun = time.perf_counter()
        number, refuted = 0, False
        while not refuted and self.seconds < self.limit:
            number += 1
            for target in [name for name in items if OF[self.way] in name]:
                row = self.run(items[target], Round(target, number))
                self.cases += row.cases
                refuted = refuted or row.verdict != "holds"
            self.seconds = time.perf_counter() - begun
        return True


def search(way: str, patch: Any, seed: int, limit: float = 60) -> Searching:
    """Run a hunt in this process, on one core, with ``patch`` applied.

    Return the pytest plugin, which has the number of cases and the time in seconds.
    """
    plugin = Searching(way, seed, limit)
    with patch:
        collect(plugin, ["proposition-7"], "cpu")
    return plugin


def main() -> None:
    """Print the cases per second and core, and the seconds until the planted errors are found."""
    for way, patch in (("exact", wrong_unit), ("network", wrong_layer)):
        right = search(way, nullcontext(), 0, limit=15)
        show(f"proposition-7, {way}", {"cases a second and core": right.cases / right.seconds})
        times = sorted(search(way, patch(), seed).seconds for seed in range(5))
        show(f"an error on one string in {ONE_IN:,}, {way}: found after, in seconds", dict(enumerate(times)))


if __name__ == "__main__":
    main()
