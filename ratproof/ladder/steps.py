"""The ladder of evidence, generated: every rung that every variant of a claim promises, for every way to run
its network.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ratproof.evidence.not_run import NotRun
from ratproof.evidence.results import Observation
from ratproof.implementations.implementation import (
    Implementation,
    Layer,
    SampledLayer,
    TorchProgram,
    sides_of,
)
from ratproof.ladder.run import run
from ratproof.ladder.rungs.table import rung_of
from theory.claim import Claim, Variant


@dataclass(frozen=True)
class Step:
    """One rung of one variant of a claim, with the network run in one way."""

    claim: Claim
    variant: Variant
    kind: str
    side: Implementation

    @property
    def label(self) -> str:
        """Claim, variant, kind, and how the network is run if not in fractions:
        ``model-b-corrected-sampled``.
        """
        parts = self.claim.name, self.variant.name, self.kind, self.side.label
        return "-".join(filter(None, parts))

    def show(self) -> None:
        """Assert it; see the rungs for what is raised."""
        rung_of(self.kind, self.side)(self.claim, self.variant, self.side, self.claim.effort_of(self.variant))

    def run(self, test: str, seed: int | None = None) -> Observation:
        """Run it, and return what it shows.

        Raises :class:`~ratproof.evidence.not_run.NotRun` if this machine cannot run it.
        """
        claim, variant = self.claim, self.variant
        effort = claim.effort_of(variant)
        return run(
            rung_of(self.kind, self.side),
            claim,
            variant,
            self.side,
            effort,
            kind=self.kind,
            test=test,
            seed=seed,
            passed_on=(NotRun,),
        )


def steps(claims: Iterable[Claim], device: str = "cpu", own: bool = False) -> Iterator[Step]:
    """The whole ladder of these claims.

    Args:
        claims: the claims.
        device: where torch layers run.
        own: are they a user's?
    """
    for claim in claims:
        for variant in claim.variants:
            for kind in variant.kinds:
                sides = sides_of(claim, variant, kind, device, own)
                yield from (Step(claim, variant, kind, side) for side in sides)


def runs_torch(step: Step) -> bool:
    """Does a torch layer run in it?"""
    return step.side.device is not None


def on_device(step: Step, device: str) -> Step:
    """The same step, with its network on that device."""
    assert isinstance(step.side, (Layer, SampledLayer, TorchProgram))
    return replace(step, side=replace(step.side, device=device))
