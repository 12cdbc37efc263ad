"""Packages of other people's with the names of ours."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("automata", "theory", "neural")
"""The packages beside this one that it cannot do without."""


def hidden(packages: Sequence[str] = PACKAGES) -> str:
    """What hides one of our packages, in a sentence; empty where all are there."""
    ours = Path(__file__).resolve().parent.parent
    for name in packages:
        spec = find_spec(name)
        places = (
            [] if spec is None else [*(spec.submodule_search_locations or ()), *filter(None, [spec.origin])]
        )
        if not places:
            return (
                f"the package {name} is not there, which is installed with ratproof: install ratproof again"
            )
        theirs = Path(str(places[0])).resolve()
        if theirs.parent != ours:
            return (
                f"{theirs} hides ratproof's own package {name}: run ratproof in another folder, or install it"
                f" in an environment without that other {name}"
            )
    return ""
