"""The assertion of every evidence test: two sides agree on all strings given."""

from __future__ import annotations

from collections.abc import Sequence

from automata.strings import String
from ratproof.comparisons import Comparison, counterexample
from ratproof.disagreement import Disagreement
from ratproof.ledger import ledger


def agree(comparison: Comparison, strings: Sequence[String]) -> None:
    """Assert that both sides agree on every prefix of every string; count what was compared.

    Raises :class:`~ratproof.disagreement.Disagreement`, with the first counterexample.
    """
    book = ledger()
    if book.observe is not None:
        book.observe(comparison, strings)
    for compared in comparison.compare(strings):
        book.add(compared.cases, compared.share)
        if compared.difference is not None:
            raise Disagreement(counterexample(comparison, compared))
