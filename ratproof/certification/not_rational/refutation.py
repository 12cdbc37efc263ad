"""The refutation where a dropped hypothesis leaves no automaton to compare with: none with fewer than n
states computes the unit.
"""

from __future__ import annotations

from typing import Any

from ratproof.certification.not_rational.every_size import EverySize, every_size
from ratproof.certification.not_rational.hankel_bound import Bound, bound
from ratproof.certification.not_rational.matrix import first_strings
from ratproof.checkers import check_hankel
from ratproof.evidence.counterexample import NoSuchAutomaton
from ratproof.evidence.ledger import ledger
from theory.not_rational.cells import cell_named
from theory.not_rational.weights import some

STATES = 63


def refute(cell: str, states: int = STATES) -> None:
    """Assert that an automaton with fewer than so many states computes the first unit of the cell, with its
    default weights.

    Args:
        cell: a name in :data:`theory.not_rational.cells.CELLS`.
        states: how many.

    Raises:
        NoSuchAutomaton: a Hankel determinant of that size is not 0, which
            ``ratproof/checkers/check_hankel.py`` confirms; and none of any size does, where the hypotheses of
            that theorem hold (:mod:`ratproof.certification.not_rational.every_size`).
    """
    given = some(cell_named(cell))
    strings = first_strings(given.letters, states, given.cell.counts)
    lower_bound = bound(given, 0, strings, strings)
    book = ledger()
    book.add(states * states)
    if not isinstance(lower_bound, Bound):
        raise RuntimeError(f"no determinant of size {states} excludes zero for {cell}: nothing is shown")
    book.certificate = lower_bound.to_json()
    if check_hankel.verdict(book.certificate) != book.certificate["claims"]:
        raise RuntimeError(f"the certificate for {cell} does not show what it should")
    weights = ", ".join(f"{name} = {_tuples(value)}" for name, value in given.to_json()["weights"].items())
    how_many = f"fewer than {lower_bound.states} states"
    proof = every_size(given, 0)
    if isinstance(proof, EverySize):
        how_many = "any number of states"
        book.certificate["every size"] = [
            f"{hypothesis.says}: {hypothesis.ball}" for hypothesis in proof.hypotheses
        ]
    raise NoSuchAutomaton(f"no automaton with {how_many} computes this unit: {given.cell.says}; {weights}")


def _tuples(value: Any) -> str:
    """A number, a vector or a matrix as counterexamples write them."""
    return f"({', '.join(map(_tuples, value))})" if isinstance(value, list) else str(value)
