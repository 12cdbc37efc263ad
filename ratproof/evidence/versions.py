"""The versions that a result depends on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("ratproof", "numpy", "torch", "hypothesis", "pynini")


def versions() -> dict[str, str]:
    """Of Python, and of :data:`PACKAGES`; ``"not installed"`` of those that are not."""
    return {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
