"""From what a run of some evidence did, its verdict: the one place where an exception becomes a word."""

from __future__ import annotations

from hypothesis.errors import Flaky

from ratproof.papers.not_rational.refutation import NoAutomaton
from ratproof.record.counterexample import Disagreement
from ratproof.record.kinds import Verdict
from ratproof.record.ledger import Ledger, left_out_in_words
from ratproof.rungs.kernel_checked import RefutedByTheorem


def judge(raised: BaseException | None, book: Ledger) -> tuple[Verdict, str]:
    """The verdict, and a sentence where it is unknown, or where there is no counterexample but no automaton
    at all.

    Only a :class:`~ratproof.record.counterexample.Disagreement`, a
    :class:`~ratproof.papers.not_rational.refutation.NoAutomaton` and a
    :class:`~ratproof.rungs.kernel_checked.RefutedByTheorem` refute; any other exception shows nothing, and so
    does a run that compared nothing.
    """
    if isinstance(raised, (NoAutomaton, RefutedByTheorem)):
        return Verdict.REFUTED, str(raised)
    if isinstance(raised, Disagreement):
        return Verdict.REFUTED, ""
    if isinstance(raised, Flaky):
        return (
            Verdict.UNKNOWN,
            (
                "run again, the same test showed something else: one of the two sides is no function of the"
                " string"
            ),
        )
    if raised is not None:
        return Verdict.UNKNOWN, f"{type(raised).__name__}: {raised}".splitlines()[0]
    if book.cases == 0:
        why = left_out_in_words(book.facts)
        return Verdict.UNKNOWN, "the test compared nothing" + (f": {why}" if why else "")
    return Verdict.HOLDS, ""
