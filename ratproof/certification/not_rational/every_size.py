"""Proofs that no automaton of any size computes a unit, by one of two theorems.

Each hypothesis is checked in ball arithmetic. One theorem applies to units with gates and a one-dimensional
state, the other to quotients (:mod:`ratproof.certification.not_rational.quotients`).

On one letter's strings the unit goes from c_0 to c_{n+1} = phi(c_n). An automaton over a field that contains
the real numbers would give c_n a linear recurrence. Suppose that phi attracts the orbit to a fixed point that
it never meets, with a nonzero derivative there. Then Koenigs' psi with c_n = psi(lambda^n z) would be a
polynomial, and phi(psi(z)) = psi(lambda z) would have no pole, but phi has one. The page
``docs/explanation/not_rational.md`` has the theorem and its proof.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import flint

from automata.errors import InputError
from ratproof.certification.not_rational.attraction import (
    HypothesisFails,
    Map,
    Number,
    ball_text,
    ends,
    enter,
    find_attraction,
)
from ratproof.certification.not_rational.germs import Germ, constant
from ratproof.certification.not_rational.poles import FORMS, Pole, find_pole
from ratproof.certification.not_rational.quotients import BEFORE, Quotient, find_quotient
from theory.not_rational.arithmetic import BALLS, Arithmetic, NotKnown
from theory.not_rational.vectors import ZERO, State
from theory.not_rational.weights import WeightedCell

BITS = 256
FIRST_STEPS = 20
"""Number of steps in which a change of another component of the state is searched for."""


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis that holds, with its statement and the ball that shows it."""

    says: str
    ball: str


@dataclass(frozen=True)
class EverySize:
    """A proof that no automaton with any number of states computes the unit.

    Attributes:
        weighted, unit: The cell with its weights, and the index of the unit.
        letter: The letter of the strings, possibly after another letter.
        where: A description of the strings and of the unit on them.
        hypotheses: The hypotheses of the theorem, each with its ball.
    """

    weighted: WeightedCell
    unit: int
    letter: str
    where: str
    hypotheses: tuple[Hypothesis, ...]


@dataclass(frozen=True)
class NoProof:
    """The result if the hypotheses cannot be shown for any letter; an automaton may still not exist.

    Attributes:
        why: A sentence for each letter.
    """

    why: dict[str, str]


def every_size(weighted: WeightedCell, unit: int = 0) -> EverySize | NoProof:
    """Apply a theorem to the unit, on the first letter whose hypotheses can be shown.

    >>> from theory.not_rational.cells import CELLS
    >>> from theory.not_rational.weights import some
    >>> every_size(some(CELLS["elman"])).letter
    'a'
    >>> every_size(some(CELLS["lstm"])).why["a"]
    'the next state does not depend on c_0 only: h_0 does not stay 0'
    """
    if not 0 <= unit < weighted.units:
        raise InputError(f"the unit must be between 0 and {weighted.units - 1}, got {unit}")
    why = {}
    with flint.ctx.workprec(BITS):
        for number, letter in enumerate(weighted.letters):
            try:
                try:
                    hypotheses = _hypotheses(_map(weighted, unit, number))
                except NotKnown:
                    return _of_a_quotient(weighted, unit, number)
                where = f"on the strings of {letter} it goes from c_0 = 0 to c_n+1 = phi(c_n)"
                return EverySize(weighted, unit, letter, where, hypotheses)
            except HypothesisFails as failed:
                why[letter] = str(failed)
    return NoProof(why)


def _of_a_quotient(weighted: WeightedCell, unit: int, letter: int) -> EverySize:
    """Apply the theorem about quotients, after the first other letter that satisfies its hypotheses."""
    why = ["the alphabet has no other first letter"]
    for first, name in enumerate(weighted.letters):
        if first == letter:
            continue
        try:
            quotient = find_quotient(weighted, unit, first, letter)
        except HypothesisFails as failed:
            why = [*why, f"after {name}, {failed}"]
        else:
            last = weighted.letters[letter]
            where = (
                f"on {name} and then {BEFORE + 1} + m times {last}, it is P(x) / Q(x) with {quotient.clock}"
            )
            return EverySize(weighted, unit, last, where, tuple(_hypotheses_of_a_quotient(quotient)))
    raise HypothesisFails("; ".join(why[1:] or why))


def _hypotheses_of_a_quotient(quotient: Quotient) -> Iterator[Hypothesis]:
    ratio = quotient.clock.ratio
    if ratio is not None:
        yield Hypothesis("D is greater than 0 and not 1", f"D = {ball_text(ratio)}")
    yield Hypothesis(f"Q is 0 at no {quotient.clock}, m >= 0", f"Q(x) = {quotient.below}")
    yield Hypothesis(
        f"Q is 0 at a point{'' if ratio is None else ' that is not 0'}", f"x_0 = {ball_text(quotient.pole)}"
    )
    yield Hypothesis("P is not 0 there", f"P(x_0) = {ball_text(quotient.above)}")
    for side in quotient.sides:
        yield Hypothesis(
            "the larger argument of a maximum does not change, because the difference is", f"{side} > 0"
        )


def _map(weighted: WeightedCell, unit: int, letter: int) -> Map:
    """Return phi, the one-variable map of a letter, if all other components of the state stay 0."""
    cell, moving = weighted.cell, weighted.cell.vectors.index(weighted.cell.output)

    def after(t: Number, a: Arithmetic) -> State:
        state = [list(vector) for vector in weighted.start(a)]
        state[moving][unit] = t
        return cell.step(weighted.over(a.number), tuple(state), letter, a)

    for v, vector in enumerate(after(Germ(constant(0).parts, (ZERO + 1, ZERO)), FORMS)):
        for i, value in enumerate(vector):
            if (v, i) != (moving, unit) and constant(value).form != (ZERO, ZERO):
                name, alone = f"{cell.vectors[v]}_{i}", f"{cell.output}_{unit}"
                if _moves(weighted, letter, v, i):
                    raise HypothesisFails(
                        f"the next state does not depend on {alone} only: {name} does not stay 0"
                    )
                raise HypothesisFails(
                    f"the next state may not depend on {alone} only: {name} may become nonzero"
                )
    return lambda t, a: after(t, a)[moving][unit]


def _moves(weighted: WeightedCell, letter: int, vector: int, index: int) -> bool:
    """Return whether a component of the state is provably nonzero after some repetition of the letter."""
    state = weighted.start(BALLS)
    for _ in range(FIRST_STEPS):
        state = weighted.cell.step(weighted.over(BALLS.number), state, letter, BALLS)
        if not flint.arb(state[vector][index]).contains(0):
            return True
    return False


def _hypotheses(phi: Map) -> tuple[Hypothesis, ...]:
    attraction = find_attraction(phi)
    steps, here, there = enter(phi, attraction.interval)
    pole = find_pole(phi)
    if pole is None:
        raise HypothesisFails("no pole of phi can be shown at a gate that reads a t + b with a not 0")
    return (
        Hypothesis(
            f"phi maps J = {attraction.interval} into itself", f"phi(J) is within {ends(attraction.image)}"
        ),
        Hypothesis("0 < |phi'| < 1 on J", f"phi'(J) is within {ends(attraction.slope)}"),
        Hypothesis("the orbit from c_0 = 0 enters J", f"c_{steps} = {ball_text(here)}"),
        Hypothesis(
            "it is not at the fixed point there, because it changes", f"c_{steps + 1} = {ball_text(there)}"
        ),
        Hypothesis(f"phi has a pole of order {pole.order}", _at(pole)),
    )


def _at(pole: Pole) -> str:
    inner = f"S = sigmoid({pole.slope} t {'-' if pole.shift < 0 else '+'} {abs(pole.shift)})"
    return (
        f"{inner} at t = {pole.point.str(10)}, where the coefficient of S^{pole.order} is"
        f" {pole.leading.str(10)}"
    )
