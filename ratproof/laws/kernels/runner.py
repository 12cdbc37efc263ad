"""The rungs of a user's kernel, as the runner calls rungs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from automata.errors import InputError
from ratproof.evidence.ledger import ledger
from ratproof.implementations.implementation import Implementation, UserKernel
from ratproof.laws.kernels.rungs import KERNEL_RUNGS
from theory.claim import Claim, Effort, Variant


def kernel_rung(kind: str) -> Callable[[Claim, Variant, Implementation, Effort], None]:
    """The rung of that kind.

    Raises :class:`~automata.errors.InputError` where kernels have none.
    """
    if kind not in KERNEL_RUNGS:
        raise InputError(f"a kernel has no evidence of the kind {kind}; it has {', '.join(KERNEL_RUNGS)}")

    def run(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
        assert isinstance(side, UserKernel)
        ledger().facts["module"] = side.kernel.says()
        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # the calls are small, and many
        try:
            with memory_capped(torch.device(side.kernel.device), side.kernel.gpu_memory):
                KERNEL_RUNGS[kind](side.kernel, claim, variant, effort)
        finally:
            torch.set_num_threads(threads)

    return run


@contextmanager
def memory_capped(device: torch.device, most: int | None) -> Iterator[None]:
    """What runs inside may hold so many bytes of a GPU's memory through torch; half of what is free there
    without a number. Nothing on a CPU.
    """
    if device.type != "cuda":
        yield
        return
    if device.index is None:  # which torch.cuda asks for
        device = torch.device("cuda", torch.cuda.current_device())
    free, whole = torch.cuda.mem_get_info(device)
    held = torch.cuda.memory_reserved(device)
    fraction = ((free + held) / 2 if most is None else most) / whole
    torch.cuda.set_per_process_memory_fraction(min(1.0, fraction), device)
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, device)
