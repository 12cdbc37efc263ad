"""The rungs of a user's kernel and of a model with a state, as the runner calls rungs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from automata.errors import InputError
from ratproof.evidence.ledger import ledger
from ratproof.implementations.implementation import Implementation, UserKernel, UserModel
from ratproof.laws.kernels.rungs import KERNEL_RUNGS
from ratproof.laws.models.laws import LAWS
from ratproof.laws.models.rungs import hold
from theory.claim import Claim, Effort, Variant

Rung = Callable[[Claim, Variant, Implementation, Effort], None]


def kernel_rung(kind: str) -> Rung:
    """Return the rung of that kind; raise InputError if kernels have none."""
    if kind not in KERNEL_RUNGS:
        raise InputError(f"a kernel has no evidence of the kind {kind}; it has {', '.join(KERNEL_RUNGS)}")

    def run(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
        assert isinstance(side, UserKernel)
        kernel = side.kernel
        ledger().facts["module"] = kernel.says()
        with one_thread(), memory_capped(torch.device(kernel.device), kernel.gpu_memory):
            KERNEL_RUNGS[kind](kernel, claim, variant, effort)

    return run


def stateful_rung(kind: str) -> Rung:
    """Return the rung of that kind; raise InputError if models with a state have none."""
    if kind not in LAWS:
        raise InputError(f"a model with a state has no evidence of the kind {kind}; it has {', '.join(LAWS)}")

    def run(claim: Claim, variant: Variant, side: Implementation, effort: Effort) -> None:
        assert isinstance(side, UserModel)
        with one_thread():
            hold(kind, side.model, claim, variant, effort)

    return run


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch in one thread: the calls are small, and many."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def memory_capped(device: torch.device, most: int | None) -> Iterator[None]:
    """Limit torch to so many bytes of a GPU's memory, or to half of what is free there without a number."""
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
