"""An interval that a real function maps into itself, and an orbit that enters it, in ball arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Protocol, TypeVar

import flint

from ratproof.certification.not_rational.duals import DUALS, Dual
from theory.not_rational.arithmetic import BALLS, Arithmetic

MOST_STEPS, HALVINGS, CLOSE = 2000, 40, 2.0**-100
Number = TypeVar("Number")


class Map(Protocol):
    """A function of one variable, over any arithmetic."""

    def __call__(self, t: Number, a: Arithmetic, /) -> Number: ...


class HypothesisFails(Exception):
    """Raised if a hypothesis of the theorem cannot be shown; the message states the hypothesis."""


@dataclass(frozen=True)
class MappedInterval:
    """The interval from ``middle - radius`` to ``middle + radius``, where both are exact."""

    middle: flint.arb
    radius: flint.arb

    def contains(self, ball: flint.arb) -> bool:
        """Return whether the whole ball is certainly in the interval."""
        return bool(abs(ball - self.middle) <= self.radius)

    def __str__(self) -> str:
        low, high = (end.fmpq() for end in (self.middle - self.radius, self.middle + self.radius))
        return f"[{low}, {high}]"


@dataclass(frozen=True)
class Monotone:
    """The property that phi maps the interval into itself, and its derivative is not 0 on it.

    Attributes:
        interval: The interval J.
        image: A ball within J that contains phi(J).
        slope: A ball without 0 that contains phi'(J).
    """

    interval: MappedInterval
    image: flint.arb
    slope: flint.arb


def find_monotone(phi: Map) -> Monotone:
    """Return an interval J around the limit of the orbit of 0 that phi maps into itself.

    phi(J) is enclosed by the mean value theorem.

    >>> print(find_monotone(lambda t, a: a.sigmoid(t)).interval)
    [325/2048, 2373/2048]
    """
    near = flint.arb(0)
    for _ in range(MOST_STEPS):
        before, near = near, phi(near, BALLS).mid()
        if abs(near - before) < CLOSE:
            break
    for halvings in range(1, HALVINGS):
        radius = flint.arb(2) ** -halvings
        grid = flint.arb(2) ** (halvings + 10)  # a middle with few digits makes J readable
        interval = MappedInterval((near * grid).mid().floor().mid() / grid, radius)
        around = interval.middle + flint.arb(0, radius)  # contains J
        slope = phi(Dual(around, flint.arb(1)), DUALS).slope
        image = phi(interval.middle, BALLS) + slope * (around - interval.middle)
        if interval.contains(image) and not slope.contains(0):
            return Monotone(interval, image, slope)
    raise HypothesisFails(
        f"no interval around {ball_text(near)} was found such that phi maps it into itself and phi' is not 0"
        " on it"
    )


def enter(phi: Map, interval: MappedInterval) -> tuple[int, flint.arb, flint.arb]:
    """Return n, c_n and c_{n+2} for the first n for which c_n is in the interval.

    The orbit is c_0 = 0, c_{n+1} = phi(c_n). It is proved that c_{n+2} differs from c_n.

    Raises:
        HypothesisFails: If c_n may be equal to c_{n+2}, or the orbit does not enter the interval.
    """
    here = flint.arb(0)
    for n in range(MOST_STEPS):
        if interval.contains(here):
            later = phi(phi(here, BALLS), BALLS)
            if here.overlaps(later):
                raise HypothesisFails(f"c_{n} = {ball_text(here)} may be equal to c_{n + 2}")
            return n, here, later
        here = phi(here, BALLS)
    raise HypothesisFails(f"the orbit does not enter {interval} within {MOST_STEPS} steps")


def ball_text(ball: flint.arb) -> str:
    """Format a ball with ten digits, rounded outwards."""
    return str(ball.str(10))


def ends(ball: flint.arb) -> str:
    """Format a ball as an interval, with its ends rounded outwards to six digits.

    >>> ends(flint.arb(flint.fmpq(1, 3)))
    '[0.333333, 0.333334]'
    """
    low, high = ball.lower().fmpq(), ball.upper().fmpq()
    down, up = (Context(prec=6, rounding=rounding) for rounding in (ROUND_FLOOR, ROUND_CEILING))
    return (
        f"[{down.divide(Decimal(int(low.p)), Decimal(int(low.q)))},"
        f" {up.divide(Decimal(int(high.p)), Decimal(int(high.q)))}]"
    )
