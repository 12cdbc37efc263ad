"""A curriculum that starts with short strings, and advances when all of them are classified correctly."""

from __future__ import annotations

from collections.abc import Callable, Sequence


class Curriculum:
    """The maximum length of training strings at each level of the curriculum.

    >>> curriculum = Curriculum([0, 1, 3, 4, 6], shortest=3)
    >>> curriculum.length(0), curriculum.climbed(0, lambda length: length < 6), curriculum.length(2)
    (3, 2, 6)
    """

    def __init__(self, lengths: Sequence[int], shortest: int) -> None:
        rising = sorted(set(lengths))
        beyond = [length for length in rising if length > shortest]
        self.lengths = [
            *(rising[len(rising) - len(beyond) - 1 : len(rising) - len(beyond)] or rising[:1]),
            *beyond,
        ]

    def length(self, level: int) -> int:
        """Return the maximum length of strings at the given level."""
        return self.lengths[level]

    def climbed(self, level: int, all_right: Callable[[int], bool]) -> int:
        """Return the first level, from the given level on, at which some string is misclassified.

        If all strings are classified correctly, return the number of levels.
        """
        while level < len(self.lengths) and all_right(self.lengths[level]):
            level += 1
        return level
