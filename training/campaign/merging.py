"""Merging of two campaign folders, and a status of a folder that does not depend on the machine."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from automata.errors import InputError
from training.campaign import searches
from training.campaign.job import has_result
from training.campaign.plan import Job, Plan
from training.campaign.searches import FAILED
from training.engine.names import RESULT
from training.engine.results import RATE, read
from training.machine import DECIDED_BY_A_MACHINE


def digest_of(result: dict[str, Any]) -> str:
    """Return a digest of the part of a result that does not depend on the time, the machine or the speed.

    >>> one = {"metrics": {"test_accuracy": 0.5, "words_per_second": 7}, "seconds": 3.0}
    >>> digest_of(one) == digest_of({"metrics": {"test_accuracy": 0.5}, "seconds": 4.0})
    True
    """
    return hashlib.sha256(json.dumps(_decided_by_the_run(result), sort_keys=True).encode()).hexdigest()


def _decided_by_the_run(data: Any) -> Any:
    if isinstance(data, list):
        return [_decided_by_the_run(one) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        name: _decided_by_the_run(value)
        for name, value in data.items()
        if name not in DECIDED_BY_A_MACHINE and not name.endswith(RATE)
    }


def status_of(plan: Plan, folder: Path) -> dict[str, Any]:
    """Return the number of finished runs, a digest of their results, and the unfinished runs.

    A run that diverged has no result, but is not unfinished. The keys are those of a hunt's status
    (:meth:`ratproof.hunting.store.HuntLedger.status`).
    """
    total, rows, incomplete = hashlib.sha256(), 0, []
    for job in sorted(plan.jobs, key=lambda job: job.name):
        path = folder / job.name / RESULT
        if has_result(path.parent):
            rows += 1
            total.update(json.dumps([job.name, digest_of(read(path))]).encode() + b"\n")
        elif not (path.parent / FAILED).exists():
            incomplete.append([job.name, job.seed])
    return {"rows": rows, "digest": total.hexdigest(), "counterexamples": [], "incomplete": incomplete}


def merge(plan: Plan, into: Path, other_plan: Plan, other: Path) -> dict[str, int]:
    """Copy the runs that are finished in ``other`` but not in ``into``, and return their number.

    A run that diverged is finished, too.

    Raises :class:`~automata.errors.InputError`, and copies nothing, if the campaigns differ, if a run has two
    different results, or if a process is working on a run in ``into`` that is finished in ``other``.
    """
    from training.campaign.work import state

    if plan.name != other_plan.name:
        raise InputError(f"{other}: the campaign must be {plan.name}, got {other_plan.name}")
    named = {job.name: job for job in other_plan.jobs}
    new: list[Job] = []
    for job in plan.jobs:
        there, here = other / job.name, into / job.name
        if job.name not in named or _outcome(there) is None:
            continue
        if _outcome(here) is None:
            new.append(job)
        elif _outcome(here) != _outcome(there):
            raise InputError(f"{there}: the result must equal that in {here}; nothing was merged")
    busy = next((job for job in new if state(job, into) == "running"), None)
    if busy is not None:
        raise InputError(f"{into / busy.name}: a process is working on this run; nothing was merged")
    for job in new:  # copy trials before the runs that wait for them
        if job.searched is None:
            _require_settings(plan, job, into, other / job.name)
    for job in new:
        _take(plan, job, into, other)
    return {"rows": len(new)}


def _outcome(run_folder: Path) -> str | None:
    """Return a digest of the result of a run or of the settings with which it diverged; None without both."""
    if (run_folder / FAILED).exists():
        return digest_of({"diverged": searches.require_failure(run_folder / FAILED)["configuration"]})
    return digest_of(read(run_folder / RESULT)) if has_result(run_folder) else None


def _require_settings(plan: Plan, job: Job, into: Path, run_folder: Path) -> None:
    """Raise :class:`~automata.errors.InputError` if a finished run has other settings than in the campaign.

    Also raise it if the result of a trial has no valid score.
    """
    from training.campaign.work import require_settings, settings_in

    if not (run_folder / FAILED).exists():
        file = run_folder / RESULT
        require_settings(plan, into, job, read(file), file)
        if job.trial is not None:
            searches.score_of(read(file), file)
    elif searches.diverged_with_other_settings(job, settings_in(plan, job, into), run_folder):
        raise InputError(f"{run_folder / FAILED}: the run must have the settings of the campaign in {into}")


def _take(plan: Plan, job: Job, into: Path, other: Path) -> None:
    """Copy a run's folder from ``other`` to ``into``, the file with its outcome last; record a trial."""
    source, target = other / job.name, into / job.name
    _require_settings(plan, job, into, source)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(RESULT, FAILED, "lock"))
    last = FAILED if (source / FAILED).exists() else RESULT
    shutil.copyfile(source / last, target / last)
    if job.trial is not None:
        searches.record_from_folder(job, into)
