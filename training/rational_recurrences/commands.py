"""The command line's ``train sst2``, ``subj``, ``cr`` and ``amazon``: which model and settings, and where the
run is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ratproof.commands.terminal import console, headed
from training.experiment_command import experiment_command
from training.rational_recurrences.settings import PRESETS, Classification

TITLES = {"sst2": "SST-2", "subj": "subj", "cr": "CR", "amazon": "Amazon"}


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a set."""
    return experiment_command(
        experiment,
        Classification,
        PRESETS,
        show,
        f"""Classify the sentences of {TITLES[experiment]} (Peng et al. 2018, section 6.3).

        The epoch that is best on the dev part is kept, and measured on the test part. The units of a rational
        model are then decided equal to their automata, for the trained weights.
        """,
        holds="the sets and glove/",
        options=("data", "vectors", "any_size"),
    )


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
