"""The experiments that the engine runs, by name: each one's settings, presets and function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from automata.errors import InputError
from training.engine.settings import Settings, from_json
from training.rational_recurrences.settings import PRESETS, Classification

if TYPE_CHECKING:
    from training.engine.run import Where

TEXT = ("sst2", "subj", "cr")


@dataclass(frozen=True)
class Data:
    """Where the data are; ``vectors`` and ``any_size`` as the command line has them."""

    folder: Path
    vectors: Path | None = None
    any_size: bool = False


def settings_for(experiment: str, preset: str, given: dict[str, Any], where: str) -> Settings:
    """The settings of a run: a preset's, and what is given besides.

    Raises :class:`~automata.errors.InputError`: there is no such experiment, preset or setting.
    """
    if experiment not in TEXT:
        raise InputError(
            f"{where}: {experiment!r:.40} is no experiment of the engine; there are {', '.join(TEXT)}"
        )
    if preset not in PRESETS:
        raise InputError(f"{where}: {preset!r:.40} is no preset; there are {', '.join(PRESETS)}")
    return from_json(Classification, {**PRESETS[preset], **given}, where)


def run(
    experiment: str,
    settings: Settings,
    data: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | str:
    """Run an experiment: its result, or why there is none yet."""
    from training.rational_recurrences.experiment import Sentences
    from training.rational_recurrences.experiment import run as classify

    assert isinstance(settings, Classification)
    return classify(
        experiment, settings, Sentences(data.folder, data.vectors, data.any_size), where, stop, test
    )
