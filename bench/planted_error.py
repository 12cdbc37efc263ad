"""How long the hunt takes to find an error that shows on one string in ten thousand, and how many cases it does a second.

A layer of Example 6 is replaced by one whose state is off by 1e-3 after strings whose checksum is divisible by 10,000, and,
apart from that, the recurrence of Proposition 7 by one that is off on the same strings.
"""

from __future__ import annotations

import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from ratproof import hunt as hunting
from ratproof.comparisons import Exact
from ratproof.networks import OfNetwork

ONE_IN = 10_000


def planted(string: Any) -> bool:
    """Does the error show after this string?"""
    return len(string) > 0 and zlib.crc32("".join(string).encode()) % ONE_IN == 0


def wrong_unit() -> Any:
    """Exact sides whose network is off by 1/1000 after the planted strings."""
    right = Exact._first_difference

    def first_difference(self: Exact, string: Any) -> Any:
        for t in range(1, len(string) + 1):
            if planted(string[:t]):
                from ratproof.comparisons import Difference

                return Difference(t, 0, "1/1000 more", "planted", "0")
        return right(self, string)

    return mock.patch.object(Exact, "_first_difference", first_difference)


def wrong_layer() -> Any:
    """Networks whose states are off by 1e-3 after the planted strings."""
    right = OfNetwork.states

    def states(self: OfNetwork, strings: Any) -> Any:
        found = right(self, strings)
        for x, values in zip(strings, found, strict=True):
            for t in range(1, len(x) + 1):
                if planted(x[:t]):
                    values[t] += 1e-3 * (1 + abs(values[t]))
        return found

    return mock.patch.object(OfNetwork, "states", states)


def search(way: str, patch: Callable[[], Any], seed: int, seconds: float = 60) -> tuple[float, int]:
    """Hunt in this process, on one core: seconds until the first find, and cases until then."""
    hunting._settle()
    targets = [t for t in hunting.targets(["proposition-7"], None, "cpu") if ("dtype" in t.arguments) == (way == "network")]
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
        shown = ", ".join(f"{t:.1f}" for t in times)
        print(f"an error on one string in {ONE_IN:,}, {way} side: found after {shown} s on one core")


if __name__ == "__main__":
    main()
