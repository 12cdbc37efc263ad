"""Methods of a decision, one after the other: a limit that one of them reaches leads to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from automata.equivalence.answers import Answer, Unknown
from automata.errors import LimitReached

Method = Callable[[], Answer | None]


def first_answer(methods: Iterable[Method]) -> Answer:
    """Return the answer of the first method that decides.

    If none does, return the ``Unknown`` that knows of the longest strings; it names the limits, too.

    Args:
        methods: each returns ``None`` if it does not apply, and may raise
            :class:`~automata.errors.LimitReached`.
    """
    unknown: Unknown | None = None
    limits: list[str] = []
    for method in methods:
        try:
            answer = method()
        except LimitReached as limit:
            limits.append(str(limit))
            continue
        if answer is not None and not isinstance(answer, Unknown):
            return answer
        if answer is not None and (unknown is None or _searched(answer) >= _searched(unknown)):
            unknown = answer
    reached = f"a limit was reached: {'; '.join(dict.fromkeys(limits))}"
    if unknown is None:
        return Unknown(reached)
    return replace(unknown, why=f"{unknown.why}; {reached}") if limits else unknown


def _searched(unknown: Unknown) -> int:
    return -1 if unknown.searched is None else unknown.searched
