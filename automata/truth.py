"""A base class for results that have no truth value."""

from __future__ import annotations

from typing import ClassVar


class NoTruthValue:
    """A result without a truth value, because ``assert equivalent(a, b)`` would pass for all automata.

    >>> class Answer(NoTruthValue):
    ...     pass
    >>> bool(Answer())
    Traceback (most recent call last):
        ...
    TypeError: Answer has no truth value: use its .verdict
    """

    ask: ClassVar[str] = ".verdict"
    """The attribute to use instead."""

    def __bool__(self) -> bool:
        raise TypeError(f"{type(self).__name__} has no truth value: use its {self.ask}")
