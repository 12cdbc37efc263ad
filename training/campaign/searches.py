"""What a campaign's searches found: it stands in a journal, and in the results of the trials, of which the
journal gets what it lacks. A run may have been killed between the two, and a journal may be lost.
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
    """The settings of the trial that was best, of those that the run waits for; ``None`` where it waits for
    none.

    Raises :class:`~automata.errors.InputError`: not all trials are there, or the journal cannot be read.
    """
    if job.searched is None:
        return None
    journal = folder / JOURNAL
    there = search.recorded(journal, job.study)
    for trial in plan.jobs:
        if trial.trial is not None and trial.study == job.study and trial.trial not in there:
            _record_from_folder(trial, folder)
    found = search.best(journal, job.study, job.trials)
    if found is None:
        raise InputError(
            f"{folder}: {job.name} has its settings from the search {job.study}, of which not all trials are"
            " there"
        )
    return found


def record(job: Job, folder: Path, configuration: dict[str, Any], score: float | None) -> None:
    """Keep what a trial found in the journal; ``None`` where it diverged."""
    params = {name: configuration[name] for name in search.SPACE}
    search.record(folder / JOURNAL, job.study, job.trial or 0, params, score)


def score_of(said: dict[str, Any], file: Path) -> float:
    """A trial's accuracy on the dev part.

    Raises :class:`~automata.errors.InputError` where its result has none.
    """
    score = said["metrics"].get("dev_accuracy")
    if not isinstance(score, int | float) or not 0 <= score <= 1:
        raise InputError(f"{file}: has the dev_accuracy {score!r:.40}, where a trial has one from 0 to 1")
    return float(score)


def _record_from_folder(trial: Job, folder: Path) -> None:
    from training.engine import results

    place = folder / trial.name
    if (place / FAILED).exists():
        try:
            record(trial, folder, json.loads(read_text(place / FAILED))["configuration"], None)
        except (ValueError, LookupError, TypeError) as error:
            raise InputError(f"{place / FAILED}: does not say what diverged ({error})") from None
    elif (place / RESULT).exists():
        said = results.read(place / RESULT)
        record(trial, folder, said["configuration"], score_of(said, place / RESULT))
