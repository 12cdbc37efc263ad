"""Tests that ``--verdicts`` skips exactly the tests whose verdicts are as expected."""

import json
from typing import Any

import pytest

from proofs_tests.shown import shown


def row(verdict: str, *tests: str, expected: str = "holds") -> dict[str, Any]:
    return {"verdict": verdict, "expected": expected, "tests": list(tests)}


def test_expected_results_are_shown():
    rows = [row("holds", "a", "b"), row("refuted", "c", expected="refuted")]
    assert shown({"results": rows}) == {"a", "b", "c"}


@pytest.mark.parametrize("verdict", ["refuted", "unknown"])
def test_a_test_with_one_unexpected_verdict_is_not_shown(verdict):
    for rows in ([row("holds", "a", "b"), row(verdict, "a")], [row(verdict, "a"), row("holds", "a", "b")]):
        assert shown({"results": rows}) == {"b"}


def test_several_tests_of_one_refutation_are_not_shown():
    assert shown({"results": [row("refuted", "a", "b", expected="refuted")]}) == frozenset()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_option_skips_only_the_tests_of_the_file(pytester, monkeypatch, pytestconfig, workers):
    monkeypatch.setenv("PYTHONPATH", str(pytestconfig.rootpath))
    pytester.makepyfile(test_it="def test_first(): assert False\ndef test_second(): pass")
    verdicts = pytester.makefile(".json", json.dumps({"results": [row("holds", "test_it.py::test_first")]}))
    plugins = ("-p", "proofs_tests.shown", "-p", "no:cacheprovider")
    pytester.runpytest_subprocess(*plugins, "-n", workers).assert_outcomes(failed=1, passed=1)
    result = pytester.runpytest_subprocess(*plugins, "-n", workers, "--verdicts", verdicts)
    result.assert_outcomes(passed=1)
