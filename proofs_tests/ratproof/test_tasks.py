"""Tests of tasks in worker processes: their order, dead workers, an early stop, and the ids of tests in
results.
"""

import io
from contextlib import redirect_stdout
from dataclasses import replace

import pytest

from proofs_tests.ratproof import light_tasks
from proofs_tests.ratproof.light_tasks import DEADLY
from ratproof.evidence.kinds import Verdict
from ratproof.ladder import tasks, verification
from ratproof.ladder.request import Request
from ratproof.ladder.steps import all_of
from ratproof.ladder.tasks import TaskResult, show_all
from ratproof.ladder.verification import tasks_of, verify
from ratproof.ladder.written.check import Inputs
from theory.registry import claim_named, claims

SMALL = Request(claims=("fa-rnn-eq-4", "corollary-10-sru"), kinds=("decided", "proved"), examples=3, jobs=2)


pytestmark = pytest.mark.usefixtures("in_tmp_path")


def without_seconds(outcome):
    return [row | {"seconds": 0} for row in outcome.to_json()["results"]]


def test_several_processes_give_the_results_of_one():
    told = []
    request = replace(SMALL, kinds=("decided",))  # each worker imports torch, which takes seconds
    several = verify(request, lambda *what: told.append(what))
    one = verify(replace(request, jobs=1))
    assert without_seconds(several) == without_seconds(one)
    assert several.as_expected and not several.errors
    assert told[0] == ("fa-rnn-eq-4 decided", 0, 2) and {total for _, _, total in told} == {2}


def test_the_three_papers_come_first():
    names = list(dict.fromkeys(task.claim for task in tasks_of(Request())))
    assert names == list(claims()) and names.index("proposition-7") < names.index("gla")


@pytest.fixture
def light(monkeypatch):
    """Run tasks that compare nothing, in workers that start without torch."""
    monkeypatch.setattr(tasks, "_start_worker", light_tasks.start)
    monkeypatch.setattr(tasks, "show", light_tasks.show)
    monkeypatch.setattr(tasks, "_show_as_text", light_tasks.show_as_text)


def test_a_worker_that_dies_loses_only_its_task_and_the_run_is_not_as_expected(light, monkeypatch):
    monkeypatch.setattr(tasks, "_show_as_text", light_tasks.die_on_one)
    shown = show_all(tasks_of(SMALL), SMALL, lambda *_: None)
    assert shown.errors == [f"{DEADLY}: its process ended without a result"]
    assert [seen.claim for seen in shown.observations] == ["fa-rnn-eq-4", "fa-rnn-eq-4", "corollary-10-sru"]
    monkeypatch.setattr(verification, "show_all", lambda *_: shown)
    outcome = verify(SMALL)
    assert not outcome.as_expected and outcome.errors == shown.errors
    assert Verdict.UNKNOWN in {row.verdict for row in outcome.results}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_early_stop_skips_later_tasks(jobs, light, monkeypatch):
    monkeypatch.setattr(TaskResult, "as_expected", False)
    shown = show_all(tasks_of(SMALL), replace(SMALL, jobs=jobs, stop_early=True), print)
    assert len({(seen.claim, seen.kind) for seen in shown.observations}) <= jobs


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interruption_preserves_finished_results(jobs, light):
    reports = []

    def interrupt(name, done, total):
        reports.append(name)
        if len(reports) == 2:  # after the first task that ends
            raise KeyboardInterrupt

    request = replace(SMALL, jobs=jobs)
    shown = show_all(tasks_of(request), request, interrupt)
    assert shown.interrupted and len({(seen.claim, seen.kind) for seen in shown.observations}) == 1


class Collected:
    """A pytest plugin that stores the ids of the collected tests."""

    def pytest_collection_finish(self, session):
        self.ids = {item.nodeid for item in session.items}


def test_the_test_ids_in_results_are_those_that_pytest_collects(pytestconfig, monkeypatch):
    monkeypatch.chdir(pytestconfig.rootpath)
    inputs = Inputs(corpus=object(), rules=object())
    every = {
        step.test
        for claim in claims().values()
        for kind in dict.fromkeys(kind for variant in claim.variants for kind in variant.kinds)
        for step in all_of(claim_named(claim.name), kind, inputs)
    }
    collected = Collected()
    with redirect_stdout(io.StringIO()):
        files = sorted({test.partition("::")[0] for test in every})
        imported = "ignore::pytest.PytestAssertRewriteWarning"  # this process has imported proofs_tests
        options = ["--collect-only", "-q", "-p", "no:cacheprovider", "-W", imported]
        pytest.main([*options, *files], plugins=[collected])
    assert every <= collected.ids
    ladder = {test for test in every if "test_ladder.py" in test}
    assert ladder == {test for test in collected.ids if "test_ladder.py" in test}
