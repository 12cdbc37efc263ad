"""Tests that exactly the tests that ``verify`` has shown are left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proofs_tests.shown import shown


def row(verdict: str, *tests: str, expected: str = "holds") -> dict[str, Any]:
    return {"verdict": verdict, "expected": expected, "tests": list(tests)}


def test_what_was_as_expected_is_shown():
    rows = [row("holds", "a", "b"), row("refuted", "c", expected="refuted")]
    assert shown({"results": rows}) == {"a", "b", "c"}


@pytest.mark.parametrize("verdict", ["refuted", "unknown"])
def test_a_test_with_one_unexpected_verdict_is_not_shown(verdict):
    for rows in ([row("holds", "a", "b"), row(verdict, "a")], [row(verdict, "a"), row("holds", "a", "b")]):
        assert shown({"results": rows}) == {"b"}


def test_of_several_tests_one_may_have_refuted_and_another_not():
    assert shown({"results": [row("refuted", "a", "b", expected="refuted")]}) == frozenset()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_option_leaves_out_what_the_file_names_and_nothing_else(
    pytester, monkeypatch, pytestconfig, workers
):
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makepyfile(test_it="def test_first(): assert False\ndef test_second(): pass")
    verdicts = pytester.makefile(".json", json.dumps({"results": [row("holds", "test_it.py::test_first")]}))
    plugins = ("-p", "proofs_tests.shown", "-p", "no:cacheprovider")
    pytester.runpytest_subprocess(*plugins, "-n", workers).assert_outcomes(failed=1, passed=1)
    result = pytester.runpytest_subprocess(*plugins, "-n", workers, "--verdicts", verdicts)
    result.assert_outcomes(passed=1)
