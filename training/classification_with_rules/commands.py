"""The command line's ``train atis``, ``qc`` and ``sms``: which model and settings, and where the run is
kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console, headed
from training.classification_with_rules.presets import NAMES
from training.classification_with_rules.settings import RuleClassification
from training.engine.options import with_settings
from training.run_command import in_folder
from training.run_options import (
    AnySize,
    KeepEvery,
    LogEvery,
    Minutes,
    Resume,
    RunFolder,
    TensorBoard,
    Vectors,
    data_option,
)

TITLES = {"atis": "ATIS", "qc": "QC", "sms": "SMS"}


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a set."""

    @with_settings(RuleClassification)
    def train(
        data: Annotated[str, data_option("re2rnn/ and glove/")],
        preset: Annotated[
            str, typer.Option("--preset", help=f"the settings that no option names: {NAMES}")
        ] = "paper",
        vectors: Vectors = None,
        any_size: AnySize = False,
        minutes: Minutes = None,
        keep_every: KeepEvery = 30.0,
        log_every: LogEvery = 10,
        tensorboard: TensorBoard = True,
        output: RunFolder = None,
        resume: Resume = False,
        as_json: AsJson = False,
        *,
        given: dict[str, Any],
    ) -> int:
        """Docstring below."""
        from training.experiments import Data

        return in_folder(
            experiment,
            preset,
            given,
            Data(Path(data), None if vectors is None else Path(vectors), any_size),
            output,
            as_json,
            show,
            minutes=minutes,
            resume=resume,
            keep_every=keep_every,
            log_every=log_every,
            tensorboard=tensorboard,
        )

    train.__doc__ = f"""Classify {TITLES[experiment]}'s sentences, with rules (Jiang et al. 2020, section 4).

    An FA-RNN begins as the rules; the other networks are what the paper compares it with. The epoch that is
    best on the dev part is kept, and measured on the test part. --share 0 trains nothing.
    """
    return train


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out, metrics = console(), said["metrics"]
    count = said["data"]["trained_on"]
    epochs = f"{count:,} sentences, {said['epochs']} epochs, {said['seconds']:.0f} s"
    best = f"; epoch {said['best_epoch']} was best on the dev part" if said["epochs"] else ""
    out.print(headed(f"{said['experiment']} {said['model']}", f", seed {said['seed']}: {epochs}{best}"))
    for part in ("dev", "test"):
        accuracy, error = metrics[f"{part}_accuracy"], metrics[f"{part}_standard_error"]
        beside = ""
        if part == "test" and said["paper"] is not None:
            beside = f"; {said['paper']['source']}: {said['paper']['test_accuracy']:.1%}"
        size = said["data"][part]["sentences"]
        out.print(
            f"  right on {accuracy:.1%} ± {error:.1%} of {size:,} {part} sentences (standard error){beside}",
            soft_wrap=True,
        )
    out.print(
        f"  the rules are right on {metrics['rules_test_accuracy']:.1%} of the test sentences; the untrained"
        f" network says the same on {metrics['untrained_test_agrees_with_rules']:.1%}",
        soft_wrap=True,
    )
    out.print(f"  kept in {folder}", soft_wrap=True)
