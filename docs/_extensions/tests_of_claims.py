"""A page a claim with its evidence tests, so that each has its source a click away."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from page_text import plain

import proofs_tests
from ratproof.record.kinds import KINDS
from ratproof.runner.evidence import mark_of
from theory.claim import Claim
from theory.registry import claims


@dataclass(frozen=True)
class EvidenceTest:
    """A test function, by its dotted name, and the kind of evidence that it is; for which variants, where it
    says so.
    """

    name: str
    kind: str
    variants: tuple[str, ...] | None
    says: str


@cache
def tests() -> dict[str, list[EvidenceTest]]:
    """For each claim its evidence tests, up the ladder."""
    rungs = list(KINDS)
    tests: dict[str, list[EvidenceTest]] = {name: [] for name in claims()}
    for claim, test in _all_tests():
        tests[claim].append(test)
    return {claim: sorted(mine, key=lambda t: rungs.index(t.kind)) for claim, mine in tests.items()}


def pages() -> dict[str, str]:
    """A page for each claim, by path."""
    return {f"tests/{claim.name}.md": _page(claim) for claim in claims().values()}


def _all_tests() -> Iterator[tuple[str, EvidenceTest]]:
    for module in pkgutil.walk_packages(proofs_tests.__path__, "proofs_tests."):
        if not module.name.rpartition(".")[2].startswith("test_"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            mark = mark_of(value) if name.startswith("test_") else None
            if mark is not None:
                says = (value.__doc__ or "").strip().partition("\n")[0]
                yield mark.claim, EvidenceTest(f"{module.name}.{name}", mark.kind, mark.variants, says)


def _page(claim: Claim) -> str:
    lines = [
        f"# Tests of {plain(claim.source.statement)}\n",
        (
            f"The evidence for [{plain(claim.title)}](/claims/{claim.name}.md). What is marked with a variant"
            " runs for that variant; the rest run for each variant that promises their kind. The same body"
            " serves variants that hold and variants that are refuted: for those the test passes when the"
            " statement fails with a counterexample.\n"
        ),
    ]
    for kind, meaning in KINDS.items():
        mine = [test for test in tests()[claim.name] if test.kind == kind]
        if mine:
            lines.append(f"## {kind}\n\nShows: {plain(meaning)}.\n")
        for test in mine:
            lines.append("```{eval-rst}\n" + f".. autofunction:: {test.name}\n" + "```\n")
            if test.variants:
                lines.append(f"Variants: {', '.join(f'`{v}`' for v in test.variants)}.\n")
    return "\n".join(lines)
