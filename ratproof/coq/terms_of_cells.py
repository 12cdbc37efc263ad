"""The step of a cell as terms for ``theory/coq_reals/terms.v``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ratproof.coq.terms import list_term
from theory.not_rational.arithmetic import Arithmetic
from theory.not_rational.weights import WeightedCell

Operand: TypeAlias = "Term | Fraction | int"


@dataclass(frozen=True)
class Term:
    """A Coq term as text, whose variables are the numbers in a cell's state."""

    text: str

    def __add__(self, other: Operand) -> Term:
        return self if other == 0 else _applied("Plus", self, other)

    def __mul__(self, other: Operand) -> Term:
        return _applied("Times", self, other)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Term:
        return 0 - self

    def __sub__(self, other: Operand) -> Term:
        return _applied("Minus", self, other)

    def __rsub__(self, other: Operand) -> Term:
        return _applied("Minus", other, self)


def _applied(name: str, *operands: Operand) -> Term:
    return Term(f"({name} {' '.join(_term(operand).text for operand in operands)})")


def _term(value: Operand) -> Term:
    if isinstance(value, Term):
        return value
    exact = Fraction(value)
    return Term(f"(Num ({exact.numerator} # {exact.denominator}))")


TERMS = Arithmetic(_term, sigmoid=lambda x: _applied("Sigmoid", x), tanh=lambda x: _applied("Tanh", x))
"""The arithmetic of Coq terms, for steps that only add, subtract, multiply, and apply the sigmoid and tanh.

>>> (1 - TERMS.sigmoid(Term("(Var 0)") * Fraction(1, 2))).text
'(Minus (Num (1 # 1)) (Sigmoid (Times (Var 0) (Num (1 # 2)))))'
"""


def cell_term(weighted: WeightedCell) -> str:
    """Return the Coq term of the cell: for each letter, a term for each number of the next state."""
    weights, start = weighted.over(TERMS.number), weighted.start(TERMS)
    indices = iter(range(sum(map(len, start))))
    state = tuple([Term(f"(Var {next(indices)})") for _ in vector] for vector in start)
    after = (weighted.cell.step(weights, state, x, TERMS) for x in range(len(weighted.letters)))
    return list_term(
        "\n  " + list_term("\n   " + _term(value).text for vector in state for value in vector)
        for state in after
    )
