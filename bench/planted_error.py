"""How long the hunt takes to find an error that shows on one string in ten thousand, and how many cases it
does a second.

A layer of Example 6 is replaced by one whose state is off by 1e-3 after strings whose checksum is divisible
by 10,000, and, apart from that, the recurrence of Proposition 7 by one that is off on the same strings.
"""

from __future__ import annotations

import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

from ratproof.implementations.layer import LayerComparison
from ratproof.ladder import hunting
from theory.claim import Variant
from theory.reading import Recurrence
from theory.registry import claim_named

ONE_IN = 10_000


def planted(string: Any) -> bool:
    """Does the error show after this string?"""
    return len(string) > 0 and zlib.crc32("".join(string).encode()) % ONE_IN == 0


def wrong_unit() -> Any:
    """A recurrence of Proposition 7 whose state is off by 1/1000 after the planted strings, and right after
    all others.
    """
    right = claim_named("proposition-7")

    def spoilt(variant: Variant) -> Variant:
        inner = variant.recurrence
        recurrence = Recurrence(
            start=lambda cell: (inner.start(cell), ""),
            step=lambda cell, state, symbol: (inner.step(cell, state[0], symbol), state[1] + symbol),
            out=lambda cell, state: tuple(
                c + Fraction(planted(state[1]), 1000) for c in inner.out(cell, state[0])
            ),
        )
        return replace(variant, recurrence=recurrence)

    wrong = replace(right, variants=tuple(map(spoilt, right.variants)))
    return mock.patch("ratproof.implementations.comparison.claim_named", return_value=wrong)


def wrong_layer() -> Any:
    """Networks whose states are off by 1e-3 after the planted strings."""
    right = LayerComparison.states

    def states(self: LayerComparison, strings: Any) -> Any:
        rows = right(self, strings)
        for x, values in zip(strings, rows, strict=True):
            for t in range(1, len(x) + 1):
                if planted(x[:t]):
                    values[t] += 1e-3 * (1 + abs(values[t]))
        return rows

    return mock.patch.object(LayerComparison, "states", states)


def search(way: str, patch: Callable[[], Any], seed: int, seconds: float = 60) -> tuple[float, int]:
    """Hunt in this process, on one core: seconds until the first find, and cases until then."""
    hunting._settle()
    targets = [
        t
        for t in hunting.targets(["proposition-7"], None, "cpu")
        if ("dtype" in t.arguments) == (way == "network")
    ]
    started, cases, turn = time.perf_counter(), 0, 0
    with patch():
        while time.perf_counter() - started < seconds:
            message, _ = hunting._round(targets[turn % len(targets)], 0, seed * 100_003 + turn)
            cases += message.cases.total()
            turn += 1
            if message.error:
                raise SystemExit(message.error)
            if message.found:
                break
    return time.perf_counter() - started, cases


def main() -> None:
    """Print cases a second and core, and the times to find the planted errors."""
    with tempfile.TemporaryDirectory() as folder:
        progress = hunting.hunt(["proposition-7"], 0.25, 1, 1, None, Path(folder))
    for way in ("exact", "network"):
        print(f"proposition-7, {way}: {progress.rate(way):,.0f} cases a second and core")
    for way, patch in (("exact", wrong_unit), ("network", wrong_layer)):
        times = sorted(search(way, patch, seed)[0] for seed in range(5))
        seconds = ", ".join(f"{t:.1f}" for t in times)
        print(f"an error on one string in {ONE_IN:,}, {way} side: found after {seconds} s on one core")


if __name__ == "__main__":
    main()
