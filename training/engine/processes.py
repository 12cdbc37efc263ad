"""Device, precision and processes, by Lightning Fabric: alone, or as one of those that torchrun started."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import torch

from automata.errors import InputError

if TYPE_CHECKING:
    from lightning_fabric import Fabric

PRECISIONS = ("32-true", "64-true", "bf16-mixed")
DEVICES = ("cpu", "cuda")


def fabric_for(device: str, precision: str) -> Fabric:
    """Lightning Fabric for this process: launched, and in one group with the others that torchrun started
    (its ``WORLD_SIZE``); on a CPU they talk by gloo.

    Raises :class:`~automata.errors.InputError` for a device that is not there.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError("--device is cuda, and torch sees no CUDA device here; cpu is right")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that Fabric imports
        from lightning_fabric import Fabric
        from lightning_fabric.strategies.ddp import DDPStrategy

    processes, here = _number("WORLD_SIZE"), _number("LOCAL_WORLD_SIZE")
    strategy: Any = "auto"
    if processes > 1:
        strategy = DDPStrategy(process_group_backend="gloo" if device == "cpu" else "nccl")
    fabric = Fabric(
        accelerator=device,
        devices=here,
        num_nodes=max(1, processes // here),
        strategy=strategy,
        precision=precision,  # type: ignore[arg-type]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on workers and on logging in
        fabric.launch()
    return fabric


def are_several() -> bool:
    """Is this one of several processes that torchrun started?"""
    return _number("WORLD_SIZE") > 1


def one_process(what: str) -> None:
    """Raise :class:`~automata.errors.InputError` where torchrun started several: ``what`` is not for them."""
    if are_several():
        raise InputError(f"{what} trains in one process, and torchrun started {_number('WORLD_SIZE')}")


def leave_group() -> None:
    """Leave the group of processes, if there is one: its threads are joined, where the end of the process
    would end it with an abort if one still runs.
    """
    from torch import distributed

    if distributed.is_available() and distributed.is_initialized():
        distributed.destroy_process_group()


def is_first() -> bool:
    """Is this the process that writes files and prints?"""
    return os.environ.get("RANK", "0") == "0"


def _number(name: str) -> int:
    text = os.environ.get(name, "1")
    if not text.isdigit() or int(text) < 1:
        raise InputError(
            f"{name} is {text!r:.40}, where a number of processes, as torchrun sets it, is right"
        )
    return int(text)
