"""The checks of a stateful model, which test each law on random cases of every length."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from neural.seeding import seeded
from ratproof.evidence.ledger import ledger
from ratproof.evidence.random_cases import for_random_cases
from ratproof.evidence.subjects import STATED
from ratproof.laws.models.comparison import Doubt, compare
from ratproof.laws.models.counterexample import BrokenLaw
from ratproof.laws.models.declared import Declared, ModelFormat, in_evaluation_mode
from ratproof.laws.models.drawing import problems, stages_of
from ratproof.laws.models.laws import LAWS, Law
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Unequal, Unusable

SHRINKING = 100
"""Number of cases in the search for a shorter counterexample, before shrinking."""


def hold(kind: str, declared: Declared, examples: int | None = None) -> None:
    """Assert a law of a model.

    Raises:
        BrokenLaw: If a case breaks the law.
        Unusable: If no case breaks the law, but some cases are inconclusive. In such a case, the model raised
            an exception, its outputs cannot be compared, or a difference is larger than rounding but too
            small to refute the law.
    """
    with in_evaluation_mode(declared.model):
        formats = declared.formats()
        ledger().facts["module"] = declared.says(formats)
        rung = _Rung(LAWS[kind], declared, formats, f"{declared.name} {STATED} {kind}")
        rung.hold(examples or settings().max_examples)


def result_again(declared: Declared, kind: str, problem: StatefulProblem) -> str:
    """Test the law on this problem again, and return the result as one line of text."""
    with in_evaluation_mode(declared.model):
        format_ = declared.formats()[problem.format]
        try:
            with _seeded(declared, problem):
                doubt = compare(LAWS[kind], format_, problem)
        except (BrokenLaw, Unusable) as error:
            return str(error)
    return "the two ways agree" if doubt is None else doubt.sentence


def _seeded(declared: Declared, problem: StatefulProblem) -> AbstractContextManager[None]:
    """Return a context that seeds torch, so that a case always draws the same random numbers."""
    return seeded(problem.seed, declared.device.startswith("cuda"))


class _Rung:
    """The test of one law of a model, in the dtypes in which the model runs.

    It records the doubts and the smallest unusable case. An unusable case does not stop the search in other
    cases.
    """

    def __init__(self, law: Law, declared: Declared, formats: dict[str, ModelFormat], name: str) -> None:
        self.law, self.declared, self.formats, self.name = law, declared, formats, name
        self.doubts: list[Doubt] = []
        self.broken: BrokenLaw | None = None
        """The simplest case that breaks the law."""
        self.unusable: tuple[StatefulProblem, Unusable] | None = None

    def hold(self, examples: int) -> None:
        """Assert the law for the cases of every stage."""
        for stage in stages_of(self.declared, self.law, examples):
            body = partial(self._case, stage.times, stage.uses)
            try:
                for_random_cases(f"{self.name} {stage.name}", stage.examples, body)
            except BrokenLaw as broken:
                raise self._smallest(broken) from None
            except Flaky as flaky:
                raise self._nondeterminism_error() from flaky
        if self.unusable is not None:
            raise self.unusable[1]
        if self.doubts:
            raise Unusable(self.doubts[0].sentence)

    def _case(self, times: st.SearchStrategy[int], uses: int, data: st.DataObject) -> None:
        time = data.draw(times)
        problem = data.draw(problems(self.declared, self.law, list(self.formats), time, uses))
        try:
            with _seeded(self.declared, problem):
                doubt = compare(self.law, self.formats[problem.format], problem)
        except BrokenLaw as broken:
            if self.broken is None or broken.problem.simplicity < self.broken.problem.simplicity:
                self.broken = broken
            raise
        except Unequal:
            raise
        except Unusable as error:
            if self.unusable is None or problem.simplicity < self.unusable[0].simplicity:
                self.unusable = problem, error
            return
        if doubt is not None:
            self.doubts.append(doubt)

    def _smallest(self, broken: BrokenLaw) -> BrokenLaw:
        """Return the simplest case that breaks the law, including shorter ones that Hypothesis finds.

        Hypothesis minimises the number of choices, which does not always minimise the number of tokens.
        """
        shorter = st.integers(self.law.shortest, broken.problem.time)
        body = partial(self._case, shorter, broken.problem.uses)
        with suppress(Exception):  # other failures of a shorter case are not counterexamples
            for_random_cases(f"{self.name} shorter", SHRINKING, body)
        return self.broken or broken

    def _nondeterminism_error(self) -> Exception:
        """Return the error for a model that gives different results when a case is repeated.

        For the ``reuse`` law this is a refutation, because the second use differs from the first.
        """
        if self.law.kind == "reuse" and self.broken is not None:
            return self.broken
        return Unusable("the same case gave another result when it ran again: the model is not deterministic")
