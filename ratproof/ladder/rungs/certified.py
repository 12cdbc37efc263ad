"""Certificates that a counterexample requires if the variant says that no automaton computes the network.

A difference from the constructed automaton shows only that this construction fails. The certificate excludes
the other automata of its size, or the other initial distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from automata.aliases import JsonObject
from automata.forward import score
from automata.hankel import Block, full_rank_block, shortlex
from automata.strings import String
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import recording
from ratproof.implementations.comparison import StringResult
from ratproof.implementations.exact import ExactComparison
from theory.claim import Claim, Variant
from theory.reading import NoAutomaton, NoInitialDistribution
from theory.weights import Weights

Certify = Callable[[Variant, ExactComparison, StringResult], JsonObject | None]
UNCERTIFIED = (
    "no certificate excludes another automaton for any of the {} small cases in which the network and its"
    " automata differ"
)
LONGEST, LETTERS = 4, 2
"""Length of the strings, and number of letters, of the small cases for which a certificate is sought."""


@contextmanager
def requiring_certificate(claim: Claim, variant: Variant) -> Iterator[None]:
    """Let a Disagreement in the block refute the variant only if some small case has a certificate.

    Raises:
        RuntimeError: If the block raises Disagreement, and the required certificate was not found.
    """
    try:
        yield
    except Disagreement:
        certify = CERTIFICATES.get(type(variant.reading))
        if certify is not None:
            with recording():  # the search is no evidence of its own
                _require_certificate(claim, variant, certify)
        raise


def _require_certificate(claim: Claim, variant: Variant, certify: Certify) -> None:
    uncertified = 0
    for size in range(1, LETTERS + 1):
        for case in variant.small_cases(size):
            comparison = ExactComparison(claim.name, variant.name, case)
            compared = comparison.compare_all(LONGEST)
            if compared.difference is not None:
                if certify(variant, comparison, compared) is not None:
                    return
                uncertified += 1
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


def _exactly(values: list[Fraction]) -> NDArray[np.object_]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


CERTIFICATES: dict[type, Certify] = {
    NoAutomaton: _no_automaton,
    NoInitialDistribution: no_initial_distribution,
}
"""Functions that compute the certificate that a counterexample requires, by class of a variant's reading."""


def hankel_certificate(block: Block, case: Weights, unit: int) -> JsonObject:
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
