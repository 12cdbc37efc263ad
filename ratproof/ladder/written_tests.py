"""A test that somebody wrote, as a rung: its body is the assertion, whatever it runs."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import seed as seeded
from hypothesis import strategies as st

from ratproof.evidence.counterexample import FalseStatement, Refutation
from ratproof.implementations.implementation import Sample
from ratproof.ladder.rungs.table import Rung
from theory.claim import Claim, Effort, Variant


@dataclass(frozen=True)
class Written:
    """What the test itself runs; on a device, if it takes one."""

    device: str | None
    label: str = ""
    examples: int | None = None

    def sample(self, claim: Claim, variant: Variant, effort: Effort, data: st.DataObject) -> Sample:
        """The test draws its own."""
        raise NotImplementedError("a test draws its own cases")


def rung_of_test(item: pytest.Function, seed: int | None) -> Rung:
    """The test with its arguments; a property test with cases from the seed, where there is one.

    The rung raises :class:`~ratproof.evidence.counterexample.FalseStatement` if an assertion of the test
    itself fails and the variant is expected to hold. A variant that is expected to be refuted is refuted by a
    counterexample alone: a test that breaks is none.
    """
    test: Any = item.obj
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}

    def assertion(claim: Claim, variant: Variant, side: Any, effort: Effort) -> None:
        if seed is not None and hasattr(test, "hypothesis"):
            seeded(seed)(test)
        try:
            test(**arguments)
        except AssertionError as error:
            line = traceback.extract_tb(error.__traceback__)[-1]
            if isinstance(error, Refutation) or variant.expected != "holds" or not _is_in(item, line):
                raise
            raise FalseStatement(f"{item.path.name}, line {line.lineno}: {line.line}") from error

    return assertion


def _is_in(item: pytest.Function, line: traceback.FrameSummary) -> bool:
    return Path(line.filename).resolve() == item.path.resolve()
