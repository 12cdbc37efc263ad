"""Every string up to a length, for every case with weights among 0, 1, -1 and 1/2, in exact fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from automata.hankel import Block, full_rank_block, shortlex
from automata.strings import String
from ratproof.comparisons import Compared, Exact, counterexample
from ratproof.disagreement import Disagreement
from ratproof.ledger import ledger
from theory.claim import Variant


def exhaust(claim: str, variant: Variant, longest: int = 6, letters: int = 2) -> None:
    """Assert that both sides agree on every string of at most ``longest`` symbols over alphabets of 1 to ``letters`` letters.

    Every small case is tried, and all strings, whatever is found on the way: so the counterexample that is raised is minimal:
    no shorter string, then no smaller alphabet, then no simpler weights. Where the variant says that there is no automaton at
    all, the counterexample's case also gets a Hankel block that proves it.

    Raises :class:`~ratproof.disagreement.Disagreement`.
    """
    book = ledger()
    best: _Found | None = None
    for size in range(1, letters + 1):
        for case in variant.small_cases(size):
            comparison = Exact(claim, variant.name, case)
            found = _Found(comparison.compare_all(longest), comparison, size)
            book.add(found.compared.cases)
            if found.compared.difference is not None and (best is None or found.rank < best.rank):
                best = found
    book.facts["longest"] = longest
    if best is None:
        return
    if variant.no_automaton:
        book.certificate = _no_automaton(variant, best)
    raise Disagreement(counterexample(best.comparison, best.compared))


@dataclass(frozen=True)
class _Found:
    compared: Compared
    comparison: Exact
    letters: int

    @property
    def rank(self) -> tuple[int, int]:
        assert self.compared.difference is not None
        return self.compared.difference.length, self.letters


def _no_automaton(variant: Variant, found: _Found) -> dict[str, Any]:
    """A certificate that no automaton as small as the construction's computes the unit of the found case."""
    case = found.comparison.case
    assert found.compared.difference is not None
    unit = found.compared.difference.unit

    def value(x: String) -> Fraction:
        *_, last = variant.recurrence.values(case, x)
        return Fraction(last[unit])

    states = variant.construction(case)[unit].states
    block = full_rank_block(value, shortlex(case.alphabet, states))
    if len(block) <= states:
        raise RuntimeError(f"the Hankel matrix of {case.describe()} has rank {len(block)}, so {states} states may do")
    return hankel_certificate(block, case, unit)


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
