"""A kept training run: network, optimiser, random numbers and progress, in one file that is written whole or
not at all.
"""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from torch import Tensor

from automata.errors import FormatError, InputError
from neural import checkpoints
from training.kept import difference, fill, fill_optimiser, optimiser_tensors
from training.state_regularized.trainer import Progress, Trainer

KIND = "training run"


def write(trainer: Trainer, task: dict[str, Any], path: str | Path) -> None:
    """Keep the run.

    Args:
        trainer: the run, between two iterations.
        task: what is trained and how, as JSON has it: a checkpoint goes on only with the same.
        path: the file.
    """
    tensors: dict[str, Tensor] = {
        f"network.{name}": tensor for name, tensor in trainer.network.state_dict().items()
    }
    tensors |= dict(optimiser_tensors(trainer.optimiser))
    tensors["generator"] = trainer.generator.get_state()
    # what the same storage holds would be kept once and is refused; a clone of each is a few hundred
    # kilobytes
    checkpoints.write(
        path,
        KIND,
        {"task": task, "progress": asdict(trainer.progress)},
        {n: t.detach().clone() for n, t in tensors.items()},
    )


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
        progress = _progress(
            about["progress"], len(trainer.curriculum.lengths), len(trainer.training.lengths)
        )
        trainer.progress = replace(progress)
        trainer.start()
        trainer.progress = progress
        fill(trainer.network.state_dict(), "network", tensors)
        fill_optimiser(trainer.optimiser, list(trainer.network.parameters()), tensors)
        trainer.generator.set_state(tensors["generator"])
    except (InputError, KeyError, TypeError, RuntimeError, ValueError, OverflowError) as error:
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
    if not isinstance(progress.seconds, float) or not 0 <= progress.seconds < float("inf"):
        raise InputError("progress: the seconds are none")
    history = progress.history
    if not isinstance(history, list) or not all(
        isinstance(row, list) and [type(n) for n in row] == [int, int] for row in history
    ):
        raise InputError("progress: the history has not two whole numbers for each start")
    if not (isinstance(progress.noise, float) and 0 <= progress.noise < float("inf")):
        raise InputError("progress: the noise is none")
    wrong = progress.wrong
    if not isinstance(wrong, list) or not all(
        isinstance(n, int) and not isinstance(n, bool) and 0 <= n < strings for n in wrong
    ):
        raise InputError(f"progress, wrong: are no places of {strings} strings")
    if not isinstance(progress.done, bool) or not isinstance(progress.boxes, int | None):
        raise InputError("progress: done or boxes are none")
    return progress
