"""Versions of the packages on which a result depends."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("ratproof", "numpy", "torch", "hypothesis", "pynini")


def versions() -> dict[str, str]:
    """Return the versions of Python and of :data:`PACKAGES`, with ``"not installed"`` for missing ones."""
    return {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
