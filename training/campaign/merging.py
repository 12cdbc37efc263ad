"""Merging of two campaign folders, and a status of a folder that does not depend on the machine."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

from automata.errors import InputError
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

    The keys are those of a hunt's status (:meth:`ratproof.hunting.store.HuntLedger.status`).
    """
    total, rows, incomplete = hashlib.sha256(), 0, []
    for job in sorted(plan.jobs, key=lambda job: job.name):
        path = folder / job.name / RESULT
        if path.exists():
            rows += 1
            total.update(json.dumps([job.name, digest_of(read(path))]).encode() + b"\n")
        else:
            incomplete.append([job.name, job.seed])
    return {"rows": rows, "digest": total.hexdigest(), "counterexamples": [], "incomplete": incomplete}


def merge(plan: Plan, into: Path, other_plan: Plan, other: Path) -> dict[str, int]:
    """Copy the runs that are finished in ``other`` but not in ``into``, and return their number.

    Raises :class:`~automata.errors.InputError`, and copies nothing, if the campaigns differ, if a run has two
    different results, or if a process is working on a run in ``into`` that is finished in ``other``.
    """
    from training.campaign.work import require_settings, state

    if plan.name != other_plan.name:
        raise InputError(f"{other}: the campaign must be {plan.name}, got {other_plan.name}")
    named = {job.name: job for job in other_plan.jobs}
    new: list[Job] = []
    for job in plan.jobs:
        there, here = other / job.name / RESULT, into / job.name / RESULT
        if job.name not in named or not there.exists():
            continue
        if not here.exists():
            new.append(job)
        elif digest_of(read(here)) != digest_of(read(there)):
            raise InputError(f"{there}: the result must equal {here}; nothing was merged")
    busy = next((job for job in new if state(job, into) == "running"), None)
    if busy is not None:
        raise InputError(f"{into / busy.name}: a process is working on this run; nothing was merged")
    for job in new:  # copy trials before the runs that wait for them
        file = other / job.name / RESULT
        if job.searched is None:
            require_settings(plan, into, job, read(file), file)
    for job in new:
        _take(plan, job, into, other)
    return {"rows": len(new)}


def _take(plan: Plan, job: Job, into: Path, other: Path) -> None:
    """Copy a run's folder from ``other`` to ``into``, the result file last; record the score of a trial."""
    from training.campaign import searches
    from training.campaign.work import require_settings

    file = other / job.name / RESULT
    result = read(file)
    require_settings(plan, into, job, result, file)
    score = None if job.trial is None else searches.score_of(result, file)
    target = into / job.name
    shutil.rmtree(target, ignore_errors=True)
    ignored = shutil.ignore_patterns(RESULT, FAILED, "lock")
    shutil.copytree(other / job.name, target, ignore=ignored)
    shutil.copyfile(file, target / RESULT)
    if job.trial is not None:
        searches.record(job, into, result["configuration"], score)
