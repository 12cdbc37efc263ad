"""The command line's ``train imdb``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from training.engine.options import with_settings
from training.reviews.settings import PRESETS, Sentiment
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
from training.sequences.shown import show


@with_settings(Sentiment)
def imdb(
    data: Annotated[str, data_option("imdb/ and glove/")],
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
    """Classify the reviews of IMDB word by word (Wang & Niepert 2019, section 4.3).

    The epoch that is best on the dev part, a tenth of the training file, is kept, and measured on the test
    part. A state-regularized model's result has the words that lead to each centroid.
    """
    from training.experiments import Data

    return in_folder(
        "imdb",
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
