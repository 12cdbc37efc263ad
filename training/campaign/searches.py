"""The results of a campaign's searches, stored in a journal.

Trials that are missing in the journal are added from their result files. A run may have been killed before it
wrote to the journal, or the journal may have been lost.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from automata.errors import InputError
from automata.io.files import read_text
from training.campaign.plan import Job, Plan
from training.engine.names import RESULT
from training.engine.settings import Settings
from training.rational_recurrences import search

FAILED, JOURNAL = "failed.json", "optuna.journal"


def best_settings(plan: Plan, job: Job, folder: Path) -> dict[str, Any] | None:
    """Return the settings of the best trial of the run's search; ``None`` if the run uses no search.

    Raises :class:`~automata.errors.InputError` if trials are missing or the journal cannot be read.
    """
    if job.searched is None:
        return None
    journal = folder / JOURNAL
    there = search.recorded(journal, job.study)
    for trial in plan.jobs:
        if trial.trial is not None and trial.study == job.study and trial.trial not in there:
            record_from_folder(trial, folder)
    settings = search.best(journal, job.study, job.trials)
    if settings is None:
        raise InputError(
            f"{folder}: {job.name} needs all trials of the search {job.study}, and some are missing; run the"
            " campaign to complete them"
        )
    return settings


def record(job: Job, folder: Path, configuration: dict[str, Any], score: float | None) -> None:
    """Record a trial's score in the journal; the score is ``None`` if the trial diverged.

    Raises :class:`~automata.errors.InputError` if the configuration lacks a setting of the search.
    """
    missing = next((name for name in search.SPACE if name not in configuration), None)
    if missing is not None:
        raise InputError(f"{folder}: the configuration of {job.name} must have {missing}")
    params = {name: configuration[name] for name in search.SPACE}
    search.record(folder / JOURNAL, job.study, job.trial or 0, params, score)


def require_failure(file: Path) -> dict[str, Any]:
    """Return the contents of the file ``FAILED`` of a diverged run: the reason and the configuration.

    Raises :class:`~automata.errors.InputError` if the file lacks the configuration.
    """
    text = read_text(file)
    with suppress(ValueError, LookupError, TypeError):
        failure = json.loads(text)
        if isinstance(failure["configuration"], dict):
            return dict(failure)
    raise InputError(f"{file}: the file must contain the configuration of the diverged run")


def diverged_with_other_settings(job: Job, settings: Settings, run_folder: Path) -> bool:
    """Return whether the run diverged with other settings than its current settings."""
    file = run_folder / FAILED
    return file.exists() and not has_settings(job, settings, require_failure(file)["configuration"])


def has_settings(job: Job, settings: Settings, configuration: dict[str, Any]) -> bool:
    """Return whether the settings in a configuration of the run equal these settings."""
    from training.groups import settings_of  # deferred, because it imports torch

    about = {"experiment": job.experiment, "model": job.model}
    was, now = (about | {"configuration": one} for one in (configuration, settings.to_json()))
    return settings_of(was) == settings_of(now)


def score_of(result: dict[str, Any], file: Path) -> float:
    """Return a trial's accuracy on the dev set.

    Raises :class:`~automata.errors.InputError` if the result has no valid accuracy.
    """
    score = result["metrics"].get("dev_accuracy")
    if not isinstance(score, int | float) or not 0 <= score <= 1:
        raise InputError(f"{file}: dev_accuracy must be a number from 0 to 1, got {score!r:.40}")
    return float(score)


def record_from_folder(trial: Job, folder: Path) -> None:
    """Record the outcome of a trial that is finished in the campaign's folder."""
    from training.engine import results

    run_folder = folder / trial.name
    if (run_folder / FAILED).exists():
        record(trial, folder, require_failure(run_folder / FAILED)["configuration"], None)
    elif (run_folder / RESULT).exists():
        result = results.read(run_folder / RESULT)
        record(trial, folder, result["configuration"], score_of(result, run_folder / RESULT))
