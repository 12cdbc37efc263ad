"""Comparison of the recurrence in exact fractions with the scores that OpenFst computes for the automata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from automata.rounding.bounds import share
from automata.strings import String
from ratproof.evidence.not_run import NotRun
from ratproof.implementations.comparison import Difference, StringResult, no_difference
from ratproof.implementations.exact import ExactComparison

if TYPE_CHECKING:
    from automata.io.openfst_scores import Scorer


def scorer_class() -> type[Scorer]:
    """Return the class that computes scores with OpenFst.

    Raises:
        NotRun: If pynini is not installed.
    """
    try:
        from automata.io.openfst_scores import Scorer
    except ImportError as error:
        raise NotRun(f"OpenFst requires pynini, which has wheels for Linux on x86-64 ({error})") from None
    return Scorer


class OpenFstComparison(ExactComparison):
    """A comparison of the recurrence, in exact fractions, with OpenFst's scores of the automata."""

    way = "openfst"

    @cached_property
    def _scorers(self) -> list[Scorer]:
        Scorer = scorer_class()
        return [Scorer(automaton) for automaton in self._automata]

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare every prefix of every string, within OpenFst's derived bound."""
        for string in strings:
            yield self._compare(string)

    def _compare(self, string: String) -> StringResult:
        worst, compared = 0.0, []
        for t, values in enumerate(self.read.recurrence.values(self.case, string)):
            if t < self.read.shortest:
                continue
            for unit, (value, scorer) in enumerate(zip(values, self._scorers, strict=True)):
                bound = scorer.bound(string[:t])
                compared.append(bound < np.inf)
                if not compared[-1]:  # do not compare if OpenFst's floats might overflow
                    continue
                score = scorer.score(string[:t])
                used = share([score], [value], [bound])
                if used > 1:
                    difference = Difference(
                        t, unit, self._automata[unit].semiring.format(value), repr(score), f"{bound:.2g}"
                    )
                    return StringResult(string, worst, difference)
                worst = max(worst, used)
        return no_difference(string, worst, np.array(compared, dtype=bool).reshape(-1, len(self._scorers)))
