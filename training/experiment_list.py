"""The records of all experiments that can be trained, from the ``settings.py`` of each folder."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from training.engine.experiment import Experiment

__all__ = ["EXPERIMENTS", "RECORDS", "Experiment", "record_of"]

_FOLDERS = sorted(path.parent.name for path in Path(__file__).parent.glob("*/settings.py"))
RECORDS: tuple[Experiment, ...] = tuple(
    sorted(
        (
            record
            for folder in _FOLDERS
            for record in getattr(import_module(f"training.{folder}.settings"), "EXPERIMENTS", ())
        ),
        key=lambda record: record.order,
    )
)
"""All records; an experiment has several records if its models are trained in different ways."""
EXPERIMENTS = tuple(record for record in RECORDS if record.paper)
"""The experiments that ``train --list`` lists."""


def record_of(experiment: str, model: str = "") -> Experiment | None:
    """Return the record for training that model on that experiment, or ``None`` if there is none."""
    own = [record for record in RECORDS if record.name == experiment and record.only_model in ("", model)]
    return max(own, key=lambda record: len(record.only_model), default=None)
