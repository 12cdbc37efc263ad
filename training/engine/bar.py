"""A progress bar with speed and remaining time on standard error, or lines in a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from ratproof.commands.terminal import console, progress_lines, shows_bar


class _Speed(ProgressColumn):
    """A column with the steps per second."""

    def render(self, task: object) -> Text:
        """Render the column."""
        speed = getattr(task, "finished_speed", None) or getattr(task, "speed", None)
        return Text("" if speed is None else f"{speed:.1f} steps/s")


@contextmanager
def bar(what: str, steps: int, done: int = 0) -> Iterator[Callable[[int, str], None]]:
    """Yield a function that updates the bar: its arguments are the completed steps and the text to show.

    Args:
        what: a description of the training.
        steps: the maximum number of steps.
        done: the number of steps that are already done.
    """
    if not shows_bar():
        with progress_lines(what) as log:
            yield lambda steps_done, says: log(f"{steps_done:,} of {steps:,} steps, {says}")
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.percentage:>3.0f}%"),
        _Speed(),
        TimeRemainingColumn(),
        TextColumn("left at most  {task.fields[says]}"),
    )
    with Progress(*columns, console=console(error=True), transient=True) as shown:
        task = shown.add_task(what, total=steps, completed=done, says="")
        yield lambda steps_done, says: shown.update(task, completed=steps_done, says=says)
