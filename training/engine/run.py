"""Training in a folder: training or resuming, checkpoints, logs, and the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from automata.io.files import remove_remains
from ratproof.process.interruptions import ignore_terminations
from training.engine import checkpoint, results
from training.engine.bar import bar
from training.engine.logs import Logs
from training.engine.loop import Loop, TrainingStep
from training.engine.names import NAMES, NETWORK, RESULT, RUN
from training.engine.processes import begin, begun_before_restart, fabric_for, with_others
from training.engine.progress import Outcome
from training.engine.settings import Settings
from training.engine.task import Task
from training.kept import difference

if TYPE_CHECKING:
    from lightning_fabric import Fabric
    from torch import Tensor


@dataclass(frozen=True)
class RunOptions:
    """Options of a run that do not change its result, such as its folder.

    Attributes:
        folder: the folder for all files of the run.
        resume: whether to resume the run in the folder.
        minutes: the maximum training time, including earlier runs.
        keep_every: the number of seconds between checkpoints.
        log_every: the number of steps between two lines of ``steps.csv``.
        tensorboard: whether to write TensorBoard logs as well.
    """

    folder: Path
    resume: bool = False
    minutes: float = math.inf
    keep_every: float = 30.0
    log_every: int = 10
    tensorboard: bool = True

    @property
    def continues(self) -> bool:
        """Return whether to resume the run in the folder.

        Without ``resume``, a run is resumed only if torchrun restarted its processes.
        """
        return self.resume or (begun_before_restart(self.folder) and (self.folder / RUN).exists())

    def __post_init__(self) -> None:
        if not self.minutes > 0:
            raise InputError(f"--minutes must be a positive number, got {self.minutes}")
        if not self.keep_every >= 0:
            raise InputError(f"--keep-every must be a non-negative number, got {self.keep_every}")
        if self.log_every < 1:
            raise InputError(f"--log-every must be an integer of at least 1, got {self.log_every}")


@dataclass
class RunOutcome:
    """The outcome of a run.

    Attributes:
        outcome: whether training finished, or why it stopped.
        loop: the training loop; if training finished, its network has the weights of the best epoch.
    """

    outcome: Outcome
    loop: Loop


def finished(where: RunOptions, experiment: str, configuration: dict[str, Any]) -> dict[str, Any] | None:
    """Return the result of the run in the folder if it is finished, or ``None``.

    The function also returns ``None`` if the network file is lost and can be recomputed from the checkpoint.

    Raises :class:`~automata.errors.InputError` in three cases: the folder contains a run and ``resume`` is
    false; it contains no run to resume; or its run has another experiment or configuration.
    """
    folder = where.folder
    there = (folder / RUN).exists() or (folder / RESULT).exists()
    if not where.continues:
        if there:
            raise InputError(
                f"{folder}: the folder must not contain a run; continue it with --resume, or pass another"
                " folder (-o)"
            )
        return None
    if not there:
        raise InputError(f"{folder}: the folder must contain a run to resume; omit --resume to begin one")
    lost = (folder / RUN).exists() and not (folder / NETWORK).exists()
    if lost or not (folder / RESULT).exists():
        return None
    result = results.read(folder / RESULT)
    was = {"experiment": result["experiment"], **result["configuration"]}
    right = {"experiment": experiment, **configuration}
    if was != right:
        raise InputError(
            f"{folder / RESULT}: {difference(was, right)}; use another folder (-o) for another run"
        )
    return result


def require_same_data(result: dict[str, Any], data: dict[str, Any], where: RunOptions) -> dict[str, Any]:
    """Return the result of a finished run if its data equal the current data; otherwise raise InputError.

    Args:
        result: the result.
        data: the description of the current data.
        where: the run's folder.

    Raises :class:`~automata.errors.InputError`, with the difference, if the data differ.
    """
    was = result.get("data")
    if was != data:
        raise InputError(
            f"{where.folder / RESULT}: {difference(was, data)}; use another folder (-o) for another run"
        )
    return result


def train(
    task: Task,
    settings: Settings,
    about: dict[str, Any],
    where: RunOptions,
    what: str,
    stop: Callable[[], bool] = lambda: False,
) -> RunOutcome:
    """Train a network in a folder, with checkpoints and logs.

    Args:
        task: the network and the data.
        settings: the settings of the run.
        about: further properties of the run, as JSON; a run is resumed only if they are equal.
        where: the folder, and whether to resume the run in it.
        what: a description of two or three words for the progress bar.
        stop: a function that returns whether to stop now.

    Raises:
        Diverged: If the loss is not finite; the last checkpoint is unchanged.
        InputError: If the folder has no such run, or cannot be written.
        ProcessLost: If another process of the run ended.
    """
    with with_others():
        fabric = fabric_for(settings.device, settings.precision)
        return _train(fabric, Loop(task, settings, fabric), about, where, what, stop)


def _train(
    fabric: Fabric, loop: Loop, about: dict[str, Any], where: RunOptions, what: str, stop: Callable[[], bool]
) -> RunOutcome:
    task, settings = loop.task, loop.settings
    path, description = where.folder / RUN, {**settings.to_json(), **about}
    first = fabric.is_global_zero
    if where.continues:
        checkpoint.read(loop, description, path)
        for name in NAMES if first else ():
            remove_remains(where.folder / name)
    logs = Logs(where.folder, loop.progress, where.log_every, where.tensorboard) if first else None

    def keep() -> None:
        if logs is not None:
            logs.write(loop.progress)
            checkpoint.write(loop, description, path)

    begin(where.folder)
    keep()  # fail now if the folder cannot be written
    p = loop.progress
    steps = settings.epochs * len(task.batches(0))
    # The first of several processes saves the run, but it has only its own part of the recurrent state that
    # passes between batches. At the end of an epoch, there is no such state, so only then save the run.
    carries_parts = task.carries and fabric.world_size > 1
    try:
        with bar(what, steps, p.step) as move:

            def report(step: TrainingStep) -> None:
                if logs is not None:
                    logs.step(step)
                    best = (
                        "" if p.best is None else f"best on dev {task.in_words(p.best)}, epoch {p.best_epoch}"
                    )
                    move(p.step, f"epoch {step.epoch}, loss {step.loss:.3f}  {best}")

            every = math.inf if carries_parts else where.keep_every
            ended = keep if carries_parts else lambda: None
            outcome = loop.run(stop, keep, report, ended, where.minutes * 60, every)
        if outcome == "interrupted" and fabric.world_size > 1:
            ignore_terminations()  # torchrun asks all processes to end when one has ended
        if outcome == "trained" or not carries_parts:
            keep()
        if outcome != "trained":
            # when one process ends, torchrun ends the other processes, so wait until the run is saved
            fabric.barrier()
    finally:
        if logs is not None:
            logs.close()
    if outcome == "trained":
        put(loop, loop.best)
    return RunOutcome(outcome, loop)


def put(loop: Loop, weights: dict[str, Tensor]) -> None:
    """Load these weights into the loop's network, and set the network to evaluation mode."""
    loop.network.load_state_dict(weights)
    loop.network.eval()
