"""The classes of strings that a counter has to tell apart: how high a string stands, and whether it is dead.

A string's *height* goes up by one with each ``(``, and down by one with each ``)``, but not below zero: a
``)`` at height zero leaves it there, and the string is *dead* from then on, as no string that begins with it
is balanced. A string is balanced if it is alive and its height is zero. While it lives its height is its
depth; in a dead one it is the depth above the least depth so far. Strings that never stand above H have 2 (H
+ 1) classes.

>>> after((False, 0), -1, 5), after((True, 0), 1, 5), after((False, 5), 1, 5)
((True, 0), (True, 1), None)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Class: TypeAlias = tuple[bool, int]
"""Whether the string is dead, and its height."""
EMPTY: Class = (False, 0)


def after(one: Class, turn: int, most: int) -> Class | None:
    """The class after a symbol that turns the depth by 1, -1 or 0; ``None`` above the greatest height."""
    dead, height = one
    if turn < 0 and height == 0:
        return True, 0
    return None if height + turn > most else (dead, height + turn)


def balanced(one: Class) -> bool:
    """Whether the strings of a class are balanced."""
    return one == EMPTY


def class_of(turns: Iterable[int], most: int) -> Class | None:
    """The class of a string, by what its symbols add to the depth; ``None`` if it ever stands above the
    greatest height.
    """
    now: Class | None = EMPTY
    for turn in turns:
        now = None if now is None else after(now, turn, most)
    return now
