"""The base class of users' own claims, with an assertion for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from automata.truth import NoTruthValue

if TYPE_CHECKING:
    from ratproof.api.report import Report


class Checkable(NoTruthValue):
    """Your own claim, for ``ratproof check`` and, with :meth:`check`, for tests."""

    ask: ClassVar[str] = ".check()"

    def check(self: Any, examples: int = 100, seed: int | None = None) -> Report:
        """Run all checks of the claim, as ``ratproof check`` does, and return the report.

        Args:
            examples: Number of random cases per kind of evidence.
            seed: Seed of the random cases; by default they are the same in every run.

        Raises:
            InputError: If the number of examples or the seed is not an integer, or is too small.
            AssertionError: If a verdict is ``refuted`` or ``unknown``; the message is the report.
        """
        __tracebackhide__ = True
        from ratproof.api.running import check_claim  # slow: imports torch

        report = check_claim(self, examples, seed)
        report.check()
        return report
