"""Every rung by its name, the kind of evidence that it shows."""

from __future__ import annotations

from collections.abc import Callable

from automata.errors import InputError
from ratproof.rungs.cross_checked import cross_checked
from ratproof.rungs.decided import decided
from ratproof.rungs.exhausted import exhausted
from ratproof.rungs.gradient import gradient
from ratproof.rungs.kernel_checked import kernel_checked
from ratproof.rungs.kernels import kernel_rung
from ratproof.rungs.proved import proved
from ratproof.rungs.sampled import sampled
from ratproof.rungs.stateful import stateful_rung
from ratproof.sides.side import Side, UserKernel, UserModel
from theory.claim import Claim, Effort, Variant

Rung = Callable[[Claim, Variant, Side, Effort], None]
"""An assertion on a variant of a claim, run in one way, with some effort."""

RUNGS: dict[str, Rung] = {
    "sampled": sampled,
    "gradient": gradient,
    "cross-checked": cross_checked,
    "exhausted": exhausted,
    "decided": decided,
    "proved": proved,
    "kernel-checked": kernel_checked,
}
"""The rungs, the lowest first."""


def rung_of(kind: str, side: Side) -> Rung:
    """The rung that shows evidence of that kind, of a kernel or of a model with a state where the
    side is one; one that raises :class:`~automata.errors.InputError`, where there is none.
    """
    if isinstance(side, UserKernel):
        return kernel_rung(kind)
    if isinstance(side, UserModel):
        return stateful_rung(kind)

    def unknown(claim: Claim, variant: Variant, side: Side, effort: Effort) -> None:
        raise InputError(f"ratproof has no way to show that a claim is {kind}")

    return RUNGS.get(kind, unknown)
