"""A pytest plugin for runs on mutants: time limits, a log of the tests, and shrinking on request.

The plugin (``-p mutants.quick``) runs in the environment of the tests, so it only imports packages that the
tests have. These environment variables configure it:

- ``MUTANTS_RECORD``: a file to which the plugin appends a line when a test starts and when it ends.
- ``MUTANTS_LIMITS``: a file with the time limit of each test in seconds.
- ``MUTANTS_SHRINK``: if set, Hypothesis shrinks failures. Some tests of strategies fail without
  shrinking.
- ``MUTANTS_NAME``: the name of the mutated file. Tests whose path contains this name run first.
"""

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
    """Use the project's Hypothesis profile without shrinking, because a single failure is enough."""
    if os.environ.get("MUTANTS_SHRINK"):
        return
    phases = tuple(p for p in settings().phases if p not in (Phase.shrink, Phase.explain))
    settings.register_profile("mutants", settings(), phases=phases, database=None)
    settings.load_profile("mutants")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests whose path contains the name of the mutated file first."""
    name = _name(os.environ["MUTANTS_NAME"])
    items.sort(key=lambda item: name not in _name(item.nodeid))


def _name(text: str) -> str:
    """Normalise a name for comparison: ``theorem-3.1`` and ``theorem_3_1`` both become ``theorem-3-1``."""
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
    """Write a failed test to the record."""
    if report.failed:
        _record(failed=report.nodeid)
