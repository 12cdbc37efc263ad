"""All strings at once: the recurrence read as an automaton, and decided against the automaton of the
claim.
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
"""How many symbols the shortest string may have that a variant speaks of, and be decided: that many times as
many states are compared.
"""


def decide(comparison: ExactComparison, on_numbers: OnNumbers | None = None) -> None:
    """Assert that the case's recurrence gives every string the scores of its automata, all of them, in exact
    fractions.

    The step has to be affine in the state (:mod:`automata.recurrences.affine`), or, over another semiring
    than the real one, linear (:mod:`automata.recurrences.linear`); there equality is shown by lumping, or it
    is unknown. Every certificate, of an equality or of a difference, is checked by
    ``ratproof/checkers/check_certificate.py`` or ``check_bisimulation.py``.
    Where the variant speaks of strings of some length on, shorter ones score 0 on both sides of what is
    compared.

    Args:
        comparison: the case.
        on_numbers: where nothing but the claim's file says what the step does to numbers: what runs it on
            them besides.

    Raises:
        Disagreement: with the shortlex-least string that they score differently; or one on which the network,
            run on numbers, differs.
        NotAffine: the recurrence is no automaton of this kind.
        NotAFunction: it gives a string one score, and then another.
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
            ledger().certificate = None  # what it shows is another function's
            raise


def at_least(automaton: WFSA, length: int) -> WFSA:
    """The automaton with score 0 for strings of fewer symbols."""
    if not length:
        return automaton
    if length > MOST_LEFT_OUT:
        raise RuntimeError(
            f"it is not decided: strings of fewer than {length} symbols are left out, and at most"
            f" {MOST_LEFT_OUT} can be"
        )
    k = automaton.semiring
    ways = [(i, min(i + 1, length), x, k.one) for x in automaton.alphabet for i in range(length + 1)]
    return hadamard(
        automaton, WFSA.from_edges(k, length + 1, automaton.alphabet, [(0, k.one)], [(length, k.one)], ways)
    )


def read(recurrence: Recurrence, case: Any) -> list[WFSA]:
    """The recurrence with the weights of the case (an algorithm on an automaton) as automata, one for each
    value it shows; over the case's own semiring.
    """
    over = case.over if isinstance(case, Weights) else REAL
    if over is not REAL:
        return read_linear(
            over,
            lambda k: recurrence.start(replace(case, over=k)),
            lambda k, c, x: recurrence.step(replace(case, over=k), c, x),
            lambda k, c: recurrence.out(replace(case, over=k), c),
            case.alphabet,
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
    """Assert that each unit's automata are equivalent; the certificate of the last is kept as evidence."""
    book = ledger()
    if not network:
        raise RuntimeError("there is no unit to decide")
    for unit, (one, other) in enumerate(zip(network, constructed, strict=True)):
        answer = equivalent(one, other)
        if isinstance(answer, Unknown):
            raise RuntimeError(f"unit {unit} is not decided: {answer.why}")
        book.add(1)
        if isinstance(answer, Different):
            write = one.semiring.format
            difference = Difference(
                len(answer.word), unit, write(answer.scores[0]), write(answer.scores[1]), "0"
            )
            compared = StringResult(answer.word, None, difference)
            if isinstance(comparison, ExactComparison):
                comparison.confirm(compared)
            book.certificate = accepted_certificate(answer)
            raise Disagreement(counterexample(comparison, compared))
        book.certificate = accepted_certificate(answer)
