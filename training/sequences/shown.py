"""A result of the classification of sequences, for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ratproof.commands.terminal import console, headed


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out, metrics, paper = console(), said["metrics"], said["paper"] or {}
    best = f"epoch {said['best_epoch']} was best on the dev part"
    epochs = f"{said['epochs']} epochs, {said['seconds']:.0f} s; {best}"
    out.print(headed(f"{said['experiment']} {said['model']}", f", seed {said['seed']}: {epochs}"))
    for name in [key.removesuffix("_accuracy") for key in metrics if key.endswith("_accuracy")]:
        accuracy, error = metrics[f"{name}_accuracy"], metrics[f"{name}_standard_error"]
        beside = ""
        if name == "test" and "test_accuracy" in paper:
            beside = f"; the paper: {paper['test_accuracy']:.1%}"
        part, _, length = name.partition("_")
        cut = f", the first {length} words of each" if length else ""
        count = said["data"][part]["sentences"]
        out.print(
            f"  right on {accuracy:.1%} ± {error:.1%} of {count:,} {part} examples{cut} (standard"
            f" error){beside}",
            soft_wrap=True,
        )
    out.print(f"  kept in {folder}", soft_wrap=True)
