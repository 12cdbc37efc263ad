"""The functions that run the kinds of evidence (the rungs), keyed by kind."""

from __future__ import annotations

from collections.abc import Callable

from automata.errors import InputError
from ratproof.implementations.implementation import Implementation
from ratproof.ladder.rungs.cross_checked import cross_checked
from ratproof.ladder.rungs.decided import decided
from ratproof.ladder.rungs.exhausted import exhausted
from ratproof.ladder.rungs.gradient import gradient
from ratproof.ladder.rungs.kernel_checked import kernel_checked, kernel_checked_reals
from ratproof.ladder.rungs.proved import proved
from ratproof.ladder.rungs.sampled import sampled
from theory.claim import Claim, Effort, Variant

Rung = Callable[[Claim, Variant, Implementation, Effort], None]
"""An assertion about a variant of a claim, for one implementation, with a given effort."""

RUNGS: dict[str, Rung] = {
    "sampled": sampled,
    "gradient": gradient,
    "cross-checked": cross_checked,
    "exhausted": exhausted,
    "decided": decided,
    "proved": proved,
    "kernel-checked": kernel_checked,
    "kernel-checked-reals": kernel_checked_reals,
}
"""The rungs, keyed by kind, weakest evidence first."""


def rung_of(kind: str) -> Rung:
    """Return the rung of this kind of evidence.

    For an unknown kind, the rung raises :class:`~automata.errors.InputError`.
    """

    def unknown(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
        raise InputError(f"the kind {kind} is not supported as evidence for a claim")

    return RUNGS.get(kind, unknown)
