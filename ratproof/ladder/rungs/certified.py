"""Certificates that a counterexample requires if the variant says that no automaton computes the network.

A difference from the constructed automaton shows only that this construction fails. The certificate excludes
the other automata of its size, or the other initial distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from automata.aliases import JsonObject
from automata.forward import score
from automata.hankel import Block, full_rank_block, shortlex
from automata.strings import String
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger
from ratproof.implementations.comparison import Comparison, Difference, StringResult
from ratproof.implementations.exact import ExactComparison
from ratproof.ladder.rungs.agreement import agree
from theory.claim import Variant
from theory.reading import NoAutomaton, NoInitialDistribution

UNCERTIFIED = (
    "the network and its automata differ for {} cases, but no certificate excludes another automaton for any"
    " of them"
)
MOST_STRINGS = 32
"""Most strings of the automaton's number of symbols for which a certificate of a random case is sought."""


def agree_or_certify(variant: Variant, comparison: Comparison, strings: Sequence[String]) -> None:
    """Assert agreement as :func:`~ratproof.ladder.rungs.agreement.agree` does.

    A difference without a required certificate does not refute the variant. It is counted in the ledger, for
    :func:`require_certified`.

    Raises:
        Disagreement: If a score differs, and there is a certificate if the variant requires one.
    """
    certify = CERTIFICATES.get(type(variant.reading))
    book = ledger()
    failed = book.has_failed
    try:
        agree(comparison, strings)
    except Disagreement as error:
        # after a certified failure, the variant is refuted, and Hypothesis only shrinks the case
        if certify is None or failed or not isinstance(comparison, ExactComparison):
            raise
        shown, states = error.counterexample, max(a.states for a in comparison.automata())
        where = Difference(len(shown.string), shown.unit, shown.network, shown.automaton, shown.bound)
        compared = StringResult(tuple(shown.string), None, where)
        small = len(comparison.case.alphabet) ** states <= MOST_STRINGS
        if small and certify(variant, comparison, compared) is not None:
            raise
        book.has_failed = failed
        book.facts["uncertified"] = book.facts.get("uncertified", 0) + 1


def require_certified() -> None:
    """Raise RuntimeError if all differences so far lack a certificate."""
    if uncertified := ledger().facts.pop("uncertified", 0):
        raise RuntimeError(UNCERTIFIED.format(uncertified))


def _no_automaton(variant: Variant, comparison: ExactComparison, compared: StringResult) -> JsonObject | None:
    """Return a certificate that no automaton of the same size computes the unit, or ``None``."""
    case = comparison.case
    assert compared.difference is not None
    unit = compared.difference.unit

    def value(x: String) -> Fraction:
        *_, last = variant.reading.recurrence.values(case, x)
        return Fraction(last[unit])

    states = comparison.automata()[unit].states
    block = full_rank_block(value, shortlex(case.alphabet, states))
    if block.values != tuple(tuple(value(p + s) for s in block.suffixes) for p in block.prefixes):
        raise RuntimeError("the block must contain the values of its prefixes and suffixes")
    return hankel_certificate(block, case, unit) if len(block) > states else None


def no_initial_distribution(
    variant: Variant, comparison: ExactComparison, compared: StringResult
) -> JsonObject | None:
    """Return a certificate that the automaton is wrong for every initial distribution, or ``None``.

    The automaton's score is linear in the initial weights: it is a mean of the scores from single initial
    states. The certificate requires that all these scores are above the network's value, or all below it.
    """
    assert compared.difference is not None
    unit, string = compared.difference.unit, compared.string[: compared.difference.length]
    automaton = comparison.automata()[unit]
    *_, last = variant.reading.recurrence.values(comparison.case, string)
    starts = [[Fraction(i == state) for i in range(automaton.states)] for state in range(automaton.states)]
    scores = [Fraction(score(automaton.replace(initial=start), string)) for start in map(_exactly, starts)]
    value = Fraction(last[unit])
    if min(scores) <= value <= max(scores):
        return None
    return {
        "type": "range",
        "says": "no initial distribution makes this automaton correct",
        "case": comparison.case.to_json(),
        "unit": unit,
        "string": [str(x) for x in string],
        "value": str(value),
        "scores": [str(s) for s in scores],
    }


def _exactly(values: list[Fraction]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


CERTIFICATES: dict[type, Callable[[Variant, ExactComparison, StringResult], JsonObject | None]] = {
    NoAutomaton: _no_automaton,
    NoInitialDistribution: no_initial_distribution,
}
"""Functions that compute the certificate that a counterexample requires, by class of a variant's reading."""


def hankel_certificate(block: Block, case: Any, unit: int) -> JsonObject:
    """Return the certificate of a Hankel block as a JSON object."""
    return {
        "type": "hankel",
        "says": (
            f"no automaton with fewer than {len(block)} states, over any field that contains the rationals,"
            " computes this unit"
        ),
        "case": case.to_json(),
        "unit": unit,
        "prefixes": [list(p) for p in block.prefixes],
        "suffixes": [list(s) for s in block.suffixes],
        "values": [[str(v) for v in row] for row in block.values],
        "determinant": str(block.determinant),
    }
