"""Syntax trees of rules. Parsing ``str(rule)`` gives an equal rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from automata.errors import InputError

ANY, NUMBER, MARK = "$", "%", "&"
"""The wildcards: any word, a number, a punctuation mark."""
WILDCARDS = (ANY, NUMBER, MARK)
MOST_COPIES = 1000
"""Maximum repetition count of ``{m,n}``; each repetition is a copy in the automaton."""


@dataclass(frozen=True)
class Word:
    """A literal word."""

    text: str

    def __str__(self) -> str:
        escaped = re.sub(r"[\\()|*+?{}]", r"\\\g<0>", self.text)
        # escape lone wildcards, and comments, headers and byte order marks at the beginning of a line
        return (
            "\\" + escaped
            if self.text in WILDCARDS or self.text.startswith(("//", "[", "\ufeff"))
            else escaped
        )


@dataclass(frozen=True)
class Wildcard:
    """A wildcard for one word: ``"$"`` any, ``"%"`` a number, ``"&"`` a punctuation mark."""

    kind: str

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True)
class Sequence:
    """A concatenation of parts; without parts, the empty sentence."""

    parts: tuple[Rule, ...]

    def __str__(self) -> str:
        return " ".join(_inside(part, Either, Sequence) for part in self.parts) if self.parts else "( )"


@dataclass(frozen=True)
class Either:
    """An alternation (``a | b``) with at least two branches."""

    parts: tuple[Rule, ...]

    def __str__(self) -> str:
        return " | ".join(_inside(part, Either) for part in self.parts)


@dataclass(frozen=True)
class Repeat:
    """A part repeated ``least`` to ``most`` times; ``None`` means without limit."""

    part: Rule
    least: int
    most: int | None

    def __post_init__(self) -> None:
        if self.most is not None and self.most < self.least:
            raise InputError(
                f"{{{self.least},{self.most}}}: the maximum must be at least {self.least}, got {self.most}"
            )
        if max(self.least, self.most or 0) > MOST_COPIES:
            most = "" if self.most is None else self.most
            raise InputError(f"{{{self.least},{most}}}: repetitions must be at most {MOST_COPIES}")

    def __str__(self) -> str:
        signs = {(0, None): "*", (1, None): "+", (0, 1): "?"}
        most = "" if self.most is None else self.most
        sign = signs.get((self.least, self.most), f"{{{self.least},{most}}}")
        return f"{_inside(self.part, Either, Sequence, Repeat)} {sign}"


Rule = Word | Wildcard | Sequence | Either | Repeat


def _inside(part: Rule, *kinds: type[Rule]) -> str:
    """Return the text of a part of a rule, in parentheses if the part is an instance of one of ``kinds``."""
    bare = not isinstance(part, kinds) or (isinstance(part, Sequence) and not part.parts)
    return str(part) if bare else f"( {part} )"


def leaves(rule: Rule) -> Iterator[Word | Wildcard]:
    """Yield the words and wildcards from left to right.

    >>> list(map(str, leaves(Sequence((Word("a"), Repeat(Wildcard("$"), 0, None))))))
    ['a', '$']
    """
    if isinstance(rule, Word | Wildcard):
        yield rule
    elif isinstance(rule, Repeat):
        yield from leaves(rule.part)
    else:
        for part in rule.parts:
            yield from leaves(part)


def depth_of(rule: Rule) -> int:
    """Return the nesting depth; a word has depth 0.

    >>> depth_of(Repeat(Either((Word("a"), Word("b"))), 0, None))
    2
    """
    deepest, waiting = 0, [(rule, 0)]
    while waiting:
        one, depth = waiting.pop()
        deepest = max(deepest, depth)
        parts = (
            (one.part,)
            if isinstance(one, Repeat)
            else one.parts
            if isinstance(one, Sequence | Either)
            else ()
        )
        waiting += [(part, depth + 1) for part in parts]
    return deepest
