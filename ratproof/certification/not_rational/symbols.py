"""Symbolic evaluation of a cell's step; its values are quotients of polynomials over the rationals.

The variables are the components of the state before the step, and exp(r) for rational r > 0; exp(-r) is the
inverse of exp(r). Two equal quotients are equal for all values of the variables. The variables also have
numerical values, which are balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import flint

from theory.not_rational.arithmetic import BALLS, Arithmetic, NotKnown

MOST_EXPONENTIALS = 64
Operand: TypeAlias = "SymbolicArithmetic | Fraction | int"


class Undecided(ArithmeticError):
    """Raised if it cannot be determined which argument of a maximum is larger."""


@dataclass
class Symbols:
    """The variables of a step: the components of the state, each with a ball, and exponentials.

    Attributes:
        state: The balls of the state.
        larger: For each maximum, its larger argument minus its smaller argument.
    """

    state: Sequence[flint.arb]
    larger: list[SymbolicArithmetic] = field(default_factory=list)
    _exponents: list[Fraction] = field(default_factory=list)

    def __post_init__(self) -> None:
        names = [f"s{i}" for i in range(len(self.state))] + [f"E{i}" for i in range(MOST_EXPONENTIALS)]
        self._context = flint.fmpq_mpoly_ctx.get(names, "lex")

    def numbers(self) -> list[SymbolicArithmetic]:
        """Return the components of the state, as variables."""
        return [self._variable(i) for i in range(len(self.state))]

    def constant(self, value: Operand) -> SymbolicArithmetic:
        """Return a rational number as a symbolic value."""
        if isinstance(value, SymbolicArithmetic):
            return value
        exact = Fraction(value)
        return SymbolicArithmetic(
            self._polynomial(flint.fmpq(exact.numerator, exact.denominator)), self._polynomial(1), self
        )

    def arithmetic(self) -> Arithmetic:
        """Return the arithmetic of symbolic values.

        exp, sigmoid and tanh are supported only for rational arguments. A maximum is the argument that is
        larger for the balls of the state.
        """
        return Arithmetic(
            self.constant,
            sigmoid=lambda x: self._over(1, 1 + self._exp(-1 * x, "a gate")),
            tanh=lambda x: 1 - self._over(2, 1 + self._exp(2 * x, "a gate")),
            exp=lambda x: self._exp(x, "an exp"),
            quotient=self._over,
            maximum=self._larger,
        )

    def values(self) -> list[flint.arb]:
        """Return a ball for each variable, at the current precision."""
        unused = [flint.arb(0)] * (MOST_EXPONENTIALS - len(self._exponents))
        return [*self.state, *(BALLS.exp(BALLS.number(r)) for r in self._exponents), *unused]

    def _polynomial(self, value: Any) -> Any:
        return self._context.constant(value)

    def _variable(self, index: int) -> SymbolicArithmetic:
        return SymbolicArithmetic(self._context.gens()[index], self._polynomial(1), self)

    def _over(self, x: Operand, y: Operand) -> SymbolicArithmetic:
        above, below = self.constant(x), self.constant(y)
        if below.above == 0:
            raise NotKnown("the step divides by 0")
        return self.reduced(above.above * below.below, above.below * below.above)

    def reduced(self, above: Any, below: Any) -> SymbolicArithmetic:
        """Return ``above / below`` in lowest terms, with a monic denominator."""
        common = above.gcd(below)
        above, below = above / common, below / common
        leading = below.leading_coefficient()
        return SymbolicArithmetic(above / leading, below / leading, self)

    def _exp(self, x: Operand, what: str) -> SymbolicArithmetic:
        argument = self.constant(x).rational()
        if argument is None:
            raise NotKnown(f"the step has {what} that reads the state")
        if argument == 0:
            return self.constant(1)
        size = abs(argument)
        if size not in self._exponents:
            if len(self._exponents) == MOST_EXPONENTIALS:
                raise NotKnown(f"the step has more than {MOST_EXPONENTIALS} exponentials")
            self._exponents.append(size)
        power = self._variable(len(self.state) + self._exponents.index(size))
        return power if argument > 0 else self._over(1, power)

    def _larger(self, x: Operand, y: Operand) -> SymbolicArithmetic:
        one, other = self.constant(x), self.constant(y)
        difference = (one - other).ball()
        if difference.contains(0):
            raise Undecided("cannot determine which argument of a maximum is larger")
        one, other = (one, other) if difference > 0 else (other, one)
        self.larger.append(one - other)
        return one


@dataclass(frozen=True, eq=False)
class SymbolicArithmetic:
    """A symbolic value: the quotient ``above / below`` of two polynomials."""

    above: Any
    below: Any
    symbols: Symbols

    def __add__(self, other: Operand) -> SymbolicArithmetic:
        term = self.symbols.constant(other)
        return self.symbols.reduced(
            self.above * term.below + term.above * self.below, self.below * term.below
        )

    def __mul__(self, other: Operand) -> SymbolicArithmetic:
        term = self.symbols.constant(other)
        return self.symbols.reduced(self.above * term.above, self.below * term.below)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> SymbolicArithmetic:
        return self * -1

    def __sub__(self, other: Operand) -> SymbolicArithmetic:
        return self + -self.symbols.constant(other)

    def __rsub__(self, other: Operand) -> SymbolicArithmetic:
        return self.symbols.constant(other) - self

    def is_the_same_as(self, other: Operand) -> bool:
        """Return whether the two expressions are equal for all values of the variables."""
        return bool((self - other).above == 0)

    def rational(self) -> Fraction | None:
        """Return the value if it is a rational constant, else ``None``."""
        if not (self.above.is_constant() and self.below.is_constant()):
            return None
        above, below = (Fraction(str(part)) for part in (self.above, self.below))
        return above / below

    def reads(self) -> set[int]:
        """Return the indices of the state components that occur in the quotient."""
        return _variables(self.above, len(self.symbols.state)) | _variables(
            self.below, len(self.symbols.state)
        )

    def degrees(self) -> tuple[int, int]:
        """Return the degrees of the numerator and the denominator in the components of the state."""
        return tuple(  # type: ignore[return-value]
            max((sum(powers[: len(self.symbols.state)]) for powers in part.to_dict()), default=0)
            for part in (self.above, self.below)
        )

    def affine_in(self, index: int) -> tuple[SymbolicArithmetic, SymbolicArithmetic] | None:
        """Return D and u if the quotient equals D s + u for this component s of the state, else ``None``.

        D and u must not depend on the state.
        """
        one = self.symbols.reduced(self.above.derivative(index), self.below)
        rest = self - one * self.symbols.numbers()[index]
        return None if one.reads() or rest.reads() else (one, rest)

    def ball(self) -> flint.arb:
        """Return a ball that contains the value at the current state."""
        return self.evaluated(self.symbols.values(), flint.arb)

    def evaluated(self, values: Sequence[Any], number: Callable[[Any], Any]) -> Any:
        """Return the value for the given values of the variables."""
        return evaluated(self.above, values, number) / evaluated(self.below, values, number)


def evaluated(polynomial: Any, values: Sequence[Any], number: Callable[[Any], Any]) -> Any:
    """Return the value of a polynomial over balls or over polynomials with ball coefficients."""
    total = number(0)
    for powers, coefficient in polynomial.to_dict().items():
        term = number(coefficient)
        for value, power in zip(values, powers, strict=True):
            term = term * value**power if power else term
        total = total + term
    return total


def _variables(polynomial: Any, many: int) -> set[int]:
    return {i for powers in polynomial.to_dict() for i, power in enumerate(powers[:many]) if power}
