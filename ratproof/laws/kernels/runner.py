"""The rungs of a user's kernel, each as an assertion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import torch

from ratproof.evidence.ledger import ledger
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.rungs import KERNEL_RUNGS


def rungs_of(kernel: Kernel, kinds: tuple[str, ...]) -> Mapping[str, Callable[[], None]]:
    """Return an assertion for each of these kinds of evidence."""
    return {kind: partial(show, kernel, kind) for kind in kinds}


def show(kernel: Kernel, kind: str, examples: int | None = None) -> None:
    """Assert a rung of a kernel on that many random calls, or the run's own number."""
    ledger().facts["module"] = kernel.says()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the calls are small, and many
    try:
        with memory_capped(torch.device(kernel.device), kernel.gpu_memory):
            KERNEL_RUNGS[kind](kernel, examples)
    finally:
        torch.set_num_threads(threads)


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
