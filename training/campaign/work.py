"""Execution of a campaign's runs, several at once, each in a separate process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from automata.errors import FormatError, InputError
from automata.io.files import read_text, write_whole
from ratproof.process.exit_statuses import BAD_INPUT, INTERRUPTED, NO, YES
from training.campaign import searches
from training.campaign.job import LOCK, LOG, TAKEN, has_result
from training.campaign.plan import Job, Plan, kept_name
from training.campaign.runners import LOOK_EVERY, Runner
from training.campaign.searches import FAILED
from training.engine.names import RESULT, RUN
from training.engine.results import ARCHIVE, read_archive, write_archive
from training.engine.results import read as read_result
from training.engine.results import write as write_result
from training.engine.settings import Settings
from training.groups import settings_of

DIVERGED = "diverged.json"
"""The file in a folder of results that has the reasons and configurations of the runs that diverged."""
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
        return "done" if has_result(run_folder) else "broken"
    if not run_folder.exists():
        return "waiting"
    try:
        with FileLock(run_folder / LOCK, timeout=0):
            if (run_folder / LOG).exists():
                return "broken"
            return "stopped" if (run_folder / RUN).exists() else "waiting"
    except Timeout:
        return "running"


def keep(plan: Plan, folder: Path, to: Path) -> None:
    """Add the campaign's results to the archives in a folder, with the networks of proved results.

    The configurations of the runs that diverged are added to the folder's file ``DIVERGED``.
    """
    from training import evidence  # deferred, because it imports torch

    kept, networks, diverged = read_archive(to), evidence.kept_in(to), _diverged_in(to)
    for job in plan.jobs:
        run, name = folder / job.name, kept_name(job.name)
        if (run / FAILED).exists():
            diverged[name] = searches.require_failure(run / FAILED)
            continue
        if not (run / RESULT).exists():
            continue
        diverged.pop(name, None)
        kept[name] = read_result(run / RESULT)
        if evidence.is_proved(kept[name]) and evidence.has_network(run):
            networks[name.removesuffix(".json")] = evidence.contents_of(run)
    write_archive(kept, to)
    if diverged or (to / DIVERGED).exists():
        write_whole(to / DIVERGED, json.dumps(diverged, indent=1) + "\n")
    if networks:
        evidence.write(networks, to)


def take(plan: Plan, folder: Path, kept: Path) -> None:
    """Import results of earlier runs from a folder.

    Runs with an imported result are done. The scores of imported trials are added to the journal.
    Runs that diverged are imported, too, unless their settings have changed.

    Raises :class:`~automata.errors.InputError` if the folder does not exist, or if a result does not match
    the settings of the run with the same name.
    """
    if not kept.is_dir():
        raise InputError(f"--kept {kept}: the path must be a folder with results")
    archived, diverged = read_archive(kept), _diverged_in(kept)
    for job in plan.jobs:
        name, target = kept_name(job.name), folder / job.name / RESULT
        file, failed = kept / name, folder / job.name / FAILED
        if target.exists() or failed.exists():
            continue
        if name in diverged:
            settings = settings_in(plan, job, folder)
            if searches.has_settings(job, settings, diverged[name]["configuration"]):
                write_whole(failed, json.dumps(diverged[name]) + "\n")
                if job.trial is not None:
                    searches.record_from_folder(job, folder)
            continue
        if not (file.is_file() or name in archived):
            continue
        result, where = (read_result(file), file) if file.is_file() else (archived[name], kept / ARCHIVE)
        require_settings(plan, folder, job, result, where)
        score = None if job.trial is None else searches.score_of(result, where)
        write_result(result, target)
        if job.trial is not None:
            searches.record(job, folder, result["configuration"], score)


def settings_in(plan: Plan, job: Job, folder: Path) -> Settings:
    """Return the settings of a run, which may depend on the results of its search."""
    return plan.settings(job, searches.best_settings(plan, job, folder))


def has_trials(plan: Plan, job: Job, folder: Path) -> bool:
    """Return whether all trials that the run needs are finished."""
    if job.searched is None:
        return True
    trials = [one for one in plan.jobs if one.trial is not None and one.study == job.study]
    return all(state(one, folder) in ("done", "failed") for one in trials)


def _diverged_in(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the reasons and configurations of the diverged runs in a folder of results, by run name.

    Raises :class:`~automata.errors.FormatError` if the file has other contents.
    """
    path = folder / DIVERGED
    if not path.exists():
        return {}
    try:
        diverged = {str(name): dict(failure) for name, failure in json.loads(read_text(path)).items()}
    except (ValueError, TypeError, AttributeError):
        diverged = {"": {}}
    if not all(isinstance(failure.get("configuration"), dict) for failure in diverged.values()):
        raise FormatError(f"{path}: the file must be an object with the configuration of each diverged run")
    return diverged


def require_settings(plan: Plan, folder: Path, job: Job, result: dict[str, Any], where: Path) -> None:
    """Raise :class:`~automata.errors.InputError` if a result has other settings than its run in the campaign.

    Args:
        plan: the campaign.
        folder: the campaign's folder.
        job: the run.
        result: the result.
        where: the result's file, for error messages.
    """
    from training.kept import difference

    of = {"experiment": job.experiment, "model": job.model, "seed": job.seed}
    if {name: result[name] for name in of} != of:
        raise InputError(f"{where}: {difference({name: result[name] for name in of}, of)}")
    settings = settings_in(plan, job, folder)
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
        repeated: the names of the runs that are repeated because they diverged with other settings.
    """

    plan: Plan
    folder: Path
    data: dict[str, Any]
    runner: Runner
    repeated: set[str] = field(default_factory=set)

    def do(self, stop: Callable[[], bool], progress: Callable[[str], None]) -> bool:
        """Execute the unfinished runs; return whether the work was interrupted.

        Raises :class:`~automata.errors.InputError` if a run was rejected, or if the settings of a finished
        run differ from the campaign's file.
        """
        pending = self.unfinished()
        going: dict[str, Job] = {}
        stopped = False
        while going or (pending and not stopped):
            while not stopped and len(going) < self.runner.jobs:
                job = next((job for job in pending if self._ready(job)), None)
                if job is None:
                    break
                pending.remove(job)
                if self._is_over(job):
                    continue
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
                self.repeated.discard(name)
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

    def unfinished(self) -> list[Job]:
        """Return the runs that are not done.

        Raises :class:`~automata.errors.InputError` if the settings of a finished run differ from the
        campaign's file.
        """
        return [job for job in self.plan.jobs if not (self._ready(job) and self._is_over(job))]

    def _ready(self, job: Job) -> bool:
        """Return whether all trials that the run needs are finished, and none of them is repeated."""
        repeated = {one.study for one in self.plan.jobs if one.name in self.repeated}
        return has_trials(self.plan, job, self.folder) and (job.searched is None or job.study not in repeated)

    def _is_over(self, job: Job) -> bool:
        """Return whether the run is done, or diverged with its current settings.

        The campaign's file may have changed. A run that diverged with other settings is repeated.

        Raises :class:`~automata.errors.InputError` if the run is done with other settings.
        """
        now, run_folder = state(job, self.folder), self.folder / job.name
        if now == "done":
            file = run_folder / RESULT
            require_settings(self.plan, self.folder, job, read_result(file), file)
        elif now == "failed":
            settings = settings_in(self.plan, job, self.folder)
            if searches.diverged_with_other_settings(job, settings, run_folder):
                self.repeated.add(job.name)
                return False
        return now in ("done", "failed")

    def _says(self, pending: int, going: list[Job]) -> str:
        names = ", ".join(job.name for job in going)
        return f"{len(self.plan.jobs) - pending - len(going)} of {len(self.plan.jobs)} runs done; {names}"
