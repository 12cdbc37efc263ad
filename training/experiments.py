"""Functions that run the experiments of the training engine by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from training.data_folder import Data
from training.engine.freed_memory import freed_memory_kept
from training.engine.settings import Settings, from_json, option
from training.experiment_list import RECORDS, record_of

if TYPE_CHECKING:
    from training.engine.run import RunOptions

STOPPED = ("interrupted", "out of time")


def settings_for(
    experiment: str, preset: str, options: dict[str, Any], where: str, called: str = "preset"
) -> Settings:
    """Return the settings of a run: the settings of a preset, overridden by the given values.

    Raises:
        InputError: If there is no such experiment, preset or setting, or a required setting is missing.
    """
    record = record_of(experiment, str(options.get("model")))
    if record is None:
        names = ", ".join(dict.fromkeys(one.name for one in RECORDS))
        raise InputError(f"{where}: the experiment must be one of {names}, got {experiment!r:.40}")
    if preset not in record.presets:
        presets = ", ".join(record.presets)
        raise InputError(f"{where}: the {called} must be one of {presets}, got {preset!r:.40}")
    values = {**record.presets[preset], **options}
    settings = from_json(record.settings, values, where)
    required = {name for one in RECORDS if one.name == experiment for name in one.required}
    for one in fields(record.settings):
        if one.name in required and one.name not in values:
            least, most = one.metadata["least"], one.metadata["most"]
            raise InputError(f"{where}: {option(one.name)} is missing; pass a number from {least} to {most}")
    return settings


def run(
    experiment: str,
    settings: Settings,
    data: Data,
    where: RunOptions,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | str:
    """Run an experiment; return its result, or the outcome if training has not finished.

    Args:
        experiment: the name of the experiment.
        settings: the settings of the run.
        data: the location of the data.
        where: the run's folder.
        stop: a function that returns whether to stop now.
        test: whether to measure on the test set as well; use false to choose settings.
    """
    record = record_of(experiment, settings.model)
    assert record is not None
    with freed_memory_kept():
        result: dict[str, Any] | str = record.start(settings, data, test).run(where, stop)
    if isinstance(result, dict) and result.get("outcome") in STOPPED:
        return str(result["outcome"])
    return result
