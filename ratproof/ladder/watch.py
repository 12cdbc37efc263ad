"""A pytest plugin that gathers what evidence showed, in whatever process it ran."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from ratproof.evidence.results import Observation
from ratproof.ladder.plugin import CORPUS, NOT_RUN, OBSERVED, PARENT


class Watch:
    """A pytest plugin that gathers what tests showed from their reports, in whatever process they ran.

    Args:
        names: the claims that are asked for.
        started: is told what begins to run, how many claims are done, and how many there are.
    """

    def __init__(self, names: Iterable[str], started: Callable[[str, int, int], None]) -> None:
        self.names, self.started = list(names), started
        self.left: Counter[str] = Counter()
        self.seen: list[Observation] = []
        self.errors: list[str] = []
        self.notes: list[str] = []
        self.not_run: list[dict[str, str]] = []
        self.interrupted = False
        self.corpus: Any = None

    def pytest_configure(self, config: pytest.Config) -> None:
        if self.corpus is not None:
            config.stash[CORPUS] = self.corpus

    def pytest_keyboard_interrupt(self) -> None:
        self.interrupted = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[PARENT] = os.getpid()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        self._collected(ids)

    def _collected(self, tests: Iterable[str]) -> None:
        self.left = Counter(dict.fromkeys(self.names, 0))
        self.left.update(name for test in tests if (name := claim_in(test, self.names)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        done = sum(not tests for tests in self.left.values())
        self.started(_bare_name(nodeid), done, len(self.left))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.left[claim_in(nodeid, self.names)] -= 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.seen += [
                Observation.from_text(str(text)) for name, text in report.user_properties if name == OBSERVED
            ]
            self.not_run += [
                json.loads(str(text)) for name, text in report.user_properties if name == NOT_RUN
            ]
        # they are for us, and would be long in a JUnit file
        report.user_properties = [
            pair for pair in report.user_properties if pair[0] not in (OBSERVED, NOT_RUN)
        ]
        if report.failed and report.when != "call":
            self.errors.append(f"{report.nodeid}: {last_line(report.longreprtext)}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(f"{report.nodeid}: {last_line(report.longreprtext)}")


def claim_in(test: str, names: Iterable[str]) -> str:
    """Which of these claims a test's file or parameters name; empty where none.

    >>> claim_in("test_ladder.py::test[model-b-max-plus-corrected-proved]", ["model-b", "model-b-max-plus"])
    'model-b-max-plus'
    >>> claim_in("test_theorem_3_1.py::test", ["theorem-3.1"])
    'theorem-3.1'
    """
    words = _hyphenated(test)
    return max((name for name in names if _hyphenated(name) in words), key=len, default="")


def _hyphenated(text: str) -> str:
    return re.sub(r"\W|_", "-", text)


def _bare_name(test: str) -> str:
    """What stands in its brackets, or else its function's name."""
    name = test.split("::")[-1]
    return name.partition("[")[2].removesuffix("]") or name.removeprefix("test_").replace("_", " ")


def last_line(text: str) -> str:
    """The last line of what pytest says, without its mark."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("E").strip() if lines else ""
