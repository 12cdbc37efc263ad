"""Conversion of regular expressions over characters to automata, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from re import _constants, _parser
from typing import Any

from automata import determinisation
from automata.checks import ordered
from automata.errors import InputError, LimitReached
from automata.rules.compiling import compiled
from automata.rules.elimination import eliminated, words_between
from automata.rules.simplify import either
from automata.rules.syntax import Either, Repeat, Rule, Sequence, Word
from automata.text.number_text import shorten
from automata.wfsa import WFSA

ANYTHING_ELSE = "matches characters that the regex does not list; list them with --alphabet"
NOTHING = r"[^\x00-\U0010ffff]"
"""A regex that matches no string."""
CLASSES = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
REFUSED = {
    "ASSERT": "lookaround",
    "ASSERT_NOT": "lookaround",
    "ATOMIC_GROUP": "an atomic group",
    "GROUPREF": "a backreference",
    "GROUPREF_EXISTS": "a backreference",
    "POSSESSIVE_REPEAT": "a possessive repeat",
}
MOST_IN_A_RANGE = 1 << 16
FLAGS = re.UNICODE | re.VERBOSE | re.DOTALL


def from_regex(pattern: str, alphabet: Iterable[str] | None = None) -> WFSA:
    """Return the minimal deterministic automaton of the strings that a regex matches completely.

    Args:
        pattern: A regular expression in Python's syntax. Backreferences, lookaround, and anchors other than
            at the ends are not supported.
        alphabet: The characters of the alphabet. Defaults to the characters that occur in the pattern,
            sorted.

    Raises:
        InputError: If the pattern is not a valid regex, contains an unsupported construct, or contains a
            character outside the alphabet. A negated class, such as ``[^c]``, may exclude any characters.

    >>> from automata.forward import score
    >>> bool(score(from_regex("a(b|c)*"), "abc"))
    True
    """
    try:
        tree = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(f"regex {shorten(pattern)}: {error}") from None
    try:
        if tree.state.flags & ~FLAGS:
            raise _refused("a flag other than s and x")
        reader = _Reader(alphabet, bool(tree.state.flags & re.DOTALL))
        rule = reader.sequence(_without_outer_anchors(list(tree)))
        return compiled(rule, reader.alphabet if alphabet is not None else sorted(reader.named))
    except InputError as error:
        raise error.about(f"regex {shorten(pattern)}") from None
    except RecursionError:
        raise InputError(f"regex {shorten(pattern)}: the pattern is nested too deeply") from None


def to_regex(automaton: WFSA) -> str:
    """Return a regex in Python's syntax that matches the strings that a boolean automaton accepts.

    Raises:
        InputError: If the automaton is not boolean, or a symbol is not a single character.
        LimitReached: If the groups of the regex would be nested too deeply.

    >>> to_regex(from_regex("(ab)*"))
    '(?:ab)*'
    """
    for symbol in automaton.alphabet:
        if not isinstance(symbol, str) or len(symbol) != 1:
            raise InputError(f"a symbol of a regex must be a single character, got {shorten(symbol)}")
    least = determinisation.minimal(automaton)
    if not least.states:
        return NOTHING
    steps = {pair: either(map(Word, sorted(own))) for pair, own in words_between(least).items()}
    try:
        return _written(eliminated(least, steps))
    except RecursionError:
        raise LimitReached("the groups of the automaton's regex would be nested too deeply") from None


class _Reader:
    """A translator from the parse tree of a Python regex to a rule (``automata.rules``) over characters."""

    def __init__(self, alphabet: Iterable[str] | None, dot_all: bool) -> None:
        self.alphabet = None if alphabet is None else list(dict.fromkeys(ordered(alphabet)))
        self.dot_all = dot_all
        self.named: set[str] = set()

    def sequence(self, items: Iterable[tuple[object, object]]) -> Rule:
        return Sequence(tuple(self.item(str(op), value) for op, value in items))

    def item(self, op: str, value: Any) -> Rule:
        if op == "LITERAL":
            return self.one_of([self.name(value)])
        if op == "NOT_LITERAL":
            return self.one_of(self.others({chr(value)}))
        if op == "ANY":
            return self.one_of(self.others(set() if self.dot_all else {"\n"}))
        if op == "IN":
            return self.one_of(self.members(value))
        if op == "BRANCH":
            return Either(tuple(map(self.sequence, value[1])))
        if op == "SUBPATTERN":
            _, added, removed, inside = value
            if added or removed:
                raise _refused("a flag inside")
            return self.sequence(inside)
        if op in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inside = value
            unbounded = most is _constants.MAXREPEAT or most == _constants.MAXREPEAT
            return Repeat(self.sequence(inside), least, None if unbounded else most)
        raise _refused(REFUSED.get(op, "an anchor inside" if op == "AT" else op))

    def name(self, code: int) -> str:
        """Return the character and record that it occurs in the pattern."""
        character = chr(code)
        if self.alphabet is not None and character not in self.alphabet:
            raise InputError(f"character {shorten(character)} is not in --alphabet {shorten(self.alphabet)}")
        self.named.add(character)
        return character

    def others(self, excluded: set[str]) -> Iterator[str]:
        if self.alphabet is None:
            raise InputError(f"'.', [^...], \\d, \\s or \\w {ANYTHING_ELSE}")
        return (c for c in self.alphabet if c not in excluded)

    def members(self, items: list[tuple[Any, Any]]) -> list[str]:
        negated, inside = str(items[0][0]) == "NEGATE", set()
        for op, value in items[negated:]:
            if str(op) == "LITERAL":
                inside.add(self.name(value) if not negated else chr(value))
            elif str(op) == "RANGE" and self.alphabet is not None:
                inside |= {c for c in self.alphabet if value[0] <= ord(c) <= value[1]}
            elif str(op) == "RANGE":
                if value[1] - value[0] >= MOST_IN_A_RANGE and not negated:
                    raise InputError(f"a range has more than {MOST_IN_A_RANGE:,} characters")
                inside |= {self.name(code) for code in ([] if negated else range(value[0], value[1] + 1))}
            else:
                kind = str(value).removeprefix("CATEGORY_")
                letter = CLASSES[kind.removeprefix("NOT_")]
                matches = re.compile(letter.upper() if kind.startswith("NOT_") else letter).fullmatch
                inside |= {c for c in self.others(set()) if matches(c)}
        return list(self.others(inside)) if negated else sorted(inside)

    def one_of(self, characters: Iterable[str]) -> Rule:
        words = tuple(map(Word, characters))
        return words[0] if len(words) == 1 else Either(words)


def _without_outer_anchors(items: list[tuple[object, object]]) -> list[tuple[object, object]]:
    """Drop anchors at the two ends, which have no effect on a complete match."""
    while items and str(items[0][0]) == "AT" and str(items[0][1]) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
        items = items[1:]
    while items and str(items[-1][0]) == "AT" and str(items[-1][1]) in ("AT_END", "AT_END_STRING"):
        items = items[:-1]
    return items


def _refused(what: str) -> InputError:
    return InputError(f"{what} is not supported")


def _written(rule: Rule) -> str:
    if isinstance(rule, Word):
        return re.escape(rule.text)
    if isinstance(rule, Sequence):
        return "".join(_group(part) if isinstance(part, Either) else _written(part) for part in rule.parts)
    if isinstance(rule, Repeat):
        sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((rule.least, rule.most))
        most = "" if rule.most is None else rule.most
        return _group(rule.part) + (sign or f"{{{rule.least},{most}}}")
    assert isinstance(rule, Either)
    words = [part.text for part in rule.parts if isinstance(part, Word)]
    rest = [_written(part) for part in rule.parts if not isinstance(part, Word)]
    return "|".join([*([_set(words)] if words else []), *rest])


def _set(characters: list[str]) -> str:
    return re.escape(characters[0]) if len(characters) == 1 else f"[{''.join(map(re.escape, characters))}]"


def _group(rule: Rule) -> str:
    """Return the text of a rule as an operand of a sequence or a repeat, with parentheses if necessary."""
    text = _written(rule)
    alone = isinstance(rule, Word) or (
        isinstance(rule, Either) and all(isinstance(p, Word) for p in rule.parts)
    )
    return text if alone else f"(?:{text})"
