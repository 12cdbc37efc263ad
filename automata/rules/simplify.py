"""Simplification of rules to shorter rules with the same language."""

from __future__ import annotations

from collections.abc import Iterable

from automata.rules.syntax import MOST_COPIES, Either, Repeat, Rule, Sequence

EMPTY = Sequence(())
"""The empty sentence."""


def sequence(parts: Iterable[Rule]) -> Rule:
    """Return a concatenation without empty parts.

    ``r r *`` and ``r * r`` become ``r +``, and ``r * r *`` becomes ``r *``.

    >>> from automata.rules.parser import parse
    >>> print(sequence([parse("a"), parse("$"), parse("$ *"), parse("( )")]))
    a $ +
    """
    merged: list[Rule] = []
    for part in _flat(parts, Sequence):
        joined = _times(merged[-1], part) if merged else None
        if joined is not None:
            merged[-1] = joined
        else:
            merged.append(part)
    return merged[0] if len(merged) == 1 else Sequence(tuple(merged))


def _times(left: Rule, right: Rule) -> Rule | None:
    """Merge ``r *`` or ``r +`` and another repetition of ``r`` into one; otherwise return ``None``."""
    (one, least, most), (other, more, end) = _counted(left), _counted(right)
    if one != other or (most is not None and end is not None) or least + more > MOST_COPIES:
        return None
    joined = repeat(one, least + more, None)
    return joined if len(str(joined)) <= len(str(Sequence((left, right)))) else None


def _counted(rule: Rule) -> tuple[Rule, int, int | None]:
    return (rule.part, rule.least, rule.most) if isinstance(rule, Repeat) else (rule, 1, 1)


def repeat(part: Rule, least: int, most: int | None) -> Rule:
    """Return a repetition; ``( r ? ) *``, ``( r + ) *`` and ``( r * ) *`` become ``r *``.

    >>> from automata.rules.parser import parse
    >>> print(repeat(parse("( a | ( ) )"), 0, None), "and", repeat(parse("a +"), 0, 1))
    a * and a *
    """
    if part == EMPTY or most == 0:
        return EMPTY
    if (least, most) == (1, 1):
        return part
    if (least, most) in ((0, None), (1, None), (0, 1)):
        if (
            isinstance(part, Repeat)
            and part.least <= 1
            and (part.most is None or (part.most == 1 and most is None))
        ):
            return repeat(part.part, least * part.least, None)
        if isinstance(part, Either) and least == 0:
            part = either(p for p in part.parts if p != EMPTY)
            if isinstance(part, Repeat):
                return repeat(part, least, most)
    return Repeat(part, least, most)


def either(parts: Iterable[Rule]) -> Rule:
    """Return an alternative without duplicates.

    A common beginning or end is factored out, and an empty alternative becomes ``?``.

    >>> from automata.rules.parser import parse
    >>> print(either([parse("a x b"), parse("a b"), parse("a b c")]))
    a ( x b | b c ? )
    """
    alternatives = list(dict.fromkeys(_flat(parts, Either)))
    if len(alternatives) == 1:
        return alternatives[0]
    if EMPTY in alternatives:
        rest = either(part for part in alternatives if part != EMPTY)
        return repeat(rest, 0, 1) if not _may_be_empty(rest) else rest
    plain = Either(tuple(alternatives))
    for end in (0, -1):
        shared = _shared(alternatives, end)
        if shared is not None and len(str(shared)) <= len(str(plain)):
            return shared
    return plain


def _shared(parts: list[Rule], end: int) -> Rule | None:
    """Return the alternatives with a common beginning (or end) factored out; ``None`` if there is none."""
    groups: dict[Rule, list[Rule]] = {}
    for part in parts:
        groups.setdefault(_list(part)[end], []).append(part)
    if len(groups) == len(parts):
        return None
    factored: list[Rule] = []
    for outer, inside in groups.items():
        if len(inside) == 1:
            factored.append(inside[0])
            continue
        rests = [sequence(_list(part)[1:] if end == 0 else _list(part)[:-1]) for part in inside]
        factored.append(sequence([outer, either(rests)] if end == 0 else [either(rests), outer]))
    return either(factored)


def _list(rule: Rule) -> tuple[Rule, ...]:
    return rule.parts if isinstance(rule, Sequence) and rule.parts else (rule,)


def _flat(parts: Iterable[Rule], kind: type[Either] | type[Sequence]) -> Iterable[Rule]:
    for part in parts:
        if isinstance(part, kind):
            yield from _flat(part.parts, kind)
        else:
            yield part


def _may_be_empty(rule: Rule) -> bool:
    if isinstance(rule, Repeat):
        return rule.least == 0 or _may_be_empty(rule.part)
    if isinstance(rule, Sequence):
        return all(map(_may_be_empty, rule.parts))
    return isinstance(rule, Either) and any(map(_may_be_empty, rule.parts))


def simplified(rule: Rule) -> Rule:
    """Return an equivalent rule, simplified from the inside out.

    >>> from automata.rules.parser import parse
    >>> print(simplified(parse("( ( $ ) * a | $ * b | $ * b ) ( ( ) | $ $ * )")))
    $ * ( a | b ) $ *
    """
    if isinstance(rule, Repeat):
        return repeat(simplified(rule.part), rule.least, rule.most)
    if isinstance(rule, Sequence):
        return sequence(map(simplified, rule.parts))
    return either(map(simplified, rule.parts)) if isinstance(rule, Either) else rule
