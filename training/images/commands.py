"""The command line's ``train mnist`` and ``train fashion-mnist``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from training.engine.options import with_settings
from training.images.settings import PRESETS, PixelByPixel
from training.run_command import in_folder
from training.run_options import (
    AnySize,
    KeepEvery,
    LogEvery,
    Minutes,
    Resume,
    RunFolder,
    TensorBoard,
    data_option,
)
from training.sequences.shown import show

TITLES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a set."""

    @with_settings(PixelByPixel)
    def train(
        data: Annotated[str, data_option("mnist/ or fashion_mnist/")],
        preset: Annotated[
            str, typer.Option("--preset", help=f"the settings that no option names: {', '.join(PRESETS)}")
        ] = "paper",
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
            Data(Path(data), any_size=any_size),
            output,
            as_json,
            show,
            minutes=minutes,
            resume=resume,
            keep_every=keep_every,
            log_every=log_every,
            tensorboard=tensorboard,
        )

    train.__doc__ = f"""Classify {TITLES[experiment]} pixel by pixel (Wang & Niepert 2019, section 4.3).

    The epoch that is best on the dev part, the end of the training file, is kept, and measured on the test
    part. A state-regularized model's result has a picture of each centroid.
    """
    return train
