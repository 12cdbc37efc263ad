"""Finite machines as maps of states, and words with ω-powers, which act on any such machine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from automata.errors import LimitReached

Map: TypeAlias = tuple[int, ...]
"""A map of the states 0, 1, ... of a machine."""


@dataclass(frozen=True)
class Omega:
    """The ω-power of a term: its power that is idempotent.

    The powers of a map of a finite set contain one idempotent map. An equation with ω-powers that holds in
    a machine also holds for large enough common powers, so it can be compared between two machines.
    """

    term: Term


Term: TypeAlias = tuple["Hashable | Omega", ...]
"""A word whose parts are letters and ω-powers, read from the left."""


def word(text: Iterable[Any]) -> Term:
    """Return a term from a string or another sequence of letters and ω-powers."""
    return tuple(text)


def letters(term: Term) -> Iterator[Hashable]:
    """Yield the letters of a term; the letters of an ω-power occur once."""
    for part in term:
        yield from letters(part.term) if isinstance(part, Omega) else (part,)


def shown(term: Term) -> str:
    """Return a term as text.

    >>> shown((Omega(word("10")), "1"))
    '(10)^ω1'
    """
    long = any(len(str(letter)) > 1 for letter in letters(term))
    parts = [f"({shown(part.term)})^ω" if isinstance(part, Omega) else str(part) for part in term]
    return (" " if long else "").join(parts) or "ε"


def compose(first: Map, second: Map) -> Map:
    """Return the map that applies ``first`` and then ``second``."""
    return tuple(second[q] for q in first)


def action(term: Term, maps: Mapping[Hashable, Map]) -> Map:
    """Return the map by which a term acts on a machine with the given maps of letters.

    >>> action((Omega(word("a")),), {"a": (1, 2, 1)})
    (2, 1, 2)
    """
    result = tuple(range(len(next(iter(maps.values())))))
    for part in term:
        result = compose(
            result, idempotent(action(part.term, maps)) if isinstance(part, Omega) else maps[part]
        )
    return result


def idempotent(step: Map) -> Map:
    """Return the power of a map that is idempotent."""
    power = step
    while compose(power, power) != power:
        power = compose(power, step)
    return power


def reachable(
    start: Any, alphabet: Iterable[Any], step: Callable[[Any, Any], Any], limit: int
) -> tuple[list[Any], dict[Hashable, Map]]:
    """Return the states that words reach, and the map of each letter on their indices.

    Raises:
        LimitReached: If there are more states than the limit.
    """
    alphabet, index, states = list(alphabet), {start: 0}, [start]
    maps: dict[Hashable, list[int]] = {letter: [] for letter in alphabet}
    for state in states:
        for letter in alphabet:
            target = step(state, letter)
            if target not in index:
                if len(states) == limit:
                    raise LimitReached(f"the number of reachable states must be at most {limit}")
                index[target] = len(states)
                states.append(target)
            maps[letter].append(index[target])
    return states, {letter: tuple(targets) for letter, targets in maps.items()}
