"""One run of a campaign, in a separate process.

The runners start ``python -m training.campaign.job`` with a JSON object as the only argument. It contains the
campaign's folder, the name of the run, and the location of the data.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from pathlib import Path
from typing import Any

from automata.errors import InputError
from automata.io.files import read_text, write_whole
from ratproof.jobs.installation import require_same
from ratproof.process.exit_statuses import BAD_INPUT, INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.interruptions import interruptions
from ratproof.process.orphans import end_with
from training.campaign import searches
from training.campaign.plan import Job, Plan, read
from training.campaign.searches import FAILED
from training.engine.names import RESULT, RUN

LOCK, CAMPAIGN = "lock", "campaign.toml"
LOG = "log.txt"
"""The file in a run's folder with the standard error of a failed run, which will be retried."""
STOP = "stop"
"""The name of a file in the campaign's folder; while it exists, runs save their state and end."""
LOOK_EVERY = 1.0
"""The seconds between two checks for the file ``STOP``."""
MOMENT = 1.0
"""Seconds to wait for the lock of a run, because a process that looks at its state holds it for a moment."""
TAKEN = UNKNOWN
"""The exit status if another process is working on the run."""


def has_result(run_folder: Path) -> bool:
    """Return whether the result file of a run exists and contains complete JSON.

    Runs write it atomically, but a full disk or an interrupted copy can leave an incomplete file.
    """
    try:
        json.loads(read_text(run_folder / RESULT))
    except (InputError, ValueError):
        return False
    return True


def do(plan: Plan, job: Job, folder: Path, data: Any, patience: float = MOMENT) -> int:
    """Start or resume the run and return the exit status.

    If another process is working on the run, wait up to ``patience`` seconds for it to end.
    """
    from filelock import FileLock, Timeout

    run_folder = folder / job.name
    run_folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(run_folder / LOCK, timeout=patience), interruptions(terminations=True) as interrupted:
            stop_requested = JobRequest(folder / STOP)
            return _run(plan, job, folder, data, lambda: interrupted() or stop_requested())
    except Timeout:
        return TAKEN


class JobRequest:
    """A callable that returns whether a run was asked to end: whether the file ``STOP`` exists.

    It looks for the file at most once per second.

    Args:
        path: the path of the file ``STOP``.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.looked, self.there = path, -math.inf, False

    def __call__(self) -> bool:
        """Return whether the file existed at the last check."""
        now = time.monotonic()
        if now - self.looked >= LOOK_EVERY:
            self.looked, self.there = now, self.path.exists()
        return self.there


def _run(plan: Plan, job: Job, folder: Path, data: Any, stop: Any) -> int:
    from training.engine.loop import Diverged
    from training.engine.run import RunOptions
    from training.experiments import run

    run_folder = folder / job.name
    settings = plan.settings(job, searches.best_settings(plan, job, folder))
    if not has_result(run_folder):  # an incomplete result is computed again from the checkpoint
        (run_folder / RESULT).unlink(missing_ok=True)
    if searches.diverged_with_other_settings(job, settings, run_folder):
        for name in (RUN, FAILED):
            (run_folder / name).unlink(missing_ok=True)
    there = (run_folder / RUN).exists() or (run_folder / RESULT).exists()
    score: float | None = None
    try:
        result = run(
            job.experiment, settings, data, RunOptions(run_folder, resume=there), stop, test=job.trial is None
        )
        if not isinstance(result, dict):
            return INTERRUPTED
        score = result["metrics"].get("dev_accuracy")
    except Diverged as error:
        write_whole(
            run_folder / FAILED, json.dumps({"why": str(error), "configuration": settings.to_json()}) + "\n"
        )
        if job.trial is None:
            return NO
    if job.trial is not None:
        searches.record(job, folder, settings.to_json(), score)
    return YES


def main() -> int:
    """Run the job that the command-line argument describes, and return the exit status."""
    from training.data_folder import Data

    arguments = json.loads(sys.argv[1])
    if "parent" in arguments:
        end_with(arguments["parent"])
    folder = Path(arguments["folder"])
    try:
        if "installation" in arguments:
            require_same(arguments["installation"])
        plan = read(folder / CAMPAIGN)
        job = next(job for job in plan.jobs if job.name == arguments["job"])
        data = Data(
            Path(arguments["data"]),
            arguments["vectors"] and Path(arguments["vectors"]),
            arguments["any_size"],
        )
        return do(plan, job, folder, data, arguments.get("patience", MOMENT))
    except InputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
