"""The evidence for each claim: the rungs that the ladder runs, and the claim's own tests."""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import proofs_tests
from ratproof.ladder.evidence import MARKER, Mark
from ratproof.ladder.rungs.table import RUNGS
from ratproof.ladder.steps import steps
from theory.claim import Claim
from theory.registry import claims

LADDER = "proofs_tests.test_ladder"


@dataclass(frozen=True)
class EvidenceTest:
    """A test function and what it is evidence for.

    Attributes:
        name: its dotted name.
        kind: the kind of evidence.
        variants: of the claim; ``None`` for all that promise the kind.
        says: the first sentence of its docstring.
    """

    name: str
    kind: str
    variants: tuple[str, ...] | None
    says: str


class EvidenceTests:
    """The evidence tests of all claims."""

    def __init__(self) -> None:
        self._of: dict[str, dict[tuple[str, str], EvidenceTest]] = {name: {} for name in claims()}
        for claim, test in _all_tests():
            mine, key = self._of[claim], (test.name, test.kind)
            mine[key] = _joined(mine[key], test) if key in mine else test  # once for each of several layers

    def of(self, claim: Claim, kind: str) -> list[EvidenceTest]:
        """Return the claim's own tests of a kind."""
        return [test for test in self._of[claim.name].values() if test.kind == kind]

    def is_first(self, claim: Claim, test: EvidenceTest) -> bool:
        """Return whether the claim is the first one with this test, on whose page the test is indexed."""
        return claim.name == next(
            name for name, mine in self._of.items() if any(test.name == t[0] for t in mine)
        )

    @staticmethod
    def rung(claim: Claim, kind: str) -> tuple[str, list[str], list[str]] | None:
        """Return the function that the ladder runs, the variants that it runs for, and the torch layers."""
        variants = [variant.name for variant in claim.variants if kind in variant.kinds]
        if not variants:
            return None
        sides = (step.side.label for step in steps([claim]) if step.kind == kind)
        rung = RUNGS[kind]
        return f"{rung.__module__}.{rung.__name__}", variants, list(dict.fromkeys(filter(None, sides)))


def _joined(one: EvidenceTest, other: EvidenceTest) -> EvidenceTest:
    """Return the test for the variants of both."""
    if one.variants is None or other.variants is None:
        return replace(one, variants=None)
    return replace(one, variants=tuple(dict.fromkeys((*one.variants, *other.variants))))


def _all_tests() -> Iterator[tuple[str, EvidenceTest]]:
    for module in pkgutil.walk_packages(proofs_tests.__path__, "proofs_tests."):
        file = Path(str(importlib.util.find_spec(module.name).origin))
        if not file.name.startswith("test_") or module.name == LADDER or "evidence(" not in file.read_text():
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if name.startswith("test_"):
                says = (value.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
                for mark in _marks(value):
                    yield mark.claim, EvidenceTest(f"{module.name}.{name}", mark.kind, mark.variants, says)


def _marks(test: object) -> Iterator[Mark]:
    """Yield what a test is evidence for, itself or with some of its parameters."""
    for mark in getattr(test, "pytestmark", []):
        values = mark.args[1] if mark.name == "parametrize" else []
        for each in (mark, *(m for value in values for m in getattr(value, "marks", ()))):
            if each.name == MARKER and isinstance(each.args[0], Mark):
                yield each.args[0]
