"""One run of a campaign, in a process of its own: ``python -m training.campaign.job`` with the names of the
campaign's file, folder and run.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from automata.errors import InputError
from automata.files import write_whole
from ratproof.process.exit_statuses import BAD_INPUT, INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.interruptions import interruptions
from training.campaign.plan import Job, Plan, read

FAILED, LOCK, JOURNAL, CAMPAIGN = "failed.json", "lock", "optuna.journal", "campaign.toml"
TAKEN = UNKNOWN
"""The exit status where another process is at the run."""


def do(plan: Plan, job: Job, folder: Path, data: Any) -> int:
    """Do the run, or go on with it; the exit status."""
    from filelock import FileLock, Timeout

    place = folder / job.name
    place.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(place / LOCK, timeout=0), interruptions(terminations=True) as stop:
            return _run(plan, job, folder, data, stop)
    except Timeout:
        return TAKEN


def _run(plan: Plan, job: Job, folder: Path, data: Any, stop: Any) -> int:
    from training.engine.loop import Diverged
    from training.engine.names import RESULT, RUN
    from training.engine.run import Where
    from training.experiments import run
    from training.rational_recurrences import search

    place, journal = folder / job.name, folder / JOURNAL
    found = search.best(journal, job.study, job.trials) if job.searched else None
    settings = plan.settings(job, found)
    there = (place / RUN).exists() or (place / RESULT).exists()
    score: float | None = None
    try:
        said = run(job.experiment, settings, data, Where(place, resume=there), stop, test=job.trial is None)
        if not isinstance(said, dict):
            return INTERRUPTED
        score = said["metrics"].get("dev_accuracy")
    except Diverged as error:
        write_whole(
            place / FAILED, json.dumps({"why": str(error), "configuration": settings.to_json()}) + "\n"
        )
        if job.trial is None:
            return NO
    if job.trial is not None:
        params = {name: getattr(settings, name) for name in search.SPACE}
        search.record(journal, job.study, job.trial, params, score)
    return YES


def main() -> int:
    """Do the run that the arguments name."""
    from training.experiments import Data

    said = json.loads(sys.argv[1])
    folder = Path(said["folder"])
    try:
        plan = read(folder / CAMPAIGN)
        job = next(job for job in plan.jobs if job.name == said["job"])
        data = Data(Path(said["data"]), said["vectors"] and Path(said["vectors"]), said["any_size"])
        return do(plan, job, folder, data)
    except InputError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
