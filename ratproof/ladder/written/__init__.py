"""Checks that are written for single claims, in addition to the evidence that all claims have."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ratproof.ladder.written.check import WrittenCheck


@cache
def written_checks() -> dict[str, WrittenCheck]:
    """Return all checks, keyed by the pytest id of the test that runs the check."""
    modules = pkgutil.iter_modules(__path__, f"{__name__}.")
    lists = [getattr(importlib.import_module(module.name), "CHECKS", ()) for module in modules]
    return {check.test: check for checks in lists for check in checks}
