"""Runs of campaigns that wait at some of their steps until they are terminated, so that a test can remove
their environment in the middle.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = "RATPROOF_TEST_HELD"
SEED, AT = 0, (3, 8)
"""Seed of the run that is held, and the steps at which it is held."""
IN_ITS_PLACE = f"""
import sys
if "training.campaign.job" in sys.orig_argv:
    from {__name__} import hold
    hold({{folder!r}})
"""
"""Source of the ``sitecustomize.py`` that holds runs of campaigns."""


def put(folder: Path) -> str:
    """Write the module, and return a path with which runs find it and everything that this process finds."""
    (folder / "sitecustomize.py").write_text(IN_ITS_PLACE.format(folder=str(folder)))
    return os.pathsep.join([str(folder), *sys.path])


def held(folder: Path, number: int) -> Path:
    """Return the file that the run creates when it is paused for the first (0) or second (1) time."""
    return folder / f"held-{AT[number]}"


def steps_taken(folder: Path) -> list[int]:
    """Return the steps of that run in order, over all processes."""
    return [int(line) for line in (folder / "steps").read_text().split()]


def hold(folder: str) -> None:
    """Make a run's process wait at its hold points."""
    from ratproof.process import interruptions

    right = interruptions.interruptions

    def begun(**options: Any) -> Any:
        _hold_steps(Path(folder))
        return right(**options)

    interruptions.interruptions = begun


def _hold_steps(folder: Path) -> None:
    from training.engine.loop import Loop

    make = Loop._step

    def step(self: Loop, batch: Any) -> Any:
        result = make(self, batch)
        if self.settings.seed == SEED:
            with (folder / "steps").open("a") as file:
                file.write(f"{result.step}\n")
            there = folder / f"held-{result.step}"
            if result.step in AT and not there.exists():
                asked = signal.getsignal(signal.SIGTERM)
                there.touch()
                while signal.getsignal(signal.SIGTERM) is asked:  # the first SIGTERM restores it
                    time.sleep(0.02)
        return result

    Loop._step = step  # type: ignore[method-assign]
