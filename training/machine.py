"""A description of the machine, which results include."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ratproof.jobs.installation import PACKAGES, sources

DECIDED_BY_A_MACHINE = ("seconds", "certifying", "machine", "when")
"""The entries of a result that depend on the machine or the time."""


def machine() -> dict[str, Any]:
    """Return the processor, the number of cores, and the versions of Python and packages."""
    names = [
        line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")
    ]
    return {
        "platform": platform.platform(),
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "threads": 1,
        "versions": {name: version(name) for name in ("torch", "numpy", "ratproof")},
        "python": platform.python_version(),
    }


@cache  # a process keeps the modules that it imported
def installation() -> dict[str, str | None]:
    """Return the commit of the sources, and a digest of them, which also shows uncommitted changes."""
    return {"commit": _commit(), "sources": sources([*PACKAGES, "training"])}


def _commit() -> str | None:
    """Return the commit of the sources, or None outside a repository."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
