"""Which module a claim's file is."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import theory


@cache
def module_of(name: str) -> str:
    """The dotted name of the module whose ``CLAIM`` has that name."""
    for module in pkgutil.walk_packages(theory.__path__, "theory."):
        claim = getattr(importlib.import_module(module.name), "CLAIM", None)
        if getattr(claim, "name", None) == name:
            return module.name
    raise KeyError(name)
