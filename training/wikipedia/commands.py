"""The command line's ``train wikipedia``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from training.engine.options import with_settings
from training.language_modelling.commands import show
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
from training.wikipedia.settings import PRESETS, WikipediaModelling


@with_settings(WikipediaModelling)
def wikipedia(
    data: Annotated[str, data_option("wikipedia/")],
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
    """Model the language of Wikipedia's articles (Wang & Niepert 2019, appendix C.2).

    The epoch that is best on the dev part is kept, and measured on the test part.
    """
    from training.experiments import Data

    return in_folder(
        "wikipedia",
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
