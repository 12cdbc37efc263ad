"""Logs of a run in ``steps.csv``, ``epochs.csv`` and the format of TensorBoard.

The CSV files of a run that was killed and resumed equal the files of an uninterrupted run.
"""

from __future__ import annotations

import csv
import io
import logging
import warnings
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from automata.errors import FormatError, InputError, OutputError
from automata.io.files import read_text, write_whole
from training.engine.loop import TrainingStep
from training.engine.names import EPOCHS, STEPS, TENSORBOARD
from training.engine.progress import Progress

HEADER = [one.name for one in fields(TrainingStep)]


class Logs:
    """The logs in the folder of a run.

    Args:
        folder: the run's folder.
        progress: the progress of the run; rows of later steps are removed from the files.
        every: the number of steps between two lines of ``steps.csv``.
        tensorboard: whether to write TensorBoard logs as well.
    """

    def __init__(self, folder: Path, progress: Progress, every: int = 10, tensorboard: bool = True) -> None:
        self.folder, self.every = folder, every
        self.rows = [row for row in _rows(folder / STEPS) if int(row[0]) < progress.step]
        self.epochs = progress.epoch
        self.board = _board(folder / TENSORBOARD, progress.step) if tensorboard else None

    def step(self, step: TrainingStep) -> None:
        """Add a step to the log; it is written to the file by the next :meth:`write`."""
        if step.step % self.every:
            return
        self.rows.append([repr(value) for value in astuple(step)])
        if self.board is not None:
            for name in ("loss", "norm", "rate"):
                self.board.add_scalar(f"step/{name}", getattr(step, name), step.step)

    def write(self, progress: Progress) -> None:
        """Write the logged steps and epochs to the files.

        Raises :class:`~automata.errors.InputError` if they cannot be written.
        """
        history = progress.history
        try:
            write_whole(self.folder / STEPS, _table(HEADER, self.rows))
            if history:
                rows = [[repr(value) for value in one.values()] for one in history]
                write_whole(self.folder / EPOCHS, _table(list(history[0]), rows))
            if self.board is not None:
                for one in history[self.epochs :]:
                    for name, value in one.items():
                        self.board.add_scalar(f"epoch/{name}", value, one["epoch"])
                self.board.flush()
        except (OutputError, OSError) as error:
            why = (
                error
                if isinstance(error, OutputError)
                else f"{self.folder}: cannot be written: {error.strerror}"
            )
            raise InputError(f"{why}; --resume continues from the last checkpoint") from None
        self.epochs = progress.epoch

    def close(self) -> None:
        """Close TensorBoard's file."""
        if self.board is not None:
            self.board.close()


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a log file; the list is empty if the file does not exist or is empty.

    Raises :class:`~automata.errors.FormatError` if the file is not a log, so that no run overwrites it.
    """
    if not path.exists():
        return []
    try:
        table = list(csv.reader(read_text(path).splitlines()))
    except csv.Error:
        table = [[]]
    rows = table[1:]
    if table[:1] in ([], [HEADER]) and all(len(row) == len(HEADER) and row[0].isdecimal() for row in rows):
        return rows
    raise FormatError(
        f"{path}: the file must be a table of steps written by a run; delete it, and --resume begins a new"
        " one"
    )


def _table(header: list[str], rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def _board(folder: Path, step: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from packages that TensorBoard tries to import
        logging.getLogger("tensorboard").setLevel(logging.ERROR)
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(str(folder), purge_step=step)
