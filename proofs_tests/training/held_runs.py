"""Runs of campaigns that wait at some of their steps until they are terminated.

Tests can therefore interrupt them at known steps.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = "RATPROOF_TEST_HELD"
SEED, AT = 0, (3, 8)
"""The seed of the run that waits, and the steps at which it waits."""
IN_ITS_PLACE = f"""
import sys
if "training.campaign.job" in sys.orig_argv:
    from {__name__} import hold
    hold({{folder!r}})
"""
"""Source of the ``sitecustomize.py`` that makes runs of campaigns wait."""


def put(folder: Path) -> str:
    """Write ``sitecustomize.py`` into the folder, and return a PYTHONPATH of the folder and ``sys.path``."""
    (folder / "sitecustomize.py").write_text(IN_ITS_PLACE.format(folder=str(folder)))
    return os.pathsep.join([str(folder), *sys.path])


def held(folder: Path, number: int) -> Path:
    """Return the path of the file that the run creates when it waits for the first (0) or second (1) time."""
    return folder / f"held-{AT[number]}"


def steps_taken(folder: Path) -> list[int]:
    """Return the numbers of the steps of the waiting run in order, over all of its processes."""
    return [int(line) for line in (folder / "steps").read_text().split()]


def hold(folder: str) -> None:
    """Make the process of a run wait at the steps in :data:`AT`."""
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
                while signal.getsignal(signal.SIGTERM) is asked:  # the first SIGTERM restores the handler
                    time.sleep(0.02)
        return result

    Loop._step = step  # type: ignore[method-assign]
