"""``exhausted`` evidence, which covers every string up to a length for every small case, in exact fractions.

The weights are among 0, 1, -1 and 1/2, or near those of a case in which every weight matters.
"""

from __future__ import annotations

from dataclasses import dataclass

from automata.aliases import JsonObject
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger
from ratproof.implementations.comparison import StringResult, counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.implementation import Implementation
from ratproof.ladder.rungs.agreement import record
from ratproof.ladder.rungs.certified import CERTIFICATES, UNCERTIFIED
from theory.claim import Claim, Effort, Variant

MOST_STRINGS = 20_000


def exhausted(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert that the recurrence agrees with its automata for all small cases, up to a string length.

    If the variant has its own alphabet, the size of the alphabet determines this length (see
    :func:`length_within`).

    Raises:
        Disagreement: If a score differs.
    """
    longest = effort.exhausted
    if variant.alphabet is not None:
        longest = length_within(len(variant.alphabet))
    exhaust(claim.name, variant, longest, effort.letters)


def length_within(symbols: int) -> int:
    """Return the largest length for which all strings up to it can be compared, which is at least 1.

    Unless the result is 1, there are at most :data:`MOST_STRINGS` strings up to this length.
    """
    return next(
        n for n in range(30, 0, -1) if n == 1 or sum(symbols**i for i in range(n + 1)) <= MOST_STRINGS
    )


def exhaust(claim: str, variant: Variant, longest: int = 4, letters: int = 2) -> None:
    """Assert that the recurrence agrees with its automata on every string of at most ``longest`` symbols.

    All small cases over 1 to ``letters`` letters are compared. They are sorted by number of letters, size,
    and simplicity of weights. After a difference, later cases still run on shorter strings. The
    counterexample is therefore minimal: it has the shortest string, then the smallest alphabet, the fewest
    states, and the simplest weights.

    If the variant states that no automaton or no initial distribution exists, the counterexample has a
    certificate of this. It is then minimal among the counterexamples with a certificate.

    Raises:
        Disagreement: If the network and its automata differ; the error contains the minimal counterexample.
    """
    current_ledger = ledger()
    best: _Candidate | None = None
    cases = uncertified = 0
    for size in range(1, letters + 1):
        for case in variant.small_cases(size):
            bound = longest if best is None else best.length - 1
            if bound < 0:
                break
            cases += 1
            comparison = ExactComparison(claim, variant.name, case)
            compared = comparison.compare_all(bound)
            record(compared, current_ledger)
            current_ledger.inform(compared.cases if compared.varies else 0)
            if compared.difference is not None:
                comparison.confirm(compared)
                certify = CERTIFICATES.get(type(variant.reading))
                candidate = _Candidate(
                    compared, comparison, None if certify is None else certify(variant, comparison, compared)
                )
                # Without a certificate, another automaton than the constructed one may be correct for this
                # case. Then another case must refute the claim.
                shown = candidate.certificate is not None or certify is None
                best, uncertified = (candidate, uncertified) if shown else (best, uncertified + 1)
    current_ledger.facts.update(longest=longest, small_cases=cases, letters=letters)
    if best is not None:
        current_ledger.certificate = best.certificate
        raise Disagreement(counterexample(best.comparison, best.compared))
    if uncertified:
        raise RuntimeError(UNCERTIFIED.format(uncertified))


@dataclass(frozen=True)
class _Candidate:
    compared: StringResult
    comparison: ExactComparison
    certificate: JsonObject | None

    @property
    def length(self) -> int:
        assert self.compared.difference is not None
        return self.compared.difference.length
