"""The checks of kernels and stateful models, as assertions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

import torch

from automata.errors import InputError
from ratproof.evidence.ledger import ledger
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.rungs import KERNEL_RUNGS
from ratproof.laws.models.declared import Declared
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.rungs import hold, result_again

Rungs = Mapping[str, Callable[[], None]]


def kernel_rungs(kernel: Kernel, kinds: Sequence[str]) -> Rungs:
    """Return, for each kind of evidence, a function that asserts it for the kernel."""

    def show(kind: str, examples: int | None = None) -> None:
        ledger().facts["module"] = kernel.says()
        with one_thread(), memory_capped(torch.device(kernel.device), kernel.gpu_memory):
            KERNEL_RUNGS[kind](kernel, examples)

    return {kind: partial(show, kind) for kind in kinds}


def model_rungs(declared: Declared, laws: Sequence[str]) -> Rungs:
    """Return, for each law, a function that asserts it for the model."""

    def show(law: str) -> None:
        with one_thread():
            hold(law, declared)

    return {law: partial(show, law) for law in laws}


def run_again(declared: Declared, law: str, problem: StatefulProblem) -> str:
    """Test a law on one problem, and return the result as one line of text.

    The script of a counterexample calls this function.
    """
    with one_thread():
        return result_again(declared, law, problem)


def require_device(name: str, device: str) -> None:
    """Raise InputError unless torch knows the device, which may still be missing on this machine."""
    try:
        torch.device(device)
    except (RuntimeError, TypeError):
        raise InputError(
            f"{name}: device must be a torch device, such as 'cuda', got {device!r:.60}"
        ) from None


@contextmanager
def one_thread() -> Iterator[None]:
    """Run torch in a single thread, because the calls are small and numerous."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def memory_capped(device: torch.device, most: int | None) -> Iterator[None]:
    """Limit torch's memory on a GPU to ``most`` bytes, or to half of the free memory if ``most`` is None."""
    if device.type != "cuda":
        yield
        return
    if device.index is None:  # torch.cuda requires an index
        device = torch.device("cuda", torch.cuda.current_device())
    free, total = torch.cuda.mem_get_info(device)
    held = torch.cuda.memory_reserved(device)
    fraction = ((free + held) / 2 if most is None else most) / total
    torch.cuda.set_per_process_memory_fraction(min(1.0, fraction), device)
    try:
        yield
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0, device)
