"""The decision for all strings, in which a recurrence is converted to an automaton.

Then it is decided whether this automaton is equivalent to the automaton that the claim constructs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from automata.equivalence import Different, Unknown, equivalent
from automata.operations import hadamard
from automata.recurrences.affine import read_affine
from automata.recurrences.clamped import read_clamped
from automata.recurrences.linear import read_linear
from automata.recurrences.modes import read_with_modes
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof.checkers.table import accepted_certificate
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger
from ratproof.implementations.comparison import Comparison, Difference, StringResult, counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.ladder.rungs.on_numbers import OnNumbers
from theory.reading import Clamped, Recurrence
from theory.weights import Weights

MOST_LEFT_OUT = 100
"""Largest minimum length of a variant's strings. The decision needs a number of states proportional to it."""


def decide(comparison: ExactComparison, on_numbers: OnNumbers | None = None) -> None:
    """Assert that a recurrence gives every string the scores of its automata, in exact fractions.

    The step must be affine in the state (:mod:`automata.recurrences.affine`), or linear over a semiring other
    than the reals (:mod:`automata.recurrences.linear`). Over semirings other than the reals, equality is
    proved by lumping, or the result is unknown. ``ratproof/checkers/check_certificate.py`` or
    ``check_bisimulation.py`` checks every certificate of an equality or a difference.

    If the variant only covers strings of a minimum length, the scores of shorter strings are set to 0 before
    the comparison.

    Args:
        comparison: The recurrence with its weights, and the automata.
        on_numbers: Trial runs on numbers, for a step that only the user's file defines.

    Raises:
        Disagreement: If the scores of a string differ in the decision or in a trial run. For the decision,
            the error contains the first such string in shortlex order.
        NotAffine: If the step is not affine or linear.
        NotAFunction: If the recurrence gives a string two different scores.
    """
    reading, constructed = comparison.read, comparison.automata()
    if reading.algorithm is not None:
        constructed = [automaton for a in constructed for automaton in read(reading.algorithm, a)]
    network = read(reading.recurrence, comparison.case)
    sides = ([at_least(a, reading.shortest) for a in side] for side in (network, constructed))
    decide_units(comparison, *sides)
    if on_numbers is not None:
        try:
            on_numbers.run(comparison, network, constructed)
        except Exception:
            ledger().certificate = None  # the certificate is about a different function
            raise


def at_least(automaton: WFSA, length: int) -> WFSA:
    """Return an automaton that gives score 0 to strings of fewer than ``length`` symbols.

    All other strings have the scores of the given automaton.
    """
    if not length:
        return automaton
    if length > MOST_LEFT_OUT:
        raise RuntimeError(
            "not decided: the shortest string of the variant must have at most"
            f" {MOST_LEFT_OUT} symbols, got {length}"
        )
    k = automaton.semiring
    ways = [(i, min(i + 1, length), x, k.one) for x in automaton.alphabet for i in range(length + 1)]
    return hadamard(
        automaton, WFSA.from_edges(k, length + 1, automaton.alphabet, [(0, k.one)], [(length, k.one)], ways)
    )


def read(recurrence: Recurrence, case: Any) -> list[WFSA]:
    """Convert a recurrence to automata, one for each value that it returns.

    ``case`` contains the weights, and their semiring is that of the automata. If the claim is about an
    algorithm, ``case`` is an automaton instead.
    """
    over = case.over if isinstance(case, Weights) else REAL
    if over is not REAL:
        return read_linear(
            over,
            lambda k: recurrence.start(replace(case, over=k)),
            lambda k, c, x: recurrence.step(replace(case, over=k), c, x),
            lambda k, c: recurrence.out(replace(case, over=k), c),
            case.alphabet,
            modes=recurrence.modes,
        )
    if isinstance(recurrence, Clamped):
        return read_clamped(
            recurrence.start(case),
            lambda c, x: recurrence.step(case, c, x),
            lambda c: recurrence.scores(case, c),
            lambda bits: recurrence.shown(case, bits),
            case.alphabet,
        )
    reader = read_with_modes if recurrence.modes else read_affine
    return reader(
        recurrence.start(case),
        lambda c, x: recurrence.step(case, c, x),
        lambda c: recurrence.out(case, c),
        case.alphabet,
    )


def decide_units(comparison: Comparison, network: Sequence[WFSA], constructed: Sequence[WFSA]) -> None:
    """Assert that, for each unit, the automaton of the network and the constructed one are equivalent.

    The certificate of the last unit is recorded as evidence.
    """
    current_ledger = ledger()
    if not network:
        raise RuntimeError("there must be at least one unit to decide")
    for unit, (one, other) in enumerate(zip(network, constructed, strict=True)):
        answer = equivalent(one, other)
        if isinstance(answer, Unknown):
            raise RuntimeError(f"unit {unit} is not decided: {answer.why}")
        if not current_ledger.has_failed:  # otherwise Hypothesis repeats or shrinks the case
            current_ledger.add(1)
        if isinstance(answer, Different):
            current_ledger.has_failed = True
            write = one.semiring.format
            difference = Difference(
                len(answer.word), unit, write(answer.scores[0]), write(answer.scores[1]), "0"
            )
            compared = StringResult(answer.word, None, difference)
            if isinstance(comparison, ExactComparison):
                comparison.confirm(compared)
            current_ledger.certificate = accepted_certificate(answer)
            raise Disagreement(counterexample(comparison, compared))
        current_ledger.certificate = accepted_certificate(answer)
