"""What claims of a user's own about a program have in common: one case, and an assertion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.claim import Claim


@dataclass(frozen=True)
class OnlyCase:
    """The one case of a claim about a program that a file brought."""

    says: str = "the program is given"
    alphabet: str = ""

    def describe(self) -> str:
        """What there is to say of it."""
        return self.says

    def renamed(self, names: dict[str, str]) -> OnlyCase:
        """A program that reads no letters."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Nothing: the program is in the file that brought the claim."""
        return {}


class OwnClaim(Claim):
    """A claim about a program, for ``ratproof check`` and, by :meth:`check`, for a test of one's own."""

    def check(self, examples: int = 100, seed: int | None = None) -> None:
        """Run all its evidence, as ``ratproof check`` does.

        Args:
            examples: random cases a rung.
            seed: of fresh random cases; without, the same in every run.

        Raises ``AssertionError`` with the report where a verdict is not ``holds``.
        """
        from ratproof.api.checks import check_claim  # the runner, which knows claims

        report = check_claim(self, examples, seed)
        if not report.as_expected:
            raise AssertionError(f"\n{report.text}")
