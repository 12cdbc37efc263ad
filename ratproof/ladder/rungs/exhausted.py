"""Every string up to a length, for every small case of a variant (weights among 0, 1, -1 and 1/2, or near a
case in which every weight matters), in exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from automata.forward import score
from automata.hankel import Block, full_rank_block, shortlex
from automata.strings import String
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import ledger
from ratproof.implementations.comparison import StringResult, counterexample
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.implementation import Implementation
from ratproof.ladder.rungs.agreement import record
from theory.claim import Claim, Effort, Variant
from theory.reading import NoAutomaton, NoInitialDistribution

MOST_STRINGS = 20_000


def exhausted(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
    """Assert it of all small cases, and all strings up to a length over one and two letters; over an alphabet
    that is given, of as many as are quick to read.

    Raises :class:`~ratproof.evidence.counterexample.Disagreement`.
    """
    longest = effort.exhausted
    if variant.alphabet is not None:
        longest = length_within(len(variant.alphabet))
    exhaust(claim.name, variant, longest, effort.letters)


def length_within(symbols: int) -> int:
    """Return up to which length there are at most :data:`MOST_STRINGS` strings; 1 at least."""
    return next(
        n for n in range(30, 0, -1) if n == 1 or sum(symbols**i for i in range(n + 1)) <= MOST_STRINGS
    )


def exhaust(claim: str, variant: Variant, longest: int = 4, letters: int = 2) -> None:
    """Assert that both sides agree on every string of at most ``longest`` symbols over alphabets of 1 to
    ``letters`` letters.

    The small cases come with few letters first, then of small size, then with simple weights; once one
    differs, all that follow are still tried on the shorter strings. So the counterexample that is raised is
    minimal among all of them: no shorter string, then no smaller alphabet, no fewer states, and no simpler
    weights. Where the variant says that there is no automaton at all, or that no initial distribution does,
    the counterexample's case also has a certificate of that, and is minimal among the cases that have one.

    Raises :class:`~ratproof.evidence.counterexample.Disagreement`.
    """
    book = ledger()
    best: _Found | None = None
    cases = uncertified = 0
    for size in range(1, letters + 1):
        for case in variant.small_cases(size):
            bound = longest if best is None else best.length - 1
            if bound < 0:
                break
            cases += 1
            comparison = ExactComparison(claim, variant.name, case)
            compared = comparison.compare_all(bound)
            record(compared, book)
            book.inform(compared.cases if compared.varies else 0)
            if compared.difference is not None:
                comparison.confirm(compared)
                certify = CERTIFICATES.get(type(variant.reading))
                candidate = _Found(
                    compared, comparison, None if certify is None else certify(variant, comparison, compared)
                )
                # Where some automaton may do for this case, though not the one that is constructed, another
                # case has to show it.
                shown = candidate.certificate is not None or certify is None
                best, uncertified = (candidate, uncertified) if shown else (best, uncertified + 1)
    book.facts.update(longest=longest, small_cases=cases, letters=letters)
    if best is not None:
        book.certificate = best.certificate
        raise Disagreement(counterexample(best.comparison, best.compared))
    if uncertified:
        raise RuntimeError(
            f"the sides differ for {uncertified} cases, and for none of them a certificate shows that no"
            " other automaton does"
        )


@dataclass(frozen=True)
class _Found:
    compared: StringResult
    comparison: ExactComparison
    certificate: dict[str, Any] | None

    @property
    def length(self) -> int:
        assert self.compared.difference is not None
        return self.compared.difference.length


def _no_automaton(
    variant: Variant, comparison: ExactComparison, compared: StringResult
) -> dict[str, Any] | None:
    """A certificate that no automaton as small as the construction's computes the unit that differs; ``None``
    where there is none.
    """
    case = comparison.case
    assert compared.difference is not None
    unit = compared.difference.unit

    def value(x: String) -> Fraction:
        *_, last = variant.reading.recurrence.values(case, x)
        return Fraction(last[unit])

    states = comparison.automata()[unit].states
    block = full_rank_block(value, shortlex(case.alphabet, states))
    if block.values != tuple(tuple(value(p + s) for s in block.suffixes) for p in block.prefixes):
        raise RuntimeError("the block is not the values of its prefixes and suffixes")
    return hankel_certificate(block, case, unit) if len(block) > states else None


def no_initial_distribution(
    variant: Variant, comparison: ExactComparison, compared: StringResult
) -> dict[str, Any] | None:
    """A certificate that the automaton gives another score whatever distribution it starts with; ``None``
    where there is none.

    Its score is linear in the initial weights: a mean of its scores from each single state, none of which is
    as small, or none as large, as the network's value.
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
        "says": "no initial distribution makes this automaton right",
        "case": comparison.case.to_json(),
        "unit": unit,
        "string": [str(x) for x in string],
        "value": str(value),
        "scores": [str(s) for s in scores],
    }


def _exactly(values: list[Fraction]) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


CERTIFICATES: dict[type, Callable[[Variant, ExactComparison, StringResult], dict[str, Any] | None]] = {
    NoAutomaton: _no_automaton,
    NoInitialDistribution: no_initial_distribution,
}
"""What a counterexample's case has to be shown besides, by what the variant claims."""


def hankel_certificate(block: Block, case: Any, unit: int) -> dict[str, Any]:
    """The block as a JSON object."""
    return {
        "type": "hankel",
        "says": f"no automaton over a field with fewer than {len(block)} states computes this unit",
        "case": case.to_json(),
        "unit": unit,
        "prefixes": [list(p) for p in block.prefixes],
        "suffixes": [list(s) for s in block.suffixes],
        "values": [[str(v) for v in row] for row in block.values],
        "determinant": str(block.determinant),
    }
