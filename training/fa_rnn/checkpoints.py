"""A kept run: the classifier as it is, its running mean, the best one so far, the optimiser and the progress,
in one file, whole or not at all.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from torch import Tensor

from automata.errors import FormatError, InputError
from neural import checkpoints
from neural.state_regularized.component import finite
from training.fa_rnn.trainer import Progress, Trainer
from training.kept import difference, fill, fill_optimiser, optimiser_tensors

KIND = "FA-RNN training run"
MODELS = ("model", "mean", "best")


def write(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Keep the run, between two epochs; a checkpoint goes on only with the same task."""
    tensors: dict[str, Tensor] = {
        f"{which}.{name}": tensor
        for which in MODELS
        for name, tensor in getattr(trainer, which).state_dict().items()
    }
    tensors |= dict(optimiser_tensors(trainer.optimiser))
    about = {"task": task, "progress": asdict(trainer.progress)}
    checkpoints.write(path, KIND, about, {name: tensor.detach().clone() for name, tensor in tensors.items()})


def read(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Go on where a kept run stopped: ``trainer`` becomes that run.

    Raises :class:`~automata.errors.FormatError`: the file is no training run, not all of one, or one of
    another task.
    """
    about, tensors = checkpoints.read(path, KIND)
    if about.get("task") != task:
        raise FormatError(
            f"{path}: {difference(about.get('task'), task)}; another folder (-o) is right for another run"
        )
    try:
        progress = _progress(about["progress"])
        for which in MODELS:
            fill(getattr(trainer, which).state_dict(), which, tensors)
        fill_optimiser(
            trainer.optimiser, [p for g in trainer.optimiser.param_groups for p in g["params"]], tensors
        )
    except (InputError, KeyError, TypeError, RuntimeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: is no training run that can go on ({why:.120})") from None
    trainer.progress = progress


def _progress(said: Any) -> Progress:
    progress = Progress(**{f.name: said[f.name] for f in fields(Progress)})
    whole = (progress.epoch, progress.steps, progress.best_epoch)
    if any(type(n) is not int for n in whole) or not (
        progress.epoch >= -1 and progress.steps >= 0 <= progress.best_epoch <= max(0, progress.epoch)
    ):
        raise InputError("progress: epochs and steps are no whole numbers that fit together")
    if (
        not isinstance(progress.history, list)
        or len(progress.history) != progress.epoch + 1
        or not all(map(_two_numbers, progress.history))
    ):
        raise InputError("progress: the history has not two numbers for each epoch")
    if not _two_numbers(progress.best):
        raise InputError("progress: the best epoch has not two numbers")
    if not finite(progress.seconds) or progress.seconds < 0:
        raise InputError("progress: the seconds are none")
    progress.best = (float(progress.best[0]), float(progress.best[1]))
    return progress


def _two_numbers(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(finite, value))
