"""The assertion that a network and its automata agree on strings, which most kinds of evidence use."""

from __future__ import annotations

from collections.abc import Sequence

from automata.strings import String
from ratproof.evidence.counterexample import Disagreement
from ratproof.evidence.ledger import Ledger, ledger
from ratproof.implementations.comparison import Comparison, Repeatable, StringResult, counterexample


def agree(comparison: Comparison, strings: Sequence[String]) -> None:
    """Assert that the network and the automata of a comparison agree on every prefix of every string.

    The ledger counts the strings that were compared in full, and the strings that were not.

    Raises:
        Disagreement: If a value of the network differs from the automaton's score. The error contains the
            first counterexample.
    """
    book = ledger()
    if book.observe is not None:
        book.observe(comparison, strings)
    try:
        _agree(comparison, strings, book)
    except BaseException:
        book.has_failed = True
        raise


def _agree(comparison: Comparison, strings: Sequence[String], book: Ledger) -> None:
    before, varies = book.cases, False
    try:
        for _, compared in zip(strings, comparison.compare(strings), strict=True):
            record(compared, book)
            varies = varies or compared.varies
            if compared.cases:
                book.facts["longest"] = max(book.facts.get("longest", 0), len(compared.string))
            if compared.difference is not None:
                if isinstance(comparison, Repeatable):
                    comparison.confirm(compared)
                raise Disagreement(counterexample(comparison, compared))
    finally:
        book.inform(book.cases - before if varies else 0)


def record(compared: StringResult, book: Ledger) -> None:
    """Add the result for one string to the counts in the ledger.

    Raises:
        RuntimeError: If a bound is exceeded, but the result contains no difference.
    """
    if compared.difference is None and compared.share is not None and not compared.share <= 1:
        raise RuntimeError(
            "a comparison without a difference must use a share of at most 1 of the bound, got"
            f" {compared.share}"
        )
    book.add(compared.cases, compared.share)
    for reason, count in compared.left_out.items():
        book.leave_out(reason, count)
