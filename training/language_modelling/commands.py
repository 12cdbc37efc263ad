"""The command line's ``train ptb``: which model and settings, and where the run is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console, headed
from training.engine.options import with_settings
from training.language_modelling.settings import PRESETS, LanguageModelling
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


@with_settings(LanguageModelling)
def ptb(
    data: Annotated[str, data_option("ptb/")],
    preset: Annotated[
        str, typer.Option("--preset", help=f"the settings that no option names: {', '.join(PRESETS)}")
    ] = "paper-10m",
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
    """Model the language of the Penn Treebank (Peng et al. 2018, section 6.2).

    The epoch that is best on the dev part is kept, and measured on the test part. The units of a rational
    model are then decided equal to their automata, for the trained weights.
    """
    from training.experiments import Data

    return in_folder(
        "ptb",
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


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out, metrics, paper = console(), said["metrics"], said["paper"]
    best = f"epoch {said['best_epoch']} was best on the dev part"
    epochs = f"{said['epochs']} epochs, {said['seconds']:.0f} s; {best}"
    out.print(headed(f"{said['experiment']} {said['model']}", f", seed {said['seed']}: {epochs}"))
    beside = ""
    if paper is not None:
        figures = f"{paper['dev_perplexity']} and {paper['test_perplexity']}"
        beside = f"; the paper, with {paper['parameters']} parameters: {figures}"
    out.print(
        f"  perplexity {metrics['dev_perplexity']:.1f} on dev, {metrics['test_perplexity']:.1f} on test, with"
        f" {metrics['parameters']:,} parameters{beside}",
        soft_wrap=True,
    )
    if said["decided"] is not None:
        out.print(f"  all {said['decided']['units']} units are equal to their automata: decided")
    out.print(f"  kept in {folder}", soft_wrap=True)
