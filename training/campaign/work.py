"""Execution of a campaign's runs, several at once, each in a separate process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from automata.errors import InputError
from automata.io.files import read_text, write_whole
from ratproof.process.exit_statuses import BAD_INPUT, INTERRUPTED, NO, YES
from training.campaign.job import LOCK, LOG, TAKEN
from training.campaign.plan import Job, Plan, kept_name
from training.campaign.runners import LOOK_EVERY, Runner
from training.campaign.searches import FAILED
from training.engine.names import RESULT, RUN
from training.engine.results import ARCHIVE, read_archive, write_archive
from training.engine.results import read as read_result
from training.engine.results import write as write_result
from training.groups import settings_of

STATES = ("done", "failed", "broken", "running", "stopped", "waiting")


def state(job: Job, folder: Path) -> str:
    """Return the state of a run, one of ``STATES``.

    ``failed`` means that the run diverged, and ``stopped`` that it can be resumed. ``broken`` means that the
    run ended unexpectedly (see its log) and will be retried.
    """
    from filelock import FileLock, Timeout

    run_folder = folder / job.name
    if (run_folder / FAILED).exists():
        return "failed"
    if (run_folder / RESULT).exists():
        return "done" if _is_json(run_folder / RESULT) else "broken"
    if not run_folder.exists():
        return "waiting"
    try:
        with FileLock(run_folder / LOCK, timeout=0):
            if (run_folder / LOG).exists():
                return "broken"
            return "stopped" if (run_folder / RUN).exists() else "waiting"
    except Timeout:
        return "running"


def _is_json(result: Path) -> bool:
    """Return whether the result file contains a complete JSON object.

    Runs write it atomically, but a full disk or an interrupted copy can leave an incomplete file.
    """
    try:
        json.loads(read_text(result))
    except (InputError, ValueError):
        return False
    return True


def keep(plan: Plan, folder: Path, to: Path) -> None:
    """Add the campaign's results to the archives in a folder, with the networks of proved results."""
    from training import evidence  # deferred, because it imports torch

    kept, networks = read_archive(to), evidence.kept_in(to)
    for job in plan.jobs:
        run = folder / job.name
        if not (run / RESULT).exists():
            continue
        name = kept_name(job.name)
        kept[name] = read_result(run / RESULT)
        if evidence.is_proved(kept[name]) and evidence.has_network(run):
            networks[name.removesuffix(".json")] = evidence.contents_of(run)
    write_archive(kept, to)
    if networks:
        evidence.write(networks, to)


def take(plan: Plan, folder: Path, kept: Path) -> None:
    """Import results of earlier runs from a folder.

    Runs with an imported result are done. The scores of imported trials are added to the journal.

    Raises :class:`~automata.errors.InputError` if the folder does not exist, or if a result does not match
    the settings of the run with the same name.
    """
    from training.campaign import searches

    if not kept.is_dir():
        raise InputError(f"--kept {kept}: the path must be a folder with results")
    archived = read_archive(kept)
    for job in plan.jobs:
        name, target = kept_name(job.name), folder / job.name / RESULT
        file = kept / name
        if target.exists() or not (file.is_file() or name in archived):
            continue
        result, where = (read_result(file), file) if file.is_file() else (archived[name], kept / ARCHIVE)
        require_settings(plan, folder, job, result, where)
        score = None if job.trial is None else searches.score_of(result, where)
        write_result(result, target)
        if job.trial is not None:
            searches.record(job, folder, result["configuration"], score)


def require_settings(plan: Plan, folder: Path, job: Job, result: dict[str, Any], where: Path) -> None:
    """Raise :class:`~automata.errors.InputError` if a result has other settings than its run in the campaign.

    Args:
        plan: the campaign.
        folder: the campaign's folder.
        job: the run.
        result: the result.
        where: the result's file, for error messages.
    """
    from training.campaign import searches
    from training.kept import difference

    of = {"experiment": job.experiment, "model": job.model, "seed": job.seed}
    if {name: result[name] for name in of} != of:
        raise InputError(f"{where}: {difference({name: result[name] for name in of}, of)}")
    settings = plan.settings(job, searches.best_settings(plan, job, folder))
    was, right = settings_of(result), settings_of(result | {"configuration": settings.to_json()})
    if was != right:
        raise InputError(f"{where}: {difference(was, right)}")


@dataclass
class Work:
    """The execution of a campaign.

    Attributes:
        plan: the runs.
        folder: the campaign's folder.
        data: the arguments ``data``, ``vectors`` and ``any_size`` of all jobs.
        runner: the runner of the jobs.
    """

    plan: Plan
    folder: Path
    data: dict[str, Any]
    runner: Runner

    def do(self, stop: Callable[[], bool], progress: Callable[[str], None]) -> bool:
        """Execute the unfinished runs; return whether the work was interrupted.

        Raises :class:`~automata.errors.InputError` if a run was rejected, or if the settings of a finished
        run differ from the campaign's file.
        """
        states = {job.name: state(job, self.folder) for job in self.plan.jobs}
        for done in self.plan.jobs:
            if states[done.name] == "done":  # the campaign's file may have changed
                file = self.folder / done.name / RESULT
                require_settings(self.plan, self.folder, done, read_result(file), file)
        pending = [job for job in self.plan.jobs if states[job.name] not in ("done", "failed")]
        going: dict[str, Job] = {}
        stopped = False
        while going or (pending and not stopped):
            while not stopped and len(going) < self.runner.jobs:
                job = next((job for job in pending if self._ready(job)), None)
                if job is None:
                    break
                pending.remove(job)
                going[job.name] = job
                folder = str(self.folder.absolute())
                self.runner.submit(job.name, {"folder": folder, "job": job.name, **self.data})
            if not going:
                break  # the pending runs need runs of other processes
            progress(self._says(len(pending), list(going.values())))
            ended = list(self.runner.ready(LOOK_EVERY))
            if stop() and not stopped:
                stopped = True
                self.runner.end()
            for name, status, words in ended:
                job = going.pop(name)
                log = self.folder / name / LOG
                if status == BAD_INPUT and not stopped:
                    self.runner.end()
                    raise InputError(words.strip().rpartition("\n")[2] or f"{name}: the run was rejected")
                # Python also exits with the status NO after an exception
                diverged = status == NO and (self.folder / name / FAILED).exists()
                if diverged or status in (YES, INTERRUPTED, TAKEN):
                    log.unlink(missing_ok=True)
                elif not stopped:  # a failed run does not stop the others
                    write_whole(log, words.rstrip() + f"\nthe run ended with status {status}\n")
        return stopped

    def _ready(self, job: Job) -> bool:
        """Return whether all trials that the run needs are finished."""
        if job.searched is None:
            return True
        trials = [one for one in self.plan.jobs if one.trial is not None and one.study == job.study]
        return all(state(one, self.folder) in ("done", "failed") for one in trials)

    def _says(self, pending: int, going: list[Job]) -> str:
        names = ", ".join(job.name for job in going)
        return f"{len(self.plan.jobs) - pending - len(going)} of {len(self.plan.jobs)} runs done; {names}"
