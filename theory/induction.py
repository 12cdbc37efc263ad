"""Proofs by induction over an invariant, for all strings and weights, in every commutative semiring.

The invariant is a vector inv(c) of polynomials in the network's state c. It is the value of the Forward
algorithm's vector Omega after every string that leads the network to c. Three identities prove this:

    base      Omega_0 = inv(c_0)
    step      inv(c) tau(a) = inv(step(c, a)), for every state c and every symbol a
    readout   inv(c) rho = out(c)

By induction, Omega is inv(c) after every string, so every score is the network's output. The identities are
computed with the same code that runs on numbers: the recurrence, the construction and
:mod:`automata.forward`. Each weight and each component of the state is a variable in the free commutative
semiring N[X]. N[X] has no subtraction, so no terms cancel, and a homomorphism maps N[X] to every commutative
semiring. A proof that fails does not refute the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from automata import forward
from automata.recurrences.polynomials import OPPOSITE, POLYNOMIALS, RATIONAL, WORDS, Symbolic
from automata.wfsa import WFSA
from theory.signature import Signature
from theory.weights import Weights

if TYPE_CHECKING:  # avoids a circular import
    from theory.claim import Variant
    from theory.reading import Recurrence
    from theory.symbolic_places import SymbolicPlaces

ONE_LETTER = (
    "One letter whose weights are variables stands for every letter of every alphabet, because a step reads"
    " one letter, and no identity contains the weights of two letters."
)
"""The reason why an induction that is checked for one letter holds for all letters."""


@dataclass(frozen=True)
class Identity:
    """An equation, and whether it holds.

    Attributes:
        name: base, step or readout.
        where: the unit, state and symbol.
        left, right: both sides as text.
        holds: whether they are equal.
    """

    name: str
    where: str
    left: str
    right: str
    holds: bool

    def __str__(self) -> str:
        return f"{self.name}, {self.where}: {self.left} {'=' if self.holds else 'is not'} {self.right}"


def step_identity(of: SymbolicPlaces, where: str, left: Any, right: Any) -> Identity:
    """Return the induction step at symbolic indices as the identity of two expressions."""
    return Identity("step", where, of.write(left), of.write(right), of.same(left, right))


@dataclass(frozen=True)
class Induction:
    """A proof of a variant by induction.

    Attributes:
        says: a description of the invariant.
        invariant: a function that returns the Forward algorithm's vector, which has a weight for each state
            of the automaton. Its arguments are the weights, a state of the recurrence, and the unit.
        states: a function that returns states whose components are variables: one state, or one for each of
            finitely many modes (:class:`~theory.reading.Recurrence`). Its arguments are the weights and a
            function that creates a variable from its name.
        instances: the names and shapes of weights, and the alphabets, for which to check the identities; see
            :attr:`checked`.
        enough: the reason why the identities of these instances are sufficient.
        sizes: identities with a symbolic size, if the instances do not cover all sizes.
    """

    says: str
    invariant: Callable[[Any, Any, int], Sequence[Any]]
    states: Callable[[Any, Callable[[str], Any]], Iterable[Any]]
    instances: tuple[tuple[Signature, str], ...]
    enough: str
    sizes: Callable[[], list[Identity]] | None = None

    @property
    def checked(self) -> tuple[tuple[Signature, str], ...]:
        """The instances, and a copy with two letters of each instance that has one letter.

        With two letters, the check detects a step that reads the wrong letter.
        """
        over_two = ((signature, "ab") for signature, alphabet in self.instances if len(alphabet) == 1)
        return tuple(dict.fromkeys([*self.instances, *over_two]))


@dataclass(frozen=True)
class Reading:
    """The semirings in which the identities are checked.

    Attributes:
        name: the name in reports.
        over: the semiring of all weights.
        paths: the semiring in which the Forward algorithm multiplies the weights of a path: ``over``, or
            ``over`` with reversed products.
    """

    name: str
    over: Symbolic
    paths: Symbolic


COMMUTATIVE = Reading("N[X]", POLYNOMIALS, POLYNOMIALS)
BY_SYMPY = Reading("Q[X], by sympy", RATIONAL, RATIONAL)
IN_PATH_ORDER = Reading("N<X>", WORDS, WORDS)
TURNED_ROUND = Reading("N<X>, paths multiplied from their end", WORDS, OPPOSITE)


def identities(
    variant: Variant, induction: Induction, reading: Reading, instance: tuple[Signature, str]
) -> list[Identity]:
    """Return the identities base, step and readout of every unit, for the weights of one instance.

    Args:
        variant: the variant, which has a recurrence and a construction.
        induction: the proof, which has the invariant.
        reading: the semirings.
        instance: the names and shapes of the weights, and the alphabet.
    """
    signature, alphabet = instance
    weights = signature.variables(alphabet, reading.over)
    equations: list[Identity] = []
    recurrence = variant.reading.recurrence
    automata = variant.reading.construction(weights)
    units = len(recurrence.out(weights, recurrence.start(weights)))
    if len(automata) != units:
        raise ValueError(f"the number of automata must be {units}, one for each output, got {len(automata)}")
    for unit, automaton in enumerate(automata):
        equations += _of_unit(recurrence, induction, weights, unit, automaton.replace(semiring=reading.paths))
    return equations


def _of_unit(
    recurrence: Recurrence, induction: Induction, weights: Weights, unit: int, automaton: WFSA
) -> Iterator[Identity]:
    k: Any = weights.over

    def vector(state: Any) -> Any:
        array = np.empty(automaton.states, dtype=object)
        values = list(induction.invariant(weights, state, unit))
        if len(values) != len(array):
            raise ValueError(
                f"the invariant must have {automaton.states} numbers, one for each state, got {len(values)}"
            )
        array[:] = [k.exact(value) for value in values]
        return array

    def equal(name: str, where: str, left: Any, right: Any) -> Identity:
        pairs = list(zip(np.atleast_1d(left), np.atleast_1d(right), strict=True))
        return Identity(name, where, _row(left), _row(right), all(k.same(a, b) for a, b in pairs))

    which = f"unit {unit}"
    yield equal("base", which, forward.start(automaton), vector(recurrence.start(weights)))
    for state in induction.states(weights, k.variable):
        at = f"{which}, state {write_state(state)}"
        for symbol in weights.alphabet:
            after = recurrence.step(weights, state, symbol)
            yield equal(
                "step",
                f"{at}, symbol {symbol}",
                forward.step(automaton, vector(state), symbol),
                vector(after),
            )
        yield equal(
            "readout", at, forward.read_out(automaton, vector(state)), recurrence.out(weights, state)[unit]
        )


def write_state(state: Any) -> str:
    """Return a state of a recurrence as text, with quotes around strings.

    The state of a windowed network is a string: the last symbols that it has read.
    """
    if isinstance(state, tuple):
        return f"({', '.join(map(write_state, state))})" if len(state) != 1 else write_state(state[0])
    return f'"{state}"' if isinstance(state, str) else str(state)


def _row(values: Any) -> str:
    many = np.atleast_1d(values).tolist()
    return str(many[0]) if np.ndim(values) == 0 else f"({', '.join(map(str, many))})"
