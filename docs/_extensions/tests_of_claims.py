"""The evidence for each claim: the checks that the runner generates, and those written for the claim."""

import inspect
from dataclasses import dataclass, replace

from ratproof.ladder.rungs.table import RUNGS
from ratproof.ladder.steps import steps
from ratproof.ladder.written import written_checks
from theory.claim import Claim
from theory.registry import claims


@dataclass(frozen=True)
class EvidenceTest:
    """A check that is written for one claim.

    Attributes:
        name: the dotted name of the function that runs the check.
        kind: the kind of evidence.
        variants: the variants of the claim to which the check applies.
        says: the first paragraph of the function's docstring.
    """

    name: str
    kind: str
    variants: tuple[str, ...]
    says: str


class EvidenceTests:
    """The checks that are written for single claims."""

    def __init__(self) -> None:
        self._tests: dict[str, dict[tuple[str, str], EvidenceTest]] = {name: {} for name in claims()}
        for check in written_checks().values():
            body = inspect.unwrap(check.body)
            says = (body.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
            test = EvidenceTest(f"{body.__module__}.{body.__qualname__}", check.kind, check.names, says)
            mine, key = self._tests[check.name], (test.name, test.kind)
            before = mine[key].variants if key in mine else ()  # a check has one record per layer
            mine[key] = replace(test, variants=tuple(dict.fromkeys((*before, *test.variants))))

    def written_for(self, claim: Claim, kind: str) -> list[EvidenceTest]:
        """Return the checks of one kind that are written for a claim."""
        return [test for test in self._tests[claim.name].values() if test.kind == kind]

    @staticmethod
    def evidence_function(claim: Claim, kind: str) -> tuple[str, list[str], list[str]] | None:
        """Return which function computes a kind of evidence for a claim, and for which variants and layers.

        The result is None if no variant of the claim has this kind of evidence.
        """
        variants = [variant.name for variant in claim.variants if kind in variant.kinds]
        if not variants:
            return None
        labels = (step.side.label for step in steps([claim]) if step.kind == kind)
        rung = RUNGS[kind]
        return f"{rung.__module__}.{rung.__name__}", variants, list(dict.fromkeys(filter(None, labels)))
