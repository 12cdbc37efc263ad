"""Propositional rules over matches, in conjunctive normal form (Jiang et al. 2020, sections 2.2 and 3.5).

A proposition is the name of some rules (their label in a rule file): it is true where one of them matches.

>>> str(parse("(free | win) & !question"))
'!question & (free | win)'
>>> parse("!(a & b)").clauses
((('a', False), ('b', False)),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy
from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken
from sympy.logic.boolalg import And, Not, Or, to_cnf

from automata.errors import FormatError
from automata.number_text import shorten

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

Literal = tuple[str, bool]
"""A proposition, and whether it has to be true."""


@dataclass(frozen=True)
class Formula:
    """A conjunction of disjunctions.

    Attributes:
        clauses: of each the literals; no clause: true; a clause without literals: false.
    """

    clauses: tuple[tuple[Literal, ...], ...]

    def holds(self, matched: Mapping[str, bool]) -> bool:
        """Is it true of these matches?"""
        return all(any(matched[name] == wanted for name, wanted in clause) for clause in self.clauses)

    @property
    def names(self) -> tuple[str, ...]:
        """The propositions, in order."""
        return tuple(dict.fromkeys(name for clause in self.clauses for name, _ in clause))

    def __str__(self) -> str:
        shown = [" | ".join(("" if wanted else "!") + name for name, wanted in clause) for clause in self.clauses]
        return " & ".join(f"({text})" if " | " in text and len(shown) > 1 else text for text in shown)


def parse(text: str, where: str = "the formula") -> Formula:
    """The formula that a text is: names, ``!``, ``&``, ``|`` and parentheses; ``!`` binds most, then ``&``.

    Raises :class:`~automata.errors.FormatError`: where it is none.
    """
    try:
        built = _Built().transform(_parser().parse(text))
    except UnexpectedInput as error:
        ends = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        at = len(text) if ends or error.pos_in_stream is None else error.pos_in_stream
        found = "ends" if ends else f"found {shorten(text[at : at + 1])}"
        raise FormatError(
            f'{where}: column {at + 1}: {found}, where a name, "!", "&", "|" or parentheses that close are right'
        ) from None
    whole = to_cnf(built, simplify=False)
    clauses = [_clause(part) for part in (whole.args if isinstance(whole, And) else (whole,)) if part is not sympy.true]
    # a clause with a proposition and its negation is true
    return Formula(tuple(clause for clause in clauses if len({name for name, _ in clause}) == len(clause)))


def _clause(part: Any) -> tuple[Literal, ...]:
    if part is sympy.false:
        return ()
    literals = part.args if isinstance(part, Or) else (part,)
    return tuple(sorted((str(one.args[0]), False) if isinstance(one, Not) else (str(one), True) for one in literals))


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR, start="either", parser="lalr")


class _Built(Transformer[Token, Any]):
    """From lark's tree to sympy's formula."""

    def name(self, found: list[Token]) -> Any:
        return sympy.Symbol(str(found[0]))

    def negation(self, found: list[Any]) -> Any:
        return Not(found[0])

    def both(self, found: list[Any]) -> Any:
        return And(*found)

    def either(self, found: list[Any]) -> Any:
        return Or(*found)


def read(text: str, where: str = "the formulas") -> dict[str, Formula]:
    r"""Formulas under labels: ``[spam]``, then one on each line, any of which may hold; ``//`` begins a comment.

    >>> {label: str(formula) for label, formula in read("[spam]\nfree & phone\n[ham]\n!free // else").items()}
    {'spam': 'free & phone', 'ham': '!free'}
    """
    lines: dict[str, list[str]] = {}
    label: str | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        said = line.partition("//")[0].strip()
        if said.startswith("[") and said.endswith("]") and said[1:-1].strip():
            label = said[1:-1].strip()
            if label in lines:
                raise FormatError(f"{where}: line {number}: the label {shorten(label)} has a header already")
            lines[label] = []
        elif said:
            if label is None:
                raise FormatError(f"{where}: line {number}: is a formula without a [label] above it")
            parse(said, f"{where}: line {number}")
            lines[label].append(f"({said})")
    empty = next((label for label, several in lines.items() if not several), None)
    if empty is not None or not lines:
        raise FormatError(f"{where}: has no formula{'' if empty is None else f' for {shorten(empty)}'}")
    return {label: parse(" | ".join(several), where) for label, several in lines.items()}
