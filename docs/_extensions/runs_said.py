"""Where and when the runs of an experiment were made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from page_text import plain


def machines_of(own: Sequence[dict[str, Any]]) -> str:
    """How many runs there are, how long they took, when they were made, and on what."""
    said = dict.fromkeys(_machines(own))
    days = sorted({run["when"][:10] for run in own})
    hours = sum(run["seconds"] for run in own) / 3600
    return f"{len(own)} runs, {hours:.1f} hours in all, on {' and '.join(days)}, {'; '.join(said)}.\n"


def _machines(own: Sequence[dict[str, Any]]) -> Iterator[str]:
    for run in own:
        machine = run["machine"]
        versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
        yield (
            f"each on one of {machine['cores']} cores ({plain(machine['processor'])}) that others used too,"
            f" with {plain(versions)}"
        )
