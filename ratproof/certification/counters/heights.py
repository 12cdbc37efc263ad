"""The classes of strings that a counter must distinguish: the height, and whether the string is dead.

A string's *height* increases by one with each ``(``, and decreases by one with each ``)``, but not below 0. A
``)`` at height zero does not change the height, and the string is *dead* from then on, because no extension
of it is balanced. A string is balanced if it is alive and its height is zero. The height of a living string
is its depth, the number of open parentheses. The height of a dead string is the depth above the minimum depth
so far. Strings of height at most H have 2 (H + 1) classes.

>>> after((False, 0), -1, 5), after((True, 0), 1, 5), after((False, 5), 1, 5)
((True, 0), (True, 1), None)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Class: TypeAlias = tuple[bool, int]
"""Whether the string is dead, and its height."""
EMPTY: Class = (False, 0)


def after(one: Class, depth_change: int, most: int) -> Class | None:
    """Return the class of a string after one more symbol, which changes the depth by 1, -1 or 0.

    Return ``None`` if the height exceeds ``most``.
    """
    dead, height = one
    if depth_change < 0 and height == 0:
        return True, 0
    return None if height + depth_change > most else (dead, height + depth_change)


def balanced(one: Class) -> bool:
    """Return whether the strings of a class are balanced."""
    return one == EMPTY


def class_of(depth_changes: Iterable[int], most: int) -> Class | None:
    """Return the class of a string from the depth change of each symbol.

    Return ``None`` if the height of a prefix exceeds ``most``.
    """
    now: Class | None = EMPTY
    for depth_change in depth_changes:
        now = None if now is None else after(now, depth_change, most)
    return now
