"""The experiments that the engine runs, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from training.data_folder import Data
from training.engine.freed_memory import freed_memory_kept
from training.engine.settings import Settings, from_json
from training.experiment_list import RECORDS, record_of

if TYPE_CHECKING:
    from training.engine.run import Where

STOPPED = ("interrupted", "out of time")


def settings_for(
    experiment: str, preset: str, given: dict[str, Any], where: str, called: str = "preset"
) -> Settings:
    """Return the settings of a run: a preset's, and what is given besides.

    Raises :class:`~automata.errors.InputError`: there is no such experiment, preset or setting.
    """
    record = record_of(experiment, str(given.get("model")))
    if record is None:
        names = ", ".join(dict.fromkeys(one.name for one in RECORDS))
        raise InputError(f"{where}: {experiment!r:.40} is no experiment of the engine; there are {names}")
    if preset not in record.presets:
        raise InputError(f"{where}: {preset!r:.40} is no {called}; there are {', '.join(record.presets)}")
    return from_json(record.settings, {**record.presets[preset], **given}, where)


def run(
    experiment: str,
    settings: Settings,
    data: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | str:
    """Run an experiment: its result, or why there is none yet.

    Args:
        experiment: its name.
        settings: how.
        data: on what.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test part, too? Settings are chosen without.
    """
    record = record_of(experiment, settings.model)
    assert record is not None
    with freed_memory_kept():
        said: dict[str, Any] | str = record.start(settings, data, test).run(where, stop)
    if isinstance(said, dict) and said.get("outcome") in STOPPED:
        return str(said["outcome"])
    return said
