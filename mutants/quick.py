"""A pytest plugin for mutants, with a time limit and a record for each test and optional shrinking.

The tests' Python imports it (``-p mutants.quick``), so it only imports packages that the tests have.
``MUTANTS_RECORD`` is the file to which a line is written when a test starts and ends. ``MUTANTS_LIMITS`` is a
file with the maximum seconds of each test. If ``MUTANTS_SHRINK`` is set, Hypothesis shrinks, as tests of
strategies expect. ``MUTANTS_NAME`` is the name of the mutant's file: tests with that name run first, such as
a claim's evidence among the tests of all claims.
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings


def _record(**fields: Any) -> None:
    with Path(os.environ["MUTANTS_RECORD"]).open("a") as file:
        file.write(json.dumps(fields) + "\n")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Use the project's profile without shrinking, because a failing test is enough."""
    if os.environ.get("MUTANTS_SHRINK"):
        return
    phases = tuple(p for p in settings().phases if p not in (Phase.shrink, Phase.explain))
    settings.register_profile("mutants", settings(), phases=phases, database=None)
    settings.load_profile("mutants")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests with the name of the mutant's file first."""
    name = _name(os.environ["MUTANTS_NAME"])
    items.sort(key=lambda item: name not in _name(item.nodeid))


def _name(text: str) -> str:
    """Return a name in the form of test files: ``theorem-3.1`` and ``theorem_3_1`` are the same."""
    return re.sub(r"\W|_", "-", text)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """End the run if a test takes much longer than without a mutant, even inside compiled code."""
    limits = json.loads(Path(os.environ["MUTANTS_LIMITS"]).read_text())
    _record(start=item.nodeid)
    begun = time.monotonic()
    faulthandler.dump_traceback_later(limits["tests"].get(item.nodeid, limits["limit"]), exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()
        _record(end=item.nodeid, seconds=time.monotonic() - begun)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record a failing test."""
    if report.failed:
        _record(failed=report.nodeid)
