"""The base class of users' own claims, with an assertion for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from automata.truth import NoTruthValue

if TYPE_CHECKING:
    from ratproof.api.report import Report


class Checkable(NoTruthValue):
    """A claim of your own, for ``ratproof check`` and, by :meth:`check`, for a test."""

    ask: ClassVar[str] = ".check()"

    def check(self: Any, examples: int = 100, seed: int | None = None) -> Report:
        """Run all its evidence, as ``ratproof check`` does, and return the report.

        Args:
            examples: random cases a rung.
            seed: of fresh random cases; without, the same in every run.

        Raises ``AssertionError`` with the report if a verdict is ``refuted`` or ``unknown``.
        """
        from ratproof.api.running import check_claim  # torch and the runner, when they are needed

        report = check_claim(self, examples, seed)
        if not report.as_expected:
            raise AssertionError(f"\n{report.text}")
        return report
