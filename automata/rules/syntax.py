"""What a rule is made of; written again, it is a rule that parses to the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from automata.errors import InputError

ANY, NUMBER, MARK = "$", "%", "&"
"""The wildcards: any word, a number, a punctuation mark."""
WILDCARDS = (ANY, NUMBER, MARK)
MOST_COPIES = 1000
"""How often ``{m,n}`` may repeat; each repetition is a copy in the automaton."""


@dataclass(frozen=True)
class Word:
    """One word, which stands for itself."""

    text: str

    def __str__(self) -> str:
        escaped = re.sub(r"[\\()|*+?{}]", r"\\\g<0>", self.text)
        # alone a wildcard; at the beginning of a line a comment, a header, a byte order mark
        return (
            "\\" + escaped
            if self.text in WILDCARDS or self.text.startswith(("//", "[", "\ufeff"))
            else escaped
        )


@dataclass(frozen=True)
class Wildcard:
    """One word of a kind: ``"$"`` any, ``"%"`` a number, ``"&"`` a punctuation mark."""

    kind: str

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True)
class Sequence:
    """One part after the other; no part: the empty sentence."""

    parts: tuple[Rule, ...]

    def __str__(self) -> str:
        return " ".join(_inside(part, Either, Sequence) for part in self.parts) if self.parts else "( )"


@dataclass(frozen=True)
class Either:
    """One of at least two parts."""

    parts: tuple[Rule, ...]

    def __str__(self) -> str:
        return " | ".join(_inside(part, Either) for part in self.parts)


@dataclass(frozen=True)
class Repeat:
    """A part from ``least`` to ``most`` times; ``None``: as often as one likes."""

    part: Rule
    least: int
    most: int | None

    def __post_init__(self) -> None:
        if self.most is not None and self.most < self.least:
            raise InputError(
                f"{{{self.least},{self.most}}} repeats at least {self.least} and at most {self.most} times"
            )
        if max(self.least, self.most or 0) > MOST_COPIES:
            raise InputError(f"{{{self.least},{self.most}}} repeats more than {MOST_COPIES} times")

    def __str__(self) -> str:
        signs = {(0, None): "*", (1, None): "+", (0, 1): "?"}
        most = "" if self.most is None else self.most
        sign = signs.get((self.least, self.most), f"{{{self.least},{most}}}")
        return f"{_inside(self.part, Either, Sequence, Repeat)} {sign}"


Rule = Word | Wildcard | Sequence | Either | Repeat


def _inside(part: Rule, *kinds: type[Rule]) -> str:
    """A part as it stands inside another, in parentheses where its kind asks for them."""
    bare = not isinstance(part, kinds) or (isinstance(part, Sequence) and not part.parts)
    return str(part) if bare else f"( {part} )"


def leaves(rule: Rule) -> Iterator[Word | Wildcard]:
    """The words and wildcards in it, from left to right.

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
    """How deep it is nested; a word is 0 deep.

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
