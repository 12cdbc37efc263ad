"""The command line's ``train sst2``, ``subj``, ``cr`` and ``amazon``: which model and settings, and where the
run is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console, headed
from training.engine.options import with_settings
from training.rational_recurrences.settings import PRESETS, Classification
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

TITLES = {"sst2": "SST-2", "subj": "subj", "cr": "CR", "amazon": "Amazon"}


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a set."""

    @with_settings(Classification)
    def train(
        data: Annotated[str, data_option("the sets and glove/")],
        preset: Annotated[
            str, typer.Option("--preset", help=f"the settings that no option names: {', '.join(PRESETS)}")
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

    train.__doc__ = f"""Classify the sentences of {TITLES[experiment]} (Peng et al. 2018, section 6.3).

    The epoch that is best on the dev part is kept, and measured on the test part. The units of a rational
    model are then decided equal to their automata, for the trained weights.
    """
    return train


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out, metrics = console(), said["metrics"]
    best = f"epoch {said['best_epoch']} was best on the dev part"
    epochs = f"{said['epochs']} epochs, {said['seconds']:.0f} s; {best}"
    out.print(headed(f"{said['experiment']} {said['model']}", f", seed {said['seed']}: {epochs}"))
    for part in ("dev", "test"):
        accuracy, error = metrics[f"{part}_accuracy"], metrics[f"{part}_standard_error"]
        count = said["data"][part]["sentences"]
        beside = ""
        if part == "test":
            paper = said["paper"]
            beside = f"; the paper, with {paper['vectors']}: {paper['test_accuracy']:.1%}"
        out.print(
            f"  right on {accuracy:.1%} ± {error:.1%} of {count:,} {part} sentences (standard error){beside}"
        )
    decided = said.get("decided")
    if decided is not None:
        symbols = " and ".join(f"{layer['symbols']} {layer['of']}" for layer in decided["layers"])
        out.print(
            f"  all {decided['units']} units are equal to their automata ({decided['claim']}), on all"
            " strings of"
            f" {symbols}: decided",
            soft_wrap=True,
        )
    out.print(f"  kept in {folder}", soft_wrap=True)
