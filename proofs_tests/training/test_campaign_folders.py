"""Folders of campaigns: made one, done here and elsewhere, interrupted or not, they have the same digest."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest
from filelock import FileLock

import training
from proofs_tests.cluster import Cluster
from proofs_tests.training.command_line import command_line
from proofs_tests.training.held_runs import held, put, steps_made
from proofs_tests.training.test_campaign import campaign, in_this_process, place
from ratproof import main
from ratproof.jobs.dask_executor import WENT_AWAY
from ratproof.jobs.installation import installation_of_runs
from training.campaign import job as jobs
from training.campaign import runners
from training.campaign.merging import digest_of
from training.campaign.plan import read
from training.campaign.work import Work, state
from training.data_folder import Data
from training.engine.results import results_in

__all__ = ["command_line", "place"]

ONE = """
name = "one"

[[part]]
train = ["cr"]
models = ["rrnn-b"]
seeds = [0, 1, 2]
settings = {epochs = 2, batch = 8, hidden = 6}
"""


def status(folder: Path, capfd: pytest.CaptureFixture[str]) -> dict[str, object]:
    capfd.readouterr()
    assert main.run(["campaign", "status", str(folder), "--json"]) == 0
    said: dict[str, object] = json.loads(capfd.readouterr().out)
    return {name: said[name] for name in ("rows", "digest", "counterexamples", "incomplete")}


def run_some(place: Path, folder: str, seeds: list[int]) -> Path:
    plan = read(place / "one.toml")
    (place / folder).mkdir()
    (place / folder / "campaign.toml").write_text(ONE)
    for seed in seeds:
        assert jobs.do(plan, plan.jobs[seed], place / folder, Data(place / "data", any_size=True)) == 0
    return place / folder


@pytest.mark.usefixtures("command_line")
def test_two_folders_of_a_campaign_are_made_one(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (place / "one.toml").write_text(ONE)
    here, there = run_some(place, "here", [0, 1]), run_some(place, "there", [1, 2])
    whole = run_some(place, "whole", [0, 1, 2])
    assert status(here, capfd)["incomplete"] == [["cr/rrnn-b/seed-2", 2]]
    (here / "cr/rrnn-b/seed-2").mkdir(parents=True)
    with FileLock(here / "cr/rrnn-b/seed-2" / jobs.LOCK):
        assert main.run(["campaign", "merge", str(here), str(there)]) == 2
    assert "a process is working on this run" in capfd.readouterr().err
    assert main.run(["campaign", "merge", str(here), str(there)]) == 0
    assert "1 new rows" in capfd.readouterr().out
    assert status(here, capfd) == status(whole, capfd)
    said = status(whole, capfd)
    assert said["rows"] == 3
    for when_done, seed in enumerate((2, 0, 1)):  # the order in which they were done is none of its matter
        os.utime(whole / f"cr/rrnn-b/seed-{seed}/result.json", (when_done, when_done))
    assert status(whole, capfd) == said

    path = there / "cr/rrnn-b/seed-1/result.json"
    said = json.loads(path.read_text())
    path.write_text(json.dumps({**said, "metrics": {**said["metrics"], "test_loss": 7.0}}))
    assert main.run(["campaign", "merge", str(here), str(there)]) == 2
    assert "must be the same result as" in capfd.readouterr().err
    assert main.run(["campaign", "merge", str(here), str(here)]) == 2


# Places and interruptions.


@pytest.mark.usefixtures("command_line")
def test_what_is_done_does_not_depend_on_places_and_interruptions(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Two processes at once, interrupted here; the rest on a cluster, whose scheduler is restarted."""
    pytest.importorskip("distributed")
    (place / "one.toml").write_text(ONE)
    whole = run_some(place, "whole", [0, 1, 2])
    far = "-o PLACE/far"
    monkeypatch.setenv("PYTHONPATH", put(tmp_path))

    when(monkeypatch, held(tmp_path, 0), lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert campaign(place, f"{far} --jobs 2", "one.toml") == 130
    assert ["cr/rrnn-b/seed-0", 0] in status(place / "far", capfd)["incomplete"]  # type: ignore[operator]

    cluster = Cluster(tmp_path)
    try:
        refused_where_the_installation_is_another(cluster, place, capfd)
        when(monkeypatch, held(tmp_path, 1), cluster.restart)
        assert campaign(place, f"{far} --cluster {cluster.file} --json", "one.toml") == 0
    finally:
        cluster.end()
    out, err = capfd.readouterr()
    assert WENT_AWAY in err and json.loads(out.splitlines()[-1])["notes"] == [WENT_AWAY]
    assert "Traceback" not in err
    assert status(place / "far", capfd) == status(whole, capfd)
    # what was done before each end was not done again
    assert steps_made(tmp_path) == list(range(len(steps_made(tmp_path))))


def refused_where_the_installation_is_another(
    cluster: Cluster, place: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = status(place / "far", capfd)
    with pytest.MonkeyPatch.context() as patch:
        other = installation_of_runs() | {"numpy": "1.0"}
        patch.setattr(runners, "installation_of_runs", lambda: other)
        assert campaign(place, f"-o PLACE/far --cluster {cluster.file}", "one.toml") == 2
    said = capfd.readouterr().err.splitlines()[-1]
    assert "another installation" in said and f"numpy is {numpy.__version__} there and 1.0 here" in said
    assert status(place / "far", capfd) == before


def when(monkeypatch: pytest.MonkeyPatch, there: Path, do: Callable[[], object]) -> None:
    """Have it done once, while the campaign runs, when a file is there."""
    says, left = Work._says, [do]

    def said(*arguments: Any) -> str:
        if left and there.exists():
            left.pop()()
        return says(*arguments)

    monkeypatch.setattr(Work, "_says", said)


def test_a_run_ends_where_the_campaigns_folder_says_so(place: Path) -> None:
    (place / "one.toml").write_text(ONE)
    folder = run_some(place, "stopped", [])
    (folder / jobs.STOP).write_text("")
    plan, data = read(place / "one.toml"), Data(place / "data", any_size=True)
    assert jobs.do(plan, plan.jobs[0], folder, data) == 130
    assert state(plan.jobs[0], folder) == "stopped"
    (folder / jobs.STOP).unlink()
    assert jobs.do(plan, plan.jobs[0], folder, data) == 0


@pytest.mark.usefixtures("command_line")
def test_a_run_that_breaks_keeps_its_log_and_is_listed_and_the_others_are_done(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process is killed, as where memory ends; it is tried again by the next command."""
    (place / "one.toml").write_text(ONE)
    broken = ["cr/rrnn-b/seed-1"]
    in_this_process(monkeypatch, broken)
    assert campaign(place, "-o PLACE/some", "one.toml") == 3
    log = place / "some" / broken[0] / "log.txt"
    said = capfd.readouterr().out
    assert "3 runs: 2 done, 1 broken" in said and broken[0] in said
    assert log.read_text() == "MemoryError: there is no more\nit ended with status -9\n"
    assert status(place / "some", capfd)["incomplete"] == [[broken[0], 1]]
    broken.clear()
    assert campaign(place, "-o PLACE/some", "one.toml") == 0 and not log.exists()


# Digests.

CLOCK = re.compile("second|when|machine|(?<!over_)time|date|host")


def results() -> list[Any]:
    """One that is kept of each experiment."""
    root = Path(training.__file__).parent / "results"
    return list({said["experiment"]: said for said in results_in(root)}.values())


@pytest.mark.parametrize("result", results(), ids=lambda said: said["experiment"])
def test_a_digest_is_of_all_but_what_a_clock_or_a_machine_decides(result: dict[str, Any]) -> None:
    digest, count = digest_of(result), 0
    for path, last in leaves(result):
        whole = json.loads(json.dumps(result))
        within = whole
        for name in path:
            within = within[name]
        within[last] = "another"
        of_clock = any(CLOCK.search(str(name)) for name in (*path, last))
        assert (digest_of(whole) == digest) == of_clock, (path, last)
        count += of_clock
    assert count > 3


def leaves(said: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the path and name of each number and text; of a list, only those of its first entry."""
    for name, value in said.items() if isinstance(said, dict) else enumerate(said[:1]):
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, name))
        else:
            yield path, name
