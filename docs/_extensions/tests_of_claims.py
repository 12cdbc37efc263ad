"""A page a claim with its evidence: the rungs that the ladder runs for its variants, and the claim's own
tests, so that each has its source a click away.
"""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from page_text import plain

import proofs_tests
from ratproof.evidence.kinds import KINDS
from ratproof.ladder.evidence import MARKER, Mark
from ratproof.ladder.rungs.table import RUNGS
from ratproof.ladder.steps import steps
from theory.claim import Claim
from theory.registry import claims

LADDER = "proofs_tests.test_ladder"


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
    """For each claim its own evidence tests, up the ladder."""
    rungs = list(KINDS)
    by_claim: dict[str, list[EvidenceTest]] = {name: [] for name in claims()}
    for claim, test in _all_tests():
        mine = by_claim[claim]
        same = next(
            (i for i, other in enumerate(mine) if (other.name, other.kind) == (test.name, test.kind)), None
        )
        if same is None:
            mine.append(test)
        else:  # once for several layers of the claim
            mine[same] = _joined(mine[same], test)
    return {claim: sorted(mine, key=lambda t: rungs.index(t.kind)) for claim, mine in by_claim.items()}


def _joined(one: EvidenceTest, other: EvidenceTest) -> EvidenceTest:
    """The test for the variants of both."""
    if one.variants is None or other.variants is None:
        return replace(one, variants=None)
    return replace(one, variants=tuple(dict.fromkeys((*one.variants, *other.variants))))


def pages() -> dict[str, str]:
    """A page for each claim, by path."""
    return {f"tests/{claim.name}.md": _page(claim) for claim in claims().values()}


def rungs_of(claim: Claim, kind: str) -> str:
    """What the ladder runs of that kind for the claim's variants, with a link to the rung; empty where it
    runs nothing.
    """
    variants = [variant.name for variant in claim.variants if kind in variant.kinds]
    if not variants:
        return ""
    layers = dict.fromkeys(
        step.side.label for step in steps([claim]) if step.kind == kind and step.side.label
    )
    rung = RUNGS[kind]
    besides = f", and for the torch layers {', '.join(f'`{layer}`' for layer in layers)}" if layers else ""
    names = ", ".join(f"`{name}`" for name in variants)
    return (
        f"The ladder runs {{py:func}}`{rung.__module__}.{rung.__name__}` for {names}{besides}"
        f" (`test_ladder.py`, `[{claim.name}-...-{kind}]`).\n"
    )


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
    """What a test is evidence for, itself or with some of its parameters."""
    for mark in getattr(test, "pytestmark", []):
        values = mark.args[1] if mark.name == "parametrize" else []
        inner = [m for value in values for m in getattr(value, "marks", ())]
        for each in (mark, *inner):
            if each.name == MARKER and isinstance(each.args[0], Mark):
                yield each.args[0]


def _page(claim: Claim) -> str:
    lines = [
        f"# Tests of {plain(claim.source.statement)}\n",
        (
            f"The evidence for [{plain(claim.title)}](/claims/{claim.name}.md): the rungs of the ladder,"
            " which are the same for all claims, and the claim's own tests. The same body serves variants"
            " that hold and variants that are refuted: for those the test passes when the statement fails"
            " with a counterexample.\n"
        ),
    ]
    for kind, meaning in KINDS.items():
        rung = rungs_of(claim, kind)
        mine = [test for test in tests()[claim.name] if test.kind == kind]
        if rung or mine:
            lines.append(f"## {kind}\n\nShows: {plain(meaning)}.\n\n{rung}")
        for test in mine:
            lines.append(
                "```{eval-rst}\n" + f".. autofunction:: {test.name}\n" + _index(claim, test) + "```\n"
            )
            if test.variants:
                lines.append(f"Variants: {', '.join(f'`{v}`' for v in test.variants)}.\n")
    return "\n".join(lines)


def _index(claim: Claim, test: EvidenceTest) -> str:
    """A test of several claims is described on the pages of all, and indexed on the first."""
    pages_with_it = (name for name, mine in tests().items() if any(test.name == t.name for t in mine))
    first = next(pages_with_it)
    return "" if first == claim.name else "   :no-index:\n"
