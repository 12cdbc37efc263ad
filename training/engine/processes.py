"""Setup of device, precision and processes with Lightning Fabric; torchrun may start several processes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed

from automata.errors import InputError, LimitReached

if TYPE_CHECKING:
    from lightning_fabric import Fabric

distributed: Any = torch.distributed  # its type stubs lack the stores
RESTARTS = "TORCHELASTIC_RESTART_COUNT"
"""The environment variable with the number of restarts by torchrun (``--max-restarts``)."""
OF_TORCHRUN = "TORCHELASTIC_USE_AGENT_STORE"
"""The environment variable that is ``True`` if torchrun owns the key-value store of the processes."""


class ProcessLost(LimitReached):
    """Raised if another process of the run has ended, so that no further step is possible."""


def fabric_for(device: str, precision: str) -> Fabric:
    """Return a launched Lightning Fabric for this process.

    If torchrun started several processes (``WORLD_SIZE``), they form a group, which uses gloo on a CPU and
    NCCL on a GPU.

    Raises :class:`~automata.errors.InputError` if the device is not available.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("--device must be cpu because torch finds no CUDA device, got cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings from packages that Fabric imports
        from lightning_fabric import Fabric
        from lightning_fabric.plugins.precision.double import DoublePrecision
        from lightning_fabric.strategies.ddp import DDPStrategy

    class Double(DoublePrecision):
        """Float64 precision; Fabric's own rounds the output, and so the loss and its gradient, to float32."""

        def convert_output(self, data: Any) -> Any:
            return data

    processes, here = _number("WORLD_SIZE"), _number("LOCAL_WORLD_SIZE")
    strategy: Any = "auto"
    if processes > 1:
        backend = "gloo" if device == "cpu" else "nccl"
        strategy = DDPStrategy(process_group_backend=backend)
        _join_after_restart(backend, processes)
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    named = {"64-true": None, "tf32": "32-true"}.get(precision, precision)
    fabric = Fabric(
        accelerator=device,
        devices=here,
        num_nodes=max(1, processes // here),
        strategy=strategy,
        precision=named,  # type: ignore[arg-type]
        plugins=[Double()] if precision == "64-true" else None,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on workers and on logging in
        fabric.launch()
    return fabric


@cache
def _store_of_torchrun() -> Any:
    """Return torchrun's key-value store, through which the processes find each other."""
    if not are_several() or os.environ.get(OF_TORCHRUN) != "True":
        return None
    where = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    return distributed.TCPStore(*where, _number("WORLD_SIZE"), is_master=False)


def _join_after_restart(backend: str, processes: int) -> None:
    """Join the group of processes after a restart by torchrun, with new names in the key-value store.

    The store survives a restart, but torch treats it as new: gloo would read the addresses of the ended
    processes and wait for them.
    """
    if _attempt() == 0 or distributed.is_initialized():
        return
    shared_store = _store_of_torchrun()
    if shared_store is None or _number("GROUP_WORLD_SIZE") > 1:  # each torchrun counts its restarts
        raise InputError(
            "torchrun --max-restarts works only on one machine; on several, run the same command with"
            " --resume to continue from the last checkpoint"
        )
    store = distributed.PrefixStore(f"ratproof-attempt-{_attempt()}", shared_store)
    distributed.init_process_group(backend, store=store, rank=int(os.environ["RANK"]), world_size=processes)


def _attempt() -> int:
    text = os.environ.get(RESTARTS, "0")
    return int(text) if text.isdigit() else 0


def begin(folder: Path) -> None:
    """Record that these processes use the folder, so that processes restarted by torchrun resume its run."""
    store = _store_of_torchrun()
    if store is not None and is_first():
        store.set(_begun(folder), "yes")


def begun_before_restart(folder: Path) -> bool:
    """Return whether torchrun restarted this process after it had begun a run in the folder."""
    store = _store_of_torchrun() if _attempt() else None
    return store is not None and bool(store.check([_begun(folder)]))


def _begun(folder: Path) -> str:
    return f"ratproof-begun-{folder.absolute()}"


@contextmanager
def with_others() -> Iterator[None]:
    """Convert the errors by which torch reports that another process ended to :class:`ProcessLost`."""
    try:
        yield
    except RuntimeError as error:
        if not (isinstance(error, distributed.DistError) or "gloo" in str(error).lower()):
            raise
        raise ProcessLost(
            "another process of the run ended or cannot be reached; run the same command with --resume to"
            " continue from the last checkpoint"
        ) from None


def are_several() -> bool:
    """Return whether this is one of several processes that torchrun started."""
    return _number("WORLD_SIZE") > 1


def one_process(what: str) -> None:
    """Raise :class:`~automata.errors.InputError` if torchrun started several processes."""
    if are_several():
        raise InputError(f"{what} must be trained in one process, got {_number('WORLD_SIZE')} from torchrun")


def leave_group() -> None:
    """Leave the group of processes, if there is one, to end the group's threads.

    If such a thread is still running when the process exits, the process aborts.
    """
    if distributed.is_available() and distributed.is_initialized():
        distributed.destroy_process_group()


def is_first() -> bool:
    """Return whether this is the process that writes files and prints."""
    return os.environ.get("RANK", "0") == "0"


def _number(name: str) -> int:
    text = os.environ.get(name, "1")
    if not text.isdigit() or int(text) < 1:
        raise InputError(f"{name}, which torchrun sets, must be a positive integer, got {text!r:.40}")
    return int(text)
