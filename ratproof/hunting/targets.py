"""The targets of a hunt: the checks that draw random cases."""

from __future__ import annotations

from collections.abc import Sequence

from automata.errors import InputError
from ratproof.ladder.steps import Step, WrittenStep, all_of
from ratproof.ladder.written.check import Inputs
from theory.claim import GRADIENT
from theory.registry import claim_named, claims

DRAWN = ("sampled", GRADIENT)
"""The kinds of evidence that draw cases."""


def require_known(names: Sequence[str], variant: str | None) -> None:
    """Raise :class:`~automata.errors.InputError` for an unknown claim or variant."""
    for name in names:
        claim_named(name)
    if variant is not None and not any(
        v.name == variant for n in names or claims() for v in claim_named(n).variants
    ):
        raise InputError(f"none of the claims has a variant {variant!r}")


def targets(names: Sequence[str], variant: str | None, device: str) -> dict[str, Step | WrittenStep]:
    """Return the checks that draw random cases for these claims, keyed by the name of their test.

    The checks are about the variants that should hold, or about ``variant`` if it is passed. Their order does
    not depend on the machine.
    """
    inputs, chosen = Inputs(device), map(claim_named, names or claims())
    every = (step for claim in chosen for kind in DRAWN for step in all_of(claim, kind, inputs))
    wanted = [
        step
        for step in every
        if (isinstance(step, Step) or step.check.draws)
        and all(v.name == variant if variant is not None else v.expected == "holds" for v in step.variants)
    ]
    return dict(sorted((step.test.partition("::")[2], step) for step in wanted))
