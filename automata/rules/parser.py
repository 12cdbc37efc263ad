r"""Parser for rules as text: words, ``$ % &``, ``( ) |``, ``* + ? {m,n}``.

White space and these signs separate words. ``$``, ``%`` and ``&`` are wildcards if they stand
alone: ``$1`` and ``t&cs`` are words. A backslash makes the next sign part of a word: ``\$``,
``\?``.


>>> print(parse("$* ( how many | number of ) seats{1,2}"))
$ * ( how many | number of ) seats {1,2}
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lark import Lark, Token, Transformer, Tree
from lark.exceptions import UnexpectedInput, UnexpectedToken, VisitError

from automata.errors import FormatError, InputError
from automata.rules.syntax import WILDCARDS, Either, Repeat, Rule, Sequence, Wildcard, Word, depth_of
from automata.text.number_text import shorten

GRAMMAR = r"""
?either: sequence ("|" sequence)*
sequence: repeated*
?repeated: atom
    | repeated STAR -> star
    | repeated PLUS -> plus
    | repeated MAYBE -> maybe
    | repeated TIMES -> times
?atom: WORD -> word
    | "(" either ")"
STAR: "*"
PLUS: "+"
MAYBE: "?"
TIMES: /\{\s*[0-9]+\s*(,\s*[0-9]*\s*)?\}/
WORD: /(?:[^\s()|*+?{}\\]|\\\S)+/
%ignore /\s+/
"""
SHOWN = {
    "WORD": "a word",
    "STAR": '"*"',
    "PLUS": '"+"',
    "MAYBE": '"?"',
    "TIMES": '"{m,n}"',
    "LPAR": '"("',
    "RPAR": '")"',
    "VBAR": '"|"',
    "$END": "the end",
}
DEEPEST = 200
"""Maximum nesting depth of parentheses."""
OF_CHARACTERS = re.compile(r"\\[dDwWsSbB]|\[[^\s\]]*\w-\w[^\s\]]*\]|\(\?")
"""Signs of regular expressions over characters: classes, and groups with options."""
SIGNS = re.compile(r"\\.|\{[^{}]*\}|\S", re.DOTALL)
"""One sign of a rule: an escaped character, a repetition count such as ``{1,2}``, or a character."""
MOST_DIGITS = 20


def parse(text: str, where: str = "the rule", line: int = 1, column: int = 1) -> Rule:
    """Parse a rule.

    Raises:
        FormatError: If the text is not a rule; the message contains the line, the column, the actual and the
            expected signs.
    """
    position = Position(where, line, column)
    depth = repeated = 0
    for sign in SIGNS.finditer(text):
        depth += (sign[0] == "(") - (sign[0] == ")")
        repeated = repeated + 1 if sign[0][0] in "*+?{" else 0
        if depth > DEEPEST or repeated > 2 * DEEPEST:
            most = DEEPEST if depth > DEEPEST else 2 * DEEPEST
            raise FormatError(
                f"{position.describe(text, sign.start())}: the nesting depth must be at most {most}"
            )
    try:
        rule: Rule = _RuleBuilder().transform(_tree(text))
    except UnexpectedInput as error:
        ends = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        at = len(text) if ends or error.pos_in_stream is None else error.pos_in_stream
        token = "the end" if ends else shorten(text[at : at + 1])
        raise FormatError(
            f"{position.describe(text, at)}: expected {_expected(text[:at])}, got {token}{_hint(text)}"
        ) from None
    except VisitError as error:
        if isinstance(error.orig_exc, InputError):
            meta = getattr(error.obj, "meta", None)
            raise FormatError(
                f"{position.describe(text, getattr(meta, 'start_pos', 0))}: {error.orig_exc}"
            ) from None
        raise
    except RecursionError:
        raise FormatError(
            f"{position.describe(text, 0)}: the nesting depth must be at most {2 * DEEPEST}"
        ) from None
    if depth_of(rule) > 2 * DEEPEST:  # at most one repetition per parenthesis
        raise FormatError(f"{position.describe(text, 0)}: the nesting depth must be at most {2 * DEEPEST}")
    return rule


@dataclass(frozen=True)
class Position:
    """The position of a rule in a file, for error messages.

    Attributes:
        where: the name of the file.
        line, column: the line and column of the rule's first character, from 1.
    """

    where: str
    line: int
    column: int

    def describe(self, text: str, at: int) -> str:
        """Return the file, line and column of the character at index ``at`` of the rule's text."""
        lines = text.count("\n", 0, at)
        column = at - text.rindex("\n", 0, at) if lines else self.column + at
        return f"{self.where}: line {self.line + lines}, column {column}"


def over_characters(text: str) -> str:
    r"""Return the first construct of character regexes in a rule, or ``""`` if there is none.

    >>> over_characters(r"\d+"), over_characters("$ * [a-z]"), over_characters("how much [1]")
    ('\\d', '[a-z]', '')
    """
    match = OF_CHARACTERS.search(text)
    return match[0] if match else ""


def _hint(text: str) -> str:
    return "; rules are over words, not characters" if over_characters(text) else ""


def _expected(text: str) -> str:
    """Describe the signs that may follow a valid beginning of a rule."""
    live = _parser().parse_interactive(text)
    live.exhaust_lexer()
    expected = [SHOWN[name] for name in SHOWN if name in live.accepts()]  # type: ignore[no-untyped-call]
    return " or ".join([", ".join(expected[:-1]), expected[-1]] if len(expected) > 1 else expected)


def _tree(text: str) -> Tree[Token]:
    return _parser().parse(text)


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, start="either", parser="lalr", propagate_positions=True)


class _RuleBuilder(Transformer[Token, Rule]):
    """A converter from lark's tree to rules."""

    def word(self, tokens: list[Token]) -> Rule:
        text = str(tokens[0])
        return Wildcard(text) if text in WILDCARDS else Word(_unescaped(text))

    def sequence(self, parts: list[Rule]) -> Rule:
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def either(self, parts: list[Rule]) -> Rule:
        return Either(tuple(parts))

    def star(self, parts: list[Rule]) -> Rule:
        return Repeat(parts[0], 0, None)

    def plus(self, parts: list[Rule]) -> Rule:
        return Repeat(parts[0], 1, None)

    def maybe(self, parts: list[Rule]) -> Rule:
        return Repeat(parts[0], 0, 1)

    def times(self, parts: list[Rule]) -> Rule:
        least, comma, most = str(parts[1])[1:-1].partition(",")
        return Repeat(
            parts[0], _times(least), _times(most) if most.strip() else None if comma else _times(least)
        )


def _times(digits: str) -> int:
    """Parse a repetition count; raise InputError for more than ``MOST_DIGITS`` digits."""
    if len(digits) > MOST_DIGITS:
        raise InputError(f"the repetition count {shorten(digits)} must have at most {MOST_DIGITS} digits")
    return int(digits)


def _unescaped(text: str) -> str:
    characters, signs = [], iter(text)
    for sign in signs:
        characters.append(next(signs) if sign == "\\" else sign)
    return "".join(characters)
