"""Checkpoints of runs, with networks, optimiser, learning rates, position in the data and random state.

The file contains the current network and the best network so far. It is written atomically.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError, OutputError
from neural import checkpoints
from neural.state_regularized.component import finite
from training.engine.progress import Progress
from training.kept import difference, fill, fill_optimiser, optimiser_tensors

if TYPE_CHECKING:
    from training.engine.loop import Loop

KIND = "run of an experiment"
MOST = 2**62
"""The upper bound on epoch and step numbers in a checkpoint; the noise is computed from them in 64 bits."""
MOST_OF_RATE = 1.01
"""The largest learning rate, as a multiple of the initial one, with which the cosine schedule begins."""
CHANGING = ("best", "num_bad_epochs", "last_epoch", "_last_lr", "cooldown_counter")
"""The entries of the scheduler's state that change during a run."""


def write(loop: Loop, task: dict[str, Any], path: Path) -> None:
    """Save the run between two steps.

    Args:
        loop: the run.
        task: a JSON description of the training; a run can only be resumed for the same task.
        path: the file.

    Raises :class:`~automata.errors.InputError` if the file cannot be written; an earlier file is unchanged.
    """
    tensors: dict[str, Tensor] = {f"model.{name}": t for name, t in loop.network.state_dict().items()}
    tensors |= {f"best.{name}": t for name, t in loop.best.items()}
    tensors |= {f"mean.{name}": t for name, t in loop.mean.items()}
    tensors |= dict(optimiser_tensors(loop.optimiser))
    tensors |= {f"carried.{name}": t for name, t in loop.task.carried().items()}
    tensors["random"] = torch.get_rng_state()
    about = {"task": task, "progress": asdict(loop.progress), "rates": loop.scheduler.state_dict()}
    copies = {name: tensor.detach().clone() for name, tensor in tensors.items()}
    try:
        checkpoints.write(path, KIND, about, copies, durable=True)
    except OutputError as error:
        after = (
            "the run stopped, and --resume continues from the last checkpoint"
            if path.exists()
            else "nothing of the run is saved"
        )
        raise InputError(f"{error}; {after}") from None


def read(loop: Loop, task: dict[str, Any], path: Path) -> None:
    """Load a saved run into ``loop``.

    Raises :class:`~automata.errors.FormatError` if the file is not a complete checkpoint, or if its task is
    different; the message then states the difference.
    """
    about, tensors = checkpoints.read(path, KIND)
    if about.get("task") != task:
        raise FormatError(
            f"{path}: {difference(about.get('task'), task)}; use another folder (-o) for another run"
        )
    try:
        progress = _progress(about["progress"], loop.settings.rate)
        state = loop.network.state_dict()
        fill(state, "model", tensors)
        best = {name: tensor.clone() for name, tensor in state.items()}
        fill(best, "best", tensors)
        fill(loop.mean, "mean", tensors)
        fill_optimiser(loop.optimiser, list(loop.network.parameters()), tensors)
        loop.scheduler.load_state_dict(_rates(loop.scheduler.state_dict(), about["rates"]))
        torch.set_rng_state(tensors["random"])
        carried = {name: t for name, t in tensors.items() if name.startswith("carried.")}
        loop.task.carry({name.removeprefix("carried."): t for name, t in carried.items()})
    except (InputError, KeyError, TypeError, RuntimeError, ValueError, AttributeError) as error:
        why = " ".join(str(error).split())
        raise FormatError(
            f"{path}: the file must be a complete checkpoint of this run ({why:.120})"
        ) from None
    loop.best, loop.progress = best, progress
    loop.set_rate(progress.rate)


def _progress(saved: Any, first_rate: float) -> Progress:
    progress = Progress(**{f.name: saved[f.name] for f in fields(Progress)})
    for name in ("epoch", "batch", "step", "best_epoch"):
        value = getattr(progress, name)
        if type(value) is not int or not 0 <= value < MOST:
            raise InputError(f"progress: '{name}' must be a non-negative integer, got {value!r:.40}")
    for name in ("loss", "rate", "seconds"):
        if not finite(getattr(progress, name)) or getattr(progress, name) < 0:
            raise InputError(
                f"progress: '{name}' must be a non-negative number, got {getattr(progress, name)!r:.40}"
            )
    if progress.rate > MOST_OF_RATE * first_rate:
        raise InputError(
            f"progress: 'rate' must be at most 1.01 times the initial rate, {first_rate}, got {progress.rate}"
        )
    # after a restart, there is no best score until an epoch ends
    just_started = progress.best is None and progress.best_epoch == progress.epoch
    if not just_started and not (progress.best_epoch and finite(progress.best)):
        raise InputError(f"progress: 'best' must be the score of an epoch, got {progress.best!r:.40}")
    if progress.best_epoch > progress.epoch:
        raise InputError(
            f"progress: 'best_epoch' must be at most {progress.epoch}, got {progress.best_epoch}"
        )
    history = progress.history
    if not isinstance(history, list) or len(history) != progress.epoch or not all(map(_entry, history)):
        raise InputError("progress: 'history' must be a list with one object of numbers for each epoch")
    if any(list(entry) != list(history[0]) for entry in history):
        raise InputError("progress: all entries of 'history' must have the same keys")
    return progress


def _entry(entry: Any) -> bool:
    return isinstance(entry, dict) and bool(entry) and all(map(finite, entry.values()))


def _rates(own: dict[str, Any], saved: Any) -> dict[str, Any]:
    """Return the saved state of the scheduler; raise InputError if an entry is invalid.

    Entries that do not change during a run must equal those of the scheduler's state ``own``.
    """
    if not isinstance(saved, dict) or set(saved) != set(own):
        raise InputError(
            "the saved state of the learning rate must have the same entries as in this version of ratproof"
        )
    for name, value in saved.items():
        if name in CHANGING:
            right = type(value) is type(own[name]) and (not isinstance(value, int) or value >= 0)
            right = right and (
                name != "_last_lr" or (len(value) == len(own[name]) and all(map(finite, value)))
            )
        else:
            right = value == own[name]
        if not right:
            raise InputError(
                f"the saved learning rate: '{name}' must have a value that a run can save, got {value!r:.40}"
            )
    return saved
