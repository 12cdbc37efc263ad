"""The rungs of a user's kernel, as the runner calls rungs."""

from __future__ import annotations

from collections.abc import Callable

import torch

from automata.errors import InputError
from ratproof.kernels.rungs import KERNEL_RUNGS
from ratproof.record.ledger import ledger
from ratproof.sides.side import Side, UserKernel
from theory.claim import Claim, Effort, Variant


def kernel_rung(kind: str) -> Callable[[Claim, Variant, Side, Effort], None]:
    """The rung of that kind.

    Raises :class:`~automata.errors.InputError` where kernels have none.
    """
    if kind not in KERNEL_RUNGS:
        raise InputError(f"a kernel has no evidence of the kind {kind}; it has {', '.join(KERNEL_RUNGS)}")

    def run(claim: Claim, variant: Variant, side: Side, effort: Effort) -> None:
        assert isinstance(side, UserKernel)
        ledger().facts["module"] = side.kernel.says()
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the calls are small, and many
        try:
            KERNEL_RUNGS[kind](side.kernel, claim, variant, effort)
        finally:
            torch.set_num_threads(threads)

    return run
