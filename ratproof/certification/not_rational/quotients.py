"""Proofs that no automaton of any size computes a unit that is a quotient.

After a first letter and several repetitions of another letter, let the unit be c_m = P(x_m) / Q(x_m) after m
more repetitions. The clock x_m is m, or D^m with D > 0 and D not 1, and Q has degree 1. A linear recurrence
for c_m would be a linear relation between such functions, whose poles lie at different points and so cannot
cancel. The page ``docs/explanation/not_rational.md`` has the theorem and its proof.

An exact symbolic evaluation of the cell's step shows that the state depends on the clock in this way.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import flint

from ratproof.certification.not_rational.intervals import HypothesisFails, ball_text
from ratproof.certification.not_rational.symbols import SymbolicArithmetic, Symbols, Undecided, evaluated
from theory.not_rational.arithmetic import BALLS, NotKnown
from theory.not_rational.weights import WeightedCell

BEFORE = 32
"""Number of repetitions of the letter before the clock starts at m = 0.

Until then, the larger argument of a maximum may change.
"""


@dataclass(frozen=True)
class Clock:
    """The variable x of which the state is a function: m or D^m, after m repetitions of a letter.

    Attributes:
        ratio: D if the clock is D^m; ``None`` if it is m.
    """

    ratio: flint.arb | None

    def start(self) -> flint.arb:
        """Return the clock's value x at m = 0."""
        return flint.arb(0 if self.ratio is None else 1)

    def never_zero(self, line: QuotientLine) -> bool:
        """Return whether a + b x is certainly nonzero for all m.

        It is monotone in m, so its sign follows from its first value and its limit or slope.
        """
        first = line.constant + line.slope * self.start()
        later = line.constant if self.ratio is not None and self.ratio < 1 else line.slope
        return bool((first > 0 and later > 0) or (first < 0 and later < 0))

    def __str__(self) -> str:
        return "x = m" if self.ratio is None else "x = D^m"


@dataclass(frozen=True)
class QuotientLine:
    """A polynomial a + b x, whose coefficients are balls."""

    constant: flint.arb
    slope: flint.arb

    @classmethod
    def of(cls, polynomial: flint.arb_poly) -> QuotientLine:
        """Convert a polynomial of degree at most 1."""
        return cls(polynomial[0], polynomial[1])

    def __str__(self) -> str:
        return f"{ball_text(self.constant)} + {ball_text(self.slope)} x"


@dataclass(frozen=True)
class Quotient:
    """A unit as a quotient P(x) / Q(x), with the balls that show the hypotheses of the theorem.

    Attributes:
        clock: The clock, m or D^m.
        numerator: The polynomial P.
        below: The polynomial Q.
        pole: The zero of Q.
        sides: For each maximum, the difference of its arguments, which is positive for all m.
    """

    clock: Clock
    numerator: flint.arb_poly
    below: QuotientLine
    pole: flint.arb
    sides: tuple[QuotientLine, ...]

    @property
    def above(self) -> flint.arb:
        """Return the value of P at the pole, which is the zero of Q."""
        return self.numerator(self.pole)

    def value(self, m: int) -> flint.arb:
        """Return the value of the unit after m repetitions."""
        x = flint.arb(m) if self.clock.ratio is None else self.clock.ratio**m
        return self.numerator(x) / (self.below.constant + self.below.slope * x)


def find_quotient(weighted: WeightedCell, unit: int, first: int, letter: int) -> Quotient:
    """Return the unit's value after ``first`` and ``BEFORE + 1 + m`` times ``letter``, as a quotient.

    Raises:
        HypothesisFails: If a hypothesis cannot be shown.
    """
    state, weights = weighted.start(BALLS), weighted.over(BALLS.number)
    for x in (first, *[letter] * BEFORE):
        state = weighted.cell.step(weights, state, x, BALLS)
    symbols = Symbols([flint.arb(number) for number in chain.from_iterable(state)])
    try:
        output, numbers = _stepped(weighted, unit, letter, symbols)
    except (NotKnown, Undecided) as failed:
        raise HypothesisFails(str(failed)) from None
    lines, clock = _clocked(symbols, numbers, [output, *symbols.larger])
    above, below = (_in_clock(part, symbols, lines) for part in (output.above, output.below))
    if output.degrees()[1] != 1:
        raise HypothesisFails("the unit is not a quotient with a denominator of degree 1 in the state")
    return _with_a_pole(above, QuotientLine.of(below), clock, _sides(symbols, lines, clock))


def _stepped(
    weighted: WeightedCell, unit: int, letter: int, symbols: Symbols
) -> tuple[SymbolicArithmetic, list[SymbolicArithmetic]]:
    """Return the next value of the unit and the next state, as symbolic functions of the previous state."""
    arithmetic, flat, shaped = symbols.arithmetic(), iter(symbols.numbers()), []
    for vector in weighted.start(BALLS):
        shaped.append([next(flat) for _ in vector])
    after = weighted.cell.step(weighted.over(arithmetic.number), tuple(shaped), letter, arithmetic)
    numbers = [symbols.constant(number) for number in chain.from_iterable(after)]
    return symbols.constant(weighted.cell.units(after)[unit]), numbers


def _clocked(
    symbols: Symbols, numbers: list[SymbolicArithmetic], readers: list[SymbolicArithmetic]
) -> tuple[list[flint.arb_poly], Clock]:
    """Return each component of the state as a polynomial a + b x in the clock x, and the clock.

    Components that occur in none of the expressions ``readers`` are returned as 0.
    """
    affine, ratios = {}, list[SymbolicArithmetic]()
    counting = False
    for index in sorted(set[int]().union(*(reader.reads() for reader in readers))):
        pair = numbers[index].affine_in(index)
        if pair is None:
            raise HypothesisFails(
                "a component of the state that the unit reads does not depend only on itself"
            )
        affine[index] = ratio, shift = pair
        if ratio.is_the_same_as(1):
            counting = counting or not shift.is_the_same_as(0)
        elif not any(ratio.is_the_same_as(known) for known in ratios):
            ratios.append(ratio)
    if len(ratios) + counting != 1:
        what = "is constant" if not ratios else "depends on several clocks"
        raise HypothesisFails(f"the state that the unit reads {what}")
    clock = Clock(ratios[0].ball() if ratios else None)
    if clock.ratio is not None and (not clock.ratio > 0 or clock.ratio.contains(1)):
        raise HypothesisFails(f"D must be greater than 0 and not 1, got {ball_text(clock.ratio)}")
    lines = [flint.arb_poly([0])] * len(numbers)
    for index, (ratio, shift) in affine.items():
        now, by = symbols.state[index], shift.ball()
        if ratio.is_the_same_as(1):
            lines[index] = flint.arb_poly([now, by])
        else:
            assert clock.ratio is not None
            end = by / (1 - clock.ratio)
            lines[index] = flint.arb_poly([end, now - end])
    return lines, clock


def _in_clock(polynomial: object, symbols: Symbols, lines: list[flint.arb_poly]) -> flint.arb_poly:
    exponentials = symbols.values()[len(lines) :]
    values = [*lines, *(flint.arb_poly([value]) for value in exponentials)]
    return evaluated(polynomial, values, lambda number: flint.arb_poly([flint.arb(number)]))


def _sides(symbols: Symbols, lines: list[flint.arb_poly], clock: Clock) -> tuple[QuotientLine, ...]:
    """Return, for each maximum, the difference of its arguments as a polynomial.

    Raise HypothesisFails unless it is positive for all m.
    """
    sides = []
    for difference in symbols.larger:
        above, below = difference.degrees()
        constant = flint.arb_poly([1 / _in_clock(difference.below, symbols, lines)[0]])
        line = QuotientLine.of(_in_clock(difference.above, symbols, lines) * constant)
        if above > 1 or below or not clock.never_zero(line):
            raise HypothesisFails("the larger argument of a maximum may change later")
        sides.append(line)
    return tuple(sides)


def _with_a_pole(
    above: flint.arb_poly, below: QuotientLine, clock: Clock, sides: tuple[QuotientLine, ...]
) -> Quotient:
    if below.slope.contains(0):
        raise HypothesisFails(f"the slope of Q = {below} may be 0, so Q may not depend on x")
    if clock.ratio is not None and below.constant.contains(0):
        raise HypothesisFails(f"Q = {below} may be 0 at x = 0, so its pole does not move")
    if not clock.never_zero(below):
        raise HypothesisFails(f"Q = {below} may be 0 at some time, so the unit may be undefined")
    quotient = Quotient(clock, above, below, -below.constant / below.slope, sides)
    if quotient.above.contains(0):
        raise HypothesisFails(f"P may be 0 at the zero of Q, because P = {ball_text(quotient.above)} there")
    return quotient
