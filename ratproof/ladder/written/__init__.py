"""Checks that are written for single claims, in addition to the kinds of evidence of all claims."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ratproof.ladder.written.check import WrittenCheck


@cache
def written_checks() -> dict[str, WrittenCheck]:
    """Return every check, keyed by the pytest id of the test that runs it."""
    modules = pkgutil.iter_modules(__path__, f"{__name__}.")
    lists = [getattr(importlib.import_module(module.name), "CHECKS", ()) for module in modules]
    return {check.test: check for checks in lists for check in checks}
