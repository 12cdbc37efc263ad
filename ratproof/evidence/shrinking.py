"""A search for a smaller failing string, with few symbols and few distinct symbols.

>>> shrink(tuple("abcabcbbcabcb"), lambda x: x.count("b") >= 3, "abc").string
('b', 'b', 'b')
>>> shrink(tuple("cab" * 9), lambda x: len(x) > 20, "abc").string == ("a",) * 21
True
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from automata.aliases import Symbol, Symbols

SECONDS, MOST_CALLS = 10.0, 5_000
MOST_TRIED_ALONE = 8
"""Maximum number of the alphabet's symbols for which strings of one repeated symbol are tried."""


@dataclass(frozen=True)
class Shrunk:
    """The result of a search for a smaller failing string.

    Attributes:
        string: The smallest failing string.
        stopped: The reason why the search ended early; empty if it was completed.
    """

    string: Symbols
    stopped: str = ""


def shrink(
    string: Symbols,
    fails: Callable[[Symbols], bool],
    alphabet: Sequence[Symbol],
    seconds: float = SECONDS,
    most_calls: int = MOST_CALLS,
) -> Shrunk:
    """Search for smaller failing strings, starting from a failing string, and return the smallest one.

    Shorter strings are smaller. Among strings of the same length, those with earlier symbols are smaller.

    Args:
        string: A failing string.
        fails: A function that returns whether a string fails. If it raises an exception, the string does not
            fail.
        alphabet: The symbols.
        seconds: Time limit of the search.
        most_calls: Maximum number of strings to try.
    """
    search = _Search(tuple(string), fails, alphabet, time.monotonic() + seconds, most_calls)
    try:
        search.run()
    except _Stopped:
        limit = f"{most_calls:,} strings" if search.calls >= most_calls else f"{seconds:g} s"
        return Shrunk(search.best, f"the search for a smaller string stopped after {limit}")
    return Shrunk(search.best)


class _Stopped(Exception):
    """Raised if a search reaches the time limit or the call limit."""


class _Search:
    def __init__(
        self,
        string: Symbols,
        fails: Callable[[Symbols], bool],
        alphabet: Sequence[Symbol],
        end: float,
        most_calls: int,
    ) -> None:
        self.best, self._fails, self.end, self.most_calls = string, fails, end, most_calls
        self.index = {symbol: i for i, symbol in enumerate(alphabet)}
        self.first: Symbols = tuple(alphabet[:1])
        self.calls, self.passing = 0, set[Symbols]()

    def run(self) -> None:
        """Try all transformations in turn until none makes the string smaller."""
        before = None
        while before != self.best:
            before = self.best
            self._one_symbol()
            self._delete_blocks()
            self._shorten_runs()
            self._replace_blocks()

    def fails(self, string: Symbols) -> bool:
        """Return whether the string fails; raise _Stopped if a limit is reached."""
        if string in self.passing:
            return False
        if self.calls >= self.most_calls or time.monotonic() > self.end:
            raise _Stopped
        self.calls += 1
        try:
            failing = self._fails(string)
        except Exception:
            failing = False
        if not failing:
            self.passing.add(string)
        return failing

    def attempt(self, string: Symbols) -> bool:
        """Accept a string if it is smaller and fails."""
        better = self._size(string) < self._size(self.best) and self.fails(string)
        if better:
            self.best = string
        return better

    def _size(self, string: Symbols) -> tuple[int, list[int]]:
        return len(string), [self.index[symbol] for symbol in string]

    def _one_symbol(self) -> None:
        """Try strings of a single repeated symbol, and bisect for the shortest one that fails."""
        for symbol in sorted({*self.first, *self.best}, key=self.index.__getitem__)[:MOST_TRIED_ALONE]:
            if self.fails((symbol,) * len(self.best)):
                low, high = 0, len(self.best)
                while low < high:
                    middle = (low + high) // 2
                    low, high = (low, middle) if self.fails((symbol,) * middle) else (middle + 1, high)
                self.attempt((symbol,) * high)

    def _delete_blocks(self) -> None:
        size = len(self.best) - 1
        while size > 0:
            start = 0
            while start + size <= len(self.best):
                if not self.attempt(self.best[:start] + self.best[start + size :]):
                    start += max(1, size // 2)
            size //= 2

    def _shorten_runs(self) -> None:
        """Find the minimum length of each run of a symbol by bisection."""
        start = 0
        while start < len(self.best):
            symbol, run = next((s, len(list(r))) for s, r in groupby(self.best[start:]))
            before, after = self.best[:start], self.best[start + run :]
            low, high = 0, run
            while low < high:
                middle = (low + high) // 2
                shorter = self.attempt(before + (symbol,) * middle + after)
                low, high = (low, middle) if shorter else (middle + 1, high)
            start += max(1, high)

    def _replace_blocks(self) -> None:
        """Try to replace blocks of symbols by the alphabet's first symbol."""
        size = len(self.best)
        while size:
            for start in range(0, len(self.best) - size + 1, size):
                self.attempt(self.best[:start] + self.first * size + self.best[start + size :])
            size //= 2
