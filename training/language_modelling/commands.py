"""The command line's ``train ptb``: which model and settings, and where the run is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ratproof.commands.terminal import console, headed
from training.experiment_command import experiment_command
from training.language_modelling.settings import PRESETS, LanguageModelling


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


ptb = experiment_command(
    "ptb",
    LanguageModelling,
    PRESETS,
    show,
    """Model the language of the Penn Treebank (Peng et al. 2018, section 6.2).

    The epoch that is best on the dev part is kept, and measured on the test part. The units of a rational
    model are then decided equal to their automata, for the trained weights.
    """,
    holds="ptb/",
    preset="paper-10m",
)
