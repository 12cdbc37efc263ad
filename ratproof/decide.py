"""All strings at once: the recurrence read as an automaton, and decided against the automaton of the claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from automata.affine import read_affine
from automata.equivalence import Answer, Different, Unknown, equivalent
from automata.modes import read_with_modes
from automata.wfsa import WFSA
from ratproof.checkers import checker_of
from ratproof.comparisons import Compared, Comparison, Difference, Exact, counterexample
from ratproof.disagreement import Disagreement
from ratproof.ledger import ledger
from theory.claim import Recurrence


def decide(comparison: Exact) -> None:
    """Assert that the case's recurrence gives every string the scores of its automata, all of them, in exact fractions.

    The step has to be affine in the state (:mod:`automata.affine`), and the semiring the real one. Every certificate, of an
    equality or of a difference, is checked by ``ratproof/check_certificate.py``.

    Raises:
        Disagreement: with the shortlex-least string that they score differently.
        NotAffine: the recurrence is no automaton of this kind.
    """
    variant, constructed = comparison.read, comparison.automata()
    if variant.algorithm is not None:
        constructed = [automaton for a in constructed for automaton in read(variant.algorithm, a)]
    decide_units(comparison, read(variant.recurrence, comparison.case), constructed)


def read(recurrence: Recurrence, case: Any) -> list[WFSA]:
    """The recurrence with the weights of the case (an algorithm on an automaton) as automata, one for each value it shows."""
    reader = read_with_modes if recurrence.modes else read_affine
    return reader(
        recurrence.start(case), lambda c, x: recurrence.step(case, c, x), lambda c: recurrence.out(case, c), case.alphabet
    )


def decide_units(comparison: Comparison, network: Sequence[WFSA], constructed: Sequence[WFSA]) -> None:
    """Assert that each unit's automata are equivalent; the certificate of the last is kept as evidence."""
    book = ledger()
    if not network:
        raise RuntimeError("there is no unit to decide")
    for unit, (one, other) in enumerate(zip(network, constructed, strict=True)):
        answer = equivalent(one, other)
        book.add(1)
        if isinstance(answer, Different):
            write = one.semiring.format
            found = Difference(len(answer.word), unit, write(answer.scores[0]), write(answer.scores[1]), "0")
            book.certificate = checked(answer)
            raise Disagreement(counterexample(comparison, Compared(answer.word, None, found)))
        book.certificate = checked(answer)


def checked(answer: Answer) -> dict[str, Any]:
    """The answer's certificate, which the independent program accepts."""
    if isinstance(answer, Unknown) or answer.certificate is None:
        raise RuntimeError(f"it is not decided: {answer}")
    data = answer.certificate.to_json()
    if checker_of(data).verdict(data) != answer.verdict:
        raise RuntimeError(f"the certificate does not show what it should: {answer}")
    return data
