"""What the commands that train in a folder have in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratproof.commands.terminal import console
from ratproof.process.exit_statuses import INTERRUPTED, NO, YES
from ratproof.process.interruptions import interruptions
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder
from training.engine.names import NAMES

if TYPE_CHECKING:
    from training.data_folder import Data


def in_folder(
    experiment: str,
    preset: str,
    given: dict[str, Any],
    data: Data,
    output: str | None,
    as_json: bool,
    show: Callable[[dict[str, Any], Path], None],
    *,
    called: str | None = None,
    minutes: float | None,
    **where: Any,
) -> int:
    """Run an experiment, print what came of it, and return the exit status.

    Args:
        experiment: its name.
        preset: the name of the settings that ``given`` leaves open.
        given: settings.
        data: where the data are.
        output: the folder's name; by experiment (or what that is ``called``), model and seed without it.
        as_json: print the result as JSON?
        show: prints it for people.
        called: what stands for the experiment in that name.
        minutes: the most to train; ``None`` for no limit.
        where: the rest of :class:`~training.engine.run.Where`.
    """
    from training.engine.loop import Diverged
    from training.engine.processes import are_several, is_first, leave_group
    from training.engine.run import Where
    from training.experiments import run, settings_for

    settings = settings_for(experiment, preset, given, experiment)
    name = f"{called or experiment}-{settings.model}-{settings.seed}"
    folder = Path(output) if output is not None else Path("trained") / name
    require_folder("-o", folder, NAMES, reads=(data.vectors, data.rules))
    try:
        with interruptions(terminations=True, several=are_several()) as stop:
            limit = math.inf if minutes is None else minutes
            said = run(experiment, settings, data, Where(folder, minutes=limit, **where), stop)
    except Diverged as error:
        return diverged(error, folder)
    if isinstance(said, dict):
        if is_first():
            print_json(said) if as_json else show(said, folder)
        return YES
    leave_group()  # what ends now is the whole program
    if is_first() and as_json:
        print_json({"outcome": said, "folder": str(folder)})
    elif is_first():
        more = " and a larger --minutes" if said == "out of time" else ""
        goes_on = f"the same command with --resume{more} goes on"
        console().print(f"{name}: {said}; kept in {folder}, and {goes_on}", soft_wrap=True)
    return INTERRUPTED if said == "interrupted" else NO


def diverged(error: Exception, folder: Path) -> int:
    """Say what was not finite, and what is left; the exit status."""
    says = f"ratproof: {error}; what was kept before is in {folder}: a smaller --rate may do"
    console(error=True).print(says, soft_wrap=True)
    return NO
