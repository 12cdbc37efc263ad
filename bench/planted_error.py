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
from ratproof.hunting.targets import targets
from ratproof.hunting.worker import prepare, run
from ratproof.implementations.layer import LayerComparison
from ratproof.ladder.environment import unchanged_afterwards
from theory.claim import Variant
from theory.reading import Recurrence
from theory.registry import claim_named

ONE_IN = 10_000


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


def search(part: str, patch: Any, seed: int, limit: float = 60) -> tuple[int, float]:
    """Run rounds of a hunt in this process, with ``patch`` applied, until one finds a difference.

    Args:
        part: Part of the names of the targets.
        patch: Context manager that plants an error.
        seed: Seed of the hunt.
        limit: Time in seconds after which the hunt ends.

    Returns:
        The number of cases, and the time in seconds.
    """
    with patch, unchanged_afterwards():
        prepare()
        items = {name: step for name, step in targets(["proposition-7"], None, "cpu").items() if part in name}
        begun, cases, seconds, number, differs = time.perf_counter(), 0, 0.0, 0, False
        while not differs and seconds < limit:
            number += 1
            rows = [run(step, Round(name, number), seed) for name, step in items.items()]
            cases += sum(row.cases for row in rows)
            differs = any(row.verdict != "holds" for row in rows)
            seconds = time.perf_counter() - begun
    return cases, seconds


def main() -> None:
    """Print the cases per second and core, and the seconds until the planted errors are found."""
    for what, part, patch in (("exact", "-sampled]", wrong_unit), ("network", "-sampled-", wrong_layer)):
        cases, seconds = search(part, nullcontext(), 0, limit=15)
        show(f"proposition-7, {what}", {"cases a second and core": cases / seconds})
        times = sorted(search(part, patch(), seed)[1] for seed in range(5))
        show(f"an error on one string in {ONE_IN:,}, {what}: found after, in seconds", dict(enumerate(times)))


if __name__ == "__main__":
    main()
