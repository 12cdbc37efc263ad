"""Proofs that no automaton of any size computes a unit, by one of two theorems.

Each hypothesis is checked in ball arithmetic. One theorem applies to units with gates and a one-dimensional
state, the other to quotients (:mod:`ratproof.certification.not_rational.quotients`).

On strings of one letter, the unit's values are c_0 and c_{n+1} = phi(c_n). If an automaton over a field that
contains the real numbers computed them, they would satisfy a linear recurrence. Then F(t) = b_0 t + b_1
phi(t) + b_2 phi(phi(t)) + ... would be 0 at t = c_n for all n from some index on, where b_0 is not 0. If the
c_n are bounded and never repeat, F is 0 everywhere, because it is analytic. But there is a half-line on which
phi is bounded. On it, b_0 t is unbounded, and all other terms are bounded.

The page ``docs/explanation/not_rational.md`` has the theorem and its proof, and Coq accepts the theorem
(``theory/coq_reals/not_rational.v``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import flint

from automata.errors import InputError
from ratproof.certification.not_rational.intervals import (
    HypothesisFails,
    Map,
    Number,
    ball_text,
    ends,
    enter,
    find_monotone,
)
from ratproof.certification.not_rational.limits import NoLimit, T, constant, find_limit, tails
from ratproof.certification.not_rational.quotients import BEFORE, Quotient, find_quotient
from theory.not_rational.arithmetic import BALLS, Arithmetic, NotKnown
from theory.not_rational.vectors import State
from theory.not_rational.weights import WeightedCell

BITS = 256
THEOREM = "not_rational.monotone_is_no_automaton"
"""The theorem about units with gates, in ``theory/coq_reals``."""
FIRST_STEPS = 20
"""Number of repetitions of a letter; after each, a component of the state is tested for being nonzero."""


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
        letter: The letter that the strings repeat, possibly after another first letter.
        where: A sentence that describes the strings and the values of the unit on them.
        hypotheses: The hypotheses of the theorem, each with its ball.
        theorem: The name of the theorem in ``theory/coq_reals``; ``None`` if it is not stated in Coq.
    """

    weighted: WeightedCell
    unit: int
    letter: str
    where: str
    hypotheses: tuple[Hypothesis, ...]
    theorem: str | None


@dataclass(frozen=True)
class NoProof:
    """The result if the hypotheses cannot be shown for any letter; it is unknown whether an automaton exists.

    Attributes:
        why: The reason for each letter.
    """

    why: dict[str, str]


def every_size(weighted: WeightedCell, unit: int = 0) -> EverySize | NoProof:
    """Prove that no automaton of any size computes the unit, or return why that is not proved.

    One of the two theorems is applied, with the first letter for which its hypotheses can be shown.

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
                    return _apply_quotient_theorem(weighted, unit, number)
                where = f"on strings of {letter}, the values of the unit are c_0 = 0 and c_{{n+1}} = phi(c_n)"
                return EverySize(weighted, unit, letter, where, hypotheses, THEOREM)
            except HypothesisFails as failed:
                why[letter] = str(failed)
    return NoProof(why)


def _apply_quotient_theorem(weighted: WeightedCell, unit: int, letter: int) -> EverySize:
    """Apply the theorem about quotients to strings of another first letter and repetitions of ``letter``.

    The other letters are tried in order, until the theorem's hypotheses hold.
    """
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
                f"on {name} and then {BEFORE + 1} + m times {last}, the unit is P(x) / Q(x) with"
                f" {quotient.clock}"
            )
            return EverySize(weighted, unit, last, where, tuple(_hypotheses_of_a_quotient(quotient)), None)
    raise HypothesisFails("; ".join(why[1:] or why))


def _hypotheses_of_a_quotient(quotient: Quotient) -> Iterator[Hypothesis]:
    ratio = quotient.clock.ratio
    if ratio is not None:
        yield Hypothesis("D is greater than 0 and not 1", f"D = {ball_text(ratio)}")
    yield Hypothesis(f"Q is not 0 at {quotient.clock} for any m >= 0", f"Q(x) = {quotient.below}")
    yield Hypothesis(
        f"Q is 0 at a point{'' if ratio is None else ' that is not 0'}", f"x_0 = {ball_text(quotient.pole)}"
    )
    yield Hypothesis("P is not 0 at x_0", f"P(x_0) = {ball_text(quotient.above)}")
    for side in quotient.sides:
        yield Hypothesis("the same argument of a maximum is always larger", f"their difference is {side} > 0")


def _map(weighted: WeightedCell, unit: int, letter: int) -> Map:
    """Return the function phi by which a letter changes the unit's component of the state.

    Raise HypothesisFails unless all other components of the state stay 0.
    """
    cell, moving = weighted.cell, weighted.cell.vectors.index(weighted.cell.output)

    def after(t: Number, a: Arithmetic) -> State:
        state = [list(vector) for vector in weighted.start(a)]
        state[moving][unit] = t
        return cell.step(weighted.over(a.number), tuple(state), letter, a)

    try:
        state = after(T, tails(1))
    except NoLimit as error:
        raise HypothesisFails(str(error)) from error
    for v, vector in enumerate(state):
        for i, value in enumerate(vector):
            if (v, i) != (moving, unit) and not constant(value).zero:
                name, alone = f"{cell.vectors[v]}_{i}", f"{cell.output}_{unit}"
                if _moves(weighted, letter, v, i):
                    raise HypothesisFails(
                        f"the next state does not depend on {alone} only: {name} does not stay 0"
                    )
                raise HypothesisFails(
                    f"the next state may depend on more than {alone}: {name} may become nonzero"
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
    monotone = find_monotone(phi)
    steps, here, later = enter(phi, monotone.interval)
    limit = find_limit(phi)
    if limit is None:
        raise HypothesisFails("phi is not proved to be bounded as t tends to minus or plus infinity")
    side = "minus" if limit.direction < 0 else "plus"
    return (
        Hypothesis(
            f"phi maps J = {monotone.interval} into itself", f"phi(J) is within {ends(monotone.image)}"
        ),
        Hypothesis("phi' is not 0 on J", f"phi'(J) is within {ends(monotone.slope)}"),
        Hypothesis("the orbit from c_0 = 0 enters J", f"c_{steps} = {ball_text(here)}"),
        Hypothesis(f"c_{steps + 2} differs from c_{steps}", f"c_{steps + 2} = {ball_text(later)}"),
        Hypothesis(f"phi is bounded as t tends to {side} infinity", f"its limit is {ball_text(limit.value)}"),
    )
