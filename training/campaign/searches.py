"""The results of a campaign's searches, stored in a journal.

Trials that are missing in the journal are added from their result files. A run may have been killed before it
wrote to the journal, or the journal may have been lost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from automata.errors import InputError
from automata.io.files import read_text
from training.campaign.plan import Job, Plan
from training.engine.names import RESULT
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
            _record_from_folder(trial, folder)
    settings = search.best(journal, job.study, job.trials)
    if settings is None:
        raise InputError(
            f"{folder}: {job.name} needs all trials of the search {job.study}, and some are missing; run the"
            " campaign to complete them"
        )
    return settings


def record(job: Job, folder: Path, configuration: dict[str, Any], score: float | None) -> None:
    """Record a trial's score in the journal; the score is ``None`` if the trial diverged."""
    params = {name: configuration[name] for name in search.SPACE}
    search.record(folder / JOURNAL, job.study, job.trial or 0, params, score)


def score_of(result: dict[str, Any], file: Path) -> float:
    """Return a trial's accuracy on the dev set.

    Raises :class:`~automata.errors.InputError` if the result has no valid accuracy.
    """
    score = result["metrics"].get("dev_accuracy")
    if not isinstance(score, int | float) or not 0 <= score <= 1:
        raise InputError(f"{file}: dev_accuracy must be a number from 0 to 1, got {score!r:.40}")
    return float(score)


def _record_from_folder(trial: Job, folder: Path) -> None:
    from training.engine import results

    run_folder = folder / trial.name
    if (run_folder / FAILED).exists():
        try:
            record(trial, folder, json.loads(read_text(run_folder / FAILED))["configuration"], None)
        except (ValueError, LookupError, TypeError) as error:
            raise InputError(
                f"{run_folder / FAILED}: the file must contain the configuration of the diverged trial"
                f" ({error})"
            ) from None
    elif (run_folder / RESULT).exists():
        result = results.read(run_folder / RESULT)
        record(trial, folder, result["configuration"], score_of(result, run_folder / RESULT))
