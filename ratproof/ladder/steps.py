"""The checks that the runner executes, for all variants, kinds of evidence and implementations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from ratproof.evidence.results import Observation
from ratproof.evidence.run import Observe, run
from ratproof.evidence.subjects import Subject, SubjectStep
from ratproof.implementations.implementation import (
    Implementation,
    Layer,
    SampledLayer,
    TorchProgram,
    sides_of,
)
from ratproof.ladder.rungs.table import rung_of
from ratproof.ladder.written import written_checks
from ratproof.ladder.written.check import Inputs, WrittenCheck
from theory.claim import Claim, Variant

TESTS = "proofs_tests/test_ladder.py"
"""The test file that runs the steps, which is part of the test ids in ``verify --json``."""


@dataclass(frozen=True)
class Step:
    """A check: one kind of evidence for one variant of a claim, with one implementation."""

    claim: Claim
    variant: Variant
    kind: str
    side: Implementation

    @property
    def label(self) -> str:
        """Return the names of claim, variant, kind and implementation, as in ``model-b-corrected-sampled``.

        The name of the implementation is omitted if it is the recurrence in exact fractions.
        """
        parts = self.claim.name, self.variant.name, self.kind, self.side.label
        return "-".join(filter(None, parts))

    @property
    def test(self) -> str:
        """Return the pytest id of the test that runs the step."""
        name = "a_torch_layer_stands" if runs_torch(self) else "a_claim_holds_or_is_refuted"
        return f"{TESTS}::test_{name}_on_this_rung[{self.label}]"

    def show(self) -> None:
        """Run the assertion of this kind of evidence.

        The functions of :mod:`ratproof.ladder.rungs` document the exceptions.
        """
        rung_of(self.kind)(self.claim, self.variant, self.side, self.claim.effort_of(self.variant))

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return the step's variant as a tuple of one element."""
        return (self.variant,)

    def run(
        self, seed: int | None = None, observe: Observe | None = None, test: str | None = None
    ) -> list[Observation]:
        """Run the step, and return its observations.

        Raises:
            NotRun: If this machine cannot run it.
        """
        named = self.test if test is None else test
        start = partial(run, self.show, self.claim, self.variant, self.side.device)
        return [start(kind=self.kind, test=named, seed=seed, observe=observe)]


def own_steps(subjects: Iterable[Claim | Subject]) -> Iterator[Step | SubjectStep]:
    """Yield the checks of the user's claims."""
    for subject in subjects:
        if isinstance(subject, Subject):
            yield from (SubjectStep(subject, kind) for kind in subject.rungs)
        else:
            yield from steps([subject], own=True)


def steps(claims: Iterable[Claim], device: str = "cpu", own: bool = False) -> Iterator[Step]:
    """Yield the checks of these claims: one for each variant, kind of evidence and implementation.

    Args:
        claims: The claims.
        device: The device of torch layers.
        own: Whether the claims are a user's own.
    """
    for claim in claims:
        for variant in claim.variants:
            for kind in variant.kinds:
                sides = sides_of(claim, variant, kind, device, own)
                yield from (Step(claim, variant, kind, side) for side in sides)


@dataclass(frozen=True)
class WrittenStep:
    """A check for a single claim, with the user's inputs."""

    check: WrittenCheck
    inputs: Inputs

    @property
    def test(self) -> str:
        """Return the pytest id of the test that runs the step."""
        return self.check.test

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Return the variants of the check."""
        return self.check.variants

    def run(self, seed: int | None = None, observe: Observe | None = None) -> list[Observation]:
        """Run the check; see :meth:`~ratproof.ladder.written.check.WrittenCheck.run`."""
        return self.check.run(self.inputs, seed, observe)


def all_of(claim: Claim, kind: str, inputs: Inputs) -> list[Step | WrittenStep]:
    """Return all steps of one kind of evidence for a built-in claim.

    The checks that are written for this claim come first.
    """
    own = [check for check in written_checks().values() if (check.name, check.kind) == (claim.name, kind)]
    written = [WrittenStep(check, inputs) for check in own if check.can_run(inputs)]
    return [*written, *(step for step in steps([claim], inputs.device) if step.kind == kind)]


def runs_torch(step: Step) -> bool:
    """Return whether the step runs a torch network."""
    return step.side.device is not None


def on_device(step: Step, device: str) -> Step:
    """Return the same step with its network on this device."""
    assert isinstance(step.side, (Layer, SampledLayer, TorchProgram))
    return replace(step, side=replace(step.side, device=device))
