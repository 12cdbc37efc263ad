"""A pytest plugin: ``pytest --verdicts FILE`` does not run again the evidence that ``ratproof verify --json``
found as expected, and wrote into that file. Whether it ran these very sources is for the caller to see.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def shown(verdicts: dict[str, Any]) -> frozenset[str]:
    """The tests whose every verdict was as expected, and stands on that test.

    A refutation stands on one of its tests, and does not say which: where there are several, none is named.

    Args:
        verdicts: as ``ratproof verify --json`` prints them.
    """
    as_expected: dict[str, bool] = {}
    for row in verdicts["results"]:
        good = row["verdict"] == row["expected"] and (row["verdict"] == "holds" or len(row["tests"]) == 1)
        for test in row["tests"]:
            as_expected[test] = as_expected.get(test, True) and good
    return frozenset(test for test, good in as_expected.items() if good)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file."""
    parser.addoption(
        "--verdicts", default=None, help="verdicts of these sources: what was as expected does not run again"
    )


@pytest.hookimpl(trylast=True)  # after the plugin has seen that no evidence is lacking
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was shown."""
    file = config.getoption("--verdicts")
    if file is None:
        return
    there = shown(json.loads(Path(file).read_text(encoding="utf-8")))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in there])
    items[:] = [item for item in items if item.nodeid not in there]
