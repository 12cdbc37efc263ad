"""The command line's ``train parentheses`` and ``palindromes``: which model and settings, and where the run
is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ratproof.commands.terminal import console, headed
from training.experiment_command import experiment_command
from training.language_recognition.settings import PRESETS, Recognition

TITLES = {
    "parentheses": "Accept balanced parentheses among letters, at any depth",
    "palindromes": "Accept palindromes w w^R",
    "exchanges": "Accept palindromes, not those with letters exchanged",
}


NEW_STARTS = """; where it does not come
        there, or not with all dev strings right, it begins again with new weights. --preset first does not"""


def command(experiment: str) -> Callable[..., int]:
    """The command that trains on a language."""
    return experiment_command(
        experiment,
        Recognition,
        PRESETS[experiment],
        show,
        f"""{TITLES[experiment]} (Wang & Niepert 2019, section 4.2).

        The network is trained on short strings, and measured on longer and deeper ones. --preset paper trains
        as the paper says; ours has noise on gates and states, and asks for margins at the
        end{NEW_STARTS if "first" in PRESETS[experiment] else ""}.
        """,
        options=(),
        preset="ours",
    )


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out, beside = console(), (said["paper"] or {}).get("errors", {})
    epochs = f"{said['epochs']} epochs, {said['seconds']:.0f} s"
    out.print(headed(f"{said['experiment']} {said['model']}", f", seed {said['seed']}: {epochs}"))
    length, restarts = f"{said['metrics']['curriculum_length']:.0f}", said["metrics"].get("restarts")
    again = f", after {restarts} new start{'s' * (restarts > 1)}" if restarts else ""
    out.print(f"  the curriculum came to strings of length {length}{again}", soft_wrap=True)
    for name, shares in said["errors"].items():
        size = said["data"][name]["strings"]
        paper = f"; the paper: {beside[name]:.1%}" if name in beside else ""
        kinds = ", ".join(f"{kind} {share:.1%}" for kind, share in shares.items() if share)
        error = said["metrics"][f"test_error {name}"]
        out.print(f"  {name}: wrong on {error:.2%} of {size:,}{paper}" + (f" ({kinds})" if kinds else ""))
    counter = said.get("counter")
    if counter:
        off = f"{counter['largest_error']:.3g} at most, {counter['drift_a_symbol']:.1e} a symbol"
        out.print(
            f"  the cell state gives the depth with an R² of {counter['r_squared']:.7f}; at depth 20 and"
            f" length 1,000 it is off by {off}",
            soft_wrap=True,
        )
    out.print(f"  kept in {folder}", soft_wrap=True)
