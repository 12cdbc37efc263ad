"""Propositional rules over matches, in conjunctive normal form (Jiang et al. 2020, sections 2.2, 3.5).

A proposition is a label of a rule file. It is true if one of the rules with this label matches.

>>> str(parse("(free | win) & !question"))
'!question & (free | win)'
>>> parse("!(a & b)").clauses
((('a', False), ('b', False)),)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken

from automata.errors import FormatError
from automata.text.number_text import shorten

GRAMMAR = r"""
?either: both ("|" both)*
?both: literal ("&" literal)*
?literal: "!" literal -> negation
    | NAME -> name
    | "(" either ")"
NAME: /[^\s()|&!]+/
%ignore /\s+/
"""
MOST_CLAUSES = 10_000
MOST_PRODUCTS = 100 * MOST_CLAUSES
"""Maximum number of clauses to combine for one disjunction."""
TOO_MANY_CLAUSES = f"the formula must have at most {MOST_CLAUSES:,} clauses in conjunctive normal form"
DEEPEST = 200
"""Maximum nesting depth of parentheses and negations."""

Literal = tuple[str, bool]
"""A proposition, and whether it must be true."""


@dataclass(frozen=True)
class Formula:
    """A conjunction of disjunctions.

    Attributes:
        clauses: the literals of each clause. No clauses mean true; a clause without literals is
            false.
    """

    clauses: tuple[tuple[Literal, ...], ...]

    def holds(self, matched: Mapping[str, bool]) -> bool:
        """Return whether the formula is true, given the truth value of each proposition."""
        return all(any(matched[name] == positive for name, positive in clause) for clause in self.clauses)

    @property
    def names(self) -> tuple[str, ...]:
        """The propositions, in order of first occurrence."""
        return tuple(dict.fromkeys(name for clause in self.clauses for name, _ in clause))

    def __str__(self) -> str:
        clauses = [
            " | ".join(("" if positive else "!") + name for name, positive in clause)
            for clause in self.clauses
        ]
        return " & ".join(f"({text})" if " | " in text and len(clauses) > 1 else text for text in clauses)


def parse(text: str, where: str = "the formula") -> Formula:
    """Parse a formula, which consists of names, ``!``, ``&``, ``|`` and parentheses; ``!`` binds tightest.

    Raises:
        FormatError: If the text is not a formula. The message contains the column of the error.
    """
    _require_shallow(text, where)
    try:
        built = _FormulaBuilder().transform(_parser().parse(text))
    except UnexpectedInput as error:
        ends = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        at = len(text) if ends or error.pos_in_stream is None else error.pos_in_stream
        token = "the end" if ends else shorten(text[at : at + 1])
        raise FormatError(
            f'{where}: column {at + 1}: expected a name, "!", "&", "|" or balanced parentheses, got {token}'
        ) from None
    clauses = [tuple(sorted(clause)) for clause in _clauses(built, True, where)]
    return Formula(tuple(sorted(clauses, key=lambda clause: (len(clause), clause))))


def _require_shallow(text: str, where: str) -> None:
    """Raise FormatError if the formula is nested too deeply."""
    depth, outer, signs = 0, list[int](), 0
    for at, sign in enumerate(text):
        if sign == "(":
            outer.append(signs + 1)
            depth, signs = depth + signs + 1, 0
        elif sign == ")":
            depth -= outer.pop() if outer else 0
            signs = 0
        elif sign == "!":
            signs += 1
        elif not sign.isspace():
            signs = 0
        if depth + signs > DEEPEST:
            raise FormatError(f"{where}: column {at + 1}: the nesting depth must be at most {DEEPEST}")


@dataclass(frozen=True)
class _Name:
    text: str


@dataclass(frozen=True)
class _Not:
    part: _Node


@dataclass(frozen=True)
class _Several:
    """A conjunction of parts if ``every`` is true, otherwise a disjunction."""

    parts: tuple[_Node, ...]
    every: bool


_Node = _Name | _Not | _Several
Clauses = set[frozenset[Literal]]


def _clauses(node: _Node, positive: bool, where: str) -> Clauses:
    """Return the conjunctive normal form of a formula or its negation, without tautologies."""
    if isinstance(node, _Name):
        return {frozenset({(node.text, positive)})}
    if isinstance(node, _Not):
        return _clauses(node.part, not positive, where)
    several = [_clauses(part, positive, where) for part in node.parts]
    return _all(several, where) if node.every == positive else _one_of(several, where)


def _all(several: Iterable[Clauses], where: str) -> Clauses:
    union: Clauses = set().union(*several)
    if len(union) > MOST_CLAUSES:
        raise FormatError(f"{where}: {TOO_MANY_CLAUSES}")
    return union


def _one_of(several: list[Clauses], where: str) -> Clauses:
    """Return the conjunctive normal form of a disjunction of parts in this form.

    Each of its clauses is the union of one clause from each part.
    """
    alone = [clause for clauses in several if len(clauses) == 1 for clause in clauses]
    product: Clauses = {frozenset().union(*alone)}
    for clauses in sorted((clauses for clauses in several if len(clauses) != 1), key=len):
        if len(product) * len(clauses) > MOST_PRODUCTS:
            raise FormatError(f"{where}: {TOO_MANY_CLAUSES}")
        product = _all([{one | other for one in product for other in clauses}], where)
    return {
        clause for clause in product if not any((name, not positive) in clause for name, positive in clause)
    }


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, start="either", parser="lalr")


class _FormulaBuilder(Transformer[Token, _Node]):
    """A converter from lark's tree to formula nodes."""

    def name(self, tokens: list[Token]) -> _Node:
        return _Name(str(tokens[0]))

    def negation(self, parts: list[_Node]) -> _Node:
        return _Not(parts[0])

    def both(self, parts: list[_Node]) -> _Node:
        return _Several(tuple(parts), True)

    def either(self, parts: list[_Node]) -> _Node:
        return _Several(tuple(parts), False)


def read(text: str, where: str = "the formulas") -> dict[str, Formula]:
    r"""Read formulas under labels.

    A ``[spam]`` header is followed by one formula on each line; the label applies if one of the formulas is
    true. ``//`` starts a comment.

    >>> {label: str(formula) for label, formula in read("[spam]\nfree & phone\n[ham]\n!free // else").items()}
    {'spam': 'free & phone', 'ham': '!free'}
    """
    lines: dict[str, list[str]] = {}
    label: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        formula = line.partition("//")[0].strip()
        if formula.startswith("[") and formula.endswith("]") and formula[1:-1].strip():
            label = formula[1:-1].strip()
            if label in lines:
                raise FormatError(f"{where}: line {number}: the label {shorten(label)} must have one header")
            lines[label] = []
        elif formula:
            if label is None:
                raise FormatError(f"{where}: line {number}: a formula must follow a [label]")
            parse(formula, f"{where}: line {number}")
            lines[label].append(f"({formula})")
    empty = next((label for label, several in lines.items() if not several), None)
    if empty is not None or not lines:
        raise FormatError(
            f"{where}: the file must have a formula{'' if empty is None else f' for {shorten(empty)}'}"
        )
    return {label: parse(" | ".join(several), where) for label, several in lines.items()}
