"""A kept run: the classifier as it is, its running mean, the best one so far, the optimiser and the progress, in one file, whole or not at all."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from torch import Tensor

from automata.errors import FormatError, InputError
from neural import checkpoints
from training.fa_rnn.trainer import Progress, Trainer
from training.kept import difference, fill, fill_optimiser, optimiser_tensors

KIND = "FA-RNN training run"
MODELS = ("model", "mean", "best")


def write(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Keep the run, between two epochs; a checkpoint goes on only with the same task."""
    tensors: dict[str, Tensor] = {
        f"{which}.{name}": tensor for which in MODELS for name, tensor in getattr(trainer, which).state_dict().items()
    }
    tensors |= dict(optimiser_tensors(trainer.optimiser))
    about = {"task": task, "progress": asdict(trainer.progress)}
    checkpoints.write(path, KIND, about, {name: tensor.detach().clone() for name, tensor in tensors.items()})


def read(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Go on where a kept run stopped: ``trainer`` becomes that run.

    Raises :class:`~automata.errors.FormatError`: the file is no training run, not all of one, or one of another task.
    """
    about, tensors = checkpoints.read(path, KIND)
    if about.get("task") != task:
        raise FormatError(f"{path}: {difference(about.get('task'), task)}; another folder (-o) is right for another run")
    try:
        progress = _progress(about["progress"])
        for which in MODELS:
            fill(getattr(trainer, which).state_dict(), which, tensors)
        fill_optimiser(trainer.optimiser, [p for g in trainer.optimiser.param_groups for p in g["params"]], tensors)
    except (InputError, KeyError, TypeError, RuntimeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: is no training run that can go on ({why:.120})") from None
    trainer.progress = progress


def _progress(said: Any) -> Progress:
    found = Progress(**{f.name: said[f.name] for f in fields(Progress)})
    found.best = (float(found.best[0]), float(found.best[1]))
    whole = (found.epoch, found.steps, found.best_epoch)
    if any(isinstance(n, bool) or not isinstance(n, int) for n in whole) or len(found.history) != found.epoch + 1:
        raise InputError("progress: epochs and steps are no whole numbers, or the history is of another length")
    if not isinstance(found.seconds, float) or not found.seconds >= 0:
        raise InputError("progress: the seconds are none")
    return found
