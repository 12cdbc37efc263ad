"""The verdict of a run of evidence, derived from its exception and its ledger."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

import numpy as np
from hypothesis.errors import Flaky

from automata.errors import InputError
from ratproof.evidence.counterexample import Disagreement, Refutation
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.ledger import Ledger, left_out_in_words


def judge(raised: BaseException | None, book: Ledger, informative: int | None = None) -> tuple[Verdict, str]:
    """Return the verdict of a run, and an explanation.

    The explanation is empty if the verdict is ``holds``, or if a counterexample with a string explains it.

    Only a :class:`~ratproof.evidence.counterexample.Refutation` refutes a variant. The verdict is unknown for
    any other exception and for a run that compared nothing. If informative cases are counted, it is also
    unknown for a run without any.
    """
    if isinstance(raised, Refutation):
        return Verdict.REFUTED, "" if isinstance(raised, Disagreement) else str(raised)
    if isinstance(raised, Flaky):
        return (
            Verdict.UNKNOWN,
            (
                "the same test gave another result when it ran again: one of the two sides is not a function"
                " of the string"
            ),
        )
    if raised is not None:
        return Verdict.UNKNOWN, f"{type(raised).__name__}: {raised}".splitlines()[0] + _where(raised)
    if book.cases == 0:
        why = left_out_in_words(book.facts)
        return Verdict.UNKNOWN, "the test compared nothing" + (f": {why}" if why else "")
    if informative == 0:
        same = book.facts.get("alike") or "the automata give all compared strings the same score"
        return Verdict.UNKNOWN, (
            f"no case is informative: {same}, so a network that ignores its input would pass"
        )
    return Verdict.HOLDS, ""


def _where(raised: BaseException) -> str:
    """Return the line of the user's file that raised the exception, as text; "" if there is none."""
    if isinstance(raised, InputError):
        return ""
    frames = [
        frame
        for frame in traceback.extract_tb(raised.__traceback__)
        if Path(frame.filename).is_file() and not any(map(Path(frame.filename).is_relative_to, _OURS))
    ]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""


_OURS = (Path(__file__).resolve().parents[2], Path(np.__file__).resolve().parents[1], Path(sys.prefix))
"""Folders of ratproof, of installed packages and of Python; other files are the user's."""
