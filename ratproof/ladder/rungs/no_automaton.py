"""Refutation of the claim that an automaton with fewer than n states computes a unit."""

from __future__ import annotations

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
    """Raise NoSuchAutomaton if no automaton with fewer than ``states`` states computes the cell's first unit.

    The cell has its default weights.

    Args:
        cell: A name in :data:`theory.not_rational.cells.CELLS`.
        states: Number of states.

    Raises:
        NoSuchAutomaton: If a Hankel determinant of this size is not 0, as
            ``ratproof/checkers/check_hankel.py`` confirms. If the hypotheses of a theorem in
            :mod:`ratproof.certification.not_rational.every_size` hold, the exception excludes automata of any
            size.
    """
    weighted = some(cell_named(cell))
    strings = first_strings(weighted.letters, states, weighted.cell.counts)
    lower_bound = bound(weighted, 0, strings, strings)
    current_ledger = ledger()
    current_ledger.add(states * states)
    if not isinstance(lower_bound, Bound):
        raise RuntimeError(
            f"{cell}: the ball of the determinant of size {states} contains 0: nothing is shown"
        )
    current_ledger.certificate = lower_bound.to_json()
    if check_hankel.verdict(current_ledger.certificate) != current_ledger.certificate["claims"]:
        raise RuntimeError(f"the certificate for {cell} was not accepted")
    weights = ", ".join(f"{name} = {_tuples(value)}" for name, value in weighted.to_json()["weights"].items())
    how_many = f"fewer than {lower_bound.states} states"
    proof = every_size(weighted, 0)
    if isinstance(proof, EverySize):
        how_many = "any number of states"
        current_ledger.certificate["every size"] = [
            f"{hypothesis.says}: {hypothesis.ball}" for hypothesis in proof.hypotheses
        ]
    raise NoSuchAutomaton(f"no automaton with {how_many} computes this unit: {weighted.cell.says}; {weights}")


def _tuples(value: object) -> str:
    """Format a number, a vector or a matrix as in counterexamples."""
    return f"({', '.join(map(_tuples, value))})" if isinstance(value, list) else str(value)
