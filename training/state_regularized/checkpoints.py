"""A kept training run: network, optimiser, random numbers and progress, in one file that is written whole or not at all."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from automata.errors import FormatError, InputError
from neural import checkpoints
from training.state_regularized.trainer import Progress, Trainer

KIND = "training run"


def write(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Keep the run.

    Args:
        trainer: the run, between two iterations.
        task: what is trained and how, as JSON has it: a checkpoint goes on only with the same.
        path: the file.
    """
    tensors: dict[str, Tensor] = {f"network.{name}": tensor for name, tensor in trainer.network.state_dict().items()}
    for place, state in trainer.optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{place}.{name}": value for name, value in state.items() if isinstance(value, Tensor)}
        numbers = {name: value for name, value in state.items() if not isinstance(value, Tensor)}
        tensors |= {f"optimiser.{place}.{name}": torch.tensor(value) for name, value in numbers.items() if value is not None}
    tensors["generator"] = trainer.generator.get_state()
    # what the same storage holds would be kept once and is refused; a clone of each is a few hundred kilobytes
    checkpoints.write(
        path, KIND, {"task": task, "progress": asdict(trainer.progress)}, {n: t.detach().clone() for n, t in tensors.items()}
    )


def read(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Go on where a kept run stopped: ``trainer`` becomes that run.

    Raises :class:`~automata.errors.FormatError`: the file is no training run, not all of one, or one of another task.
    """
    about, tensors = checkpoints.read(path, KIND)
    if about.get("task") != task:
        raise FormatError(f"{path}: {_difference(about.get('task'), task)}; another folder (-o) is right for another run")
    try:
        progress = _progress(about["progress"], len(trainer.curriculum.lengths), len(trainer.training.lengths))
        trainer.progress = replace(progress)
        trainer.start()
        trainer.progress = progress
        _fill(trainer.network.state_dict(), "network", tensors)
        _fill_optimiser(trainer, tensors)
        trainer.generator.set_state(tensors["generator"])
    except (InputError, KeyError, TypeError, RuntimeError) as error:
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: is no training run that can go on ({why:.120})") from None


def _progress(said: Any, levels: int, strings: int) -> Progress:
    progress = Progress(**{f.name: said[f.name] for f in fields(Progress)})
    for name in ("restarts", "iterations", "since", "level"):
        value = getattr(progress, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(f"progress, {name}: is {value!r:.40}, where 0 or more is right")
    if progress.level > levels:
        raise InputError(f"progress, level: is {progress.level}, and there are {levels}")
    if not isinstance(progress.seconds, float) or not progress.seconds >= 0 or not isinstance(progress.history, list):
        raise InputError("progress: seconds or history are none")
    if not (isinstance(progress.noise, float) and 0 <= progress.noise < float("inf")):
        raise InputError("progress: the noise is none")
    wrong = progress.wrong
    if not isinstance(wrong, list) or not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < strings for n in wrong):
        raise InputError(f"progress, wrong: are no places of {strings} strings")
    if not isinstance(progress.done, bool) or not isinstance(progress.boxes, int | None):
        raise InputError("progress: done or boxes are none")
    return progress


def _fill(targets: dict[str, Tensor], prefix: str, tensors: dict[str, Tensor]) -> None:
    for name, target in targets.items():
        found = tensors.get(f"{prefix}.{name}")
        if found is None or found.shape != target.shape or found.dtype != target.dtype:
            raise InputError(f"the tensor {prefix}.{name} is absent, or of another shape")
        if not bool(torch.isfinite(found).all()):
            raise InputError(f"the tensor {prefix}.{name} has a number that is not finite")
        target.copy_(found)


def _fill_optimiser(trainer: Trainer, tensors: dict[str, Tensor]) -> None:
    """The optimiser's state, which comes into being with its first step."""
    whole, state = trainer.optimiser.state_dict(), dict[int, dict[str, Tensor]]()
    for name, tensor in tensors.items():
        if name.startswith("optimiser."):
            _, place, what = name.split(".")
            state.setdefault(int(place), {})[what] = tensor
    parameters = list(trainer.network.parameters())
    for number, kept in state.items():
        for what, tensor in kept.items():
            if number >= len(parameters) or (what != "step" and tensor.shape != parameters[number].shape):
                raise InputError(f"the tensor optimiser.{number}.{what} is of another shape")
    trainer.optimiser.load_state_dict({**whole, "state": state})


def _difference(found: Any, task: dict[str, Any]) -> str:
    """The first thing in which two tasks differ."""
    if not isinstance(found, dict):
        return f"its task is {found!r:.40}, where an object is right"
    name = next(name for name in {**task, **found} if found.get(name) != task.get(name))
    return f"is a run with {name} {found.get(name)!r:.60}, where {task.get(name)!r:.60} is asked for"
