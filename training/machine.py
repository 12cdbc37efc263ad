"""A description of the machine, for the results in a file."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

DECIDED_BY_A_MACHINE = ("seconds", "machine", "when")
"""The entries of a result that differ between machines."""


def machine() -> dict[str, Any]:
    """Return the processor, the cores and the versions; runs use one thread."""
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


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
