"""A pytest plugin with the option ``--verdicts FILE``, which skips tests of evidence that has already run.

The file is the output of ``ratproof verify --json``. Tests are skipped if their verdicts are as expected. The
caller must ensure that the file is about these sources.
"""

import json
from pathlib import Path
from typing import Any

import pytest


def shown(verdicts: dict[str, Any]) -> frozenset[str]:
    """Return the ids of the tests whose verdicts were all as expected and come from these tests.

    A refutation comes from one test of its row, but the row does not record which one. Tests of a refuted
    row with several tests are therefore not returned.

    Args:
        verdicts: The output of ``ratproof verify --json``.
    """
    as_expected: dict[str, bool] = {}
    for row in verdicts["results"]:
        good = row["verdict"] == row["expected"] and (row["verdict"] == "holds" or len(row["tests"]) == 1)
        for test in row["tests"]:
            as_expected[test] = as_expected.get(test, True) and good
    return frozenset(test for test, good in as_expected.items() if good)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--verdicts``."""
    parser.addoption(
        "--verdicts",
        default=None,
        help="verdicts of these sources: evidence that was as expected does not run again",
    )


@pytest.hookimpl(trylast=True)  # after the plugin has checked that no evidence is missing
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that :func:`shown` returns."""
    file = config.getoption("--verdicts")
    if file is None:
        return
    there = shown(json.loads(Path(file).read_text(encoding="utf-8")))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in there])
    items[:] = [item for item in items if item.nodeid not in there]
