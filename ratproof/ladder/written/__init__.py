"""Checks for single claims in addition to the rungs, one file per claim or group of claims."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ratproof.ladder.written.check import WrittenCheck


@cache
def written_checks() -> dict[str, WrittenCheck]:
    """Return every check by the pytest id of the test that runs it."""
    modules = pkgutil.iter_modules(__path__, f"{__name__}.")
    lists = [getattr(importlib.import_module(module.name), "CHECKS", ()) for module in modules]
    return {check.test: check for checks in lists for check in checks}
