"""Tests that merged folders of a campaign have the same digest, whatever the machines and interruptions."""

import json
import os
import re
import shutil
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
from proofs_tests.training.held_runs import held, put, steps_taken
from proofs_tests.training.test_campaign import campaign, in_this_process, root
from ratproof import main
from ratproof.jobs.dask_executor import WENT_AWAY
from ratproof.jobs.installation import installation_of_runs
from training.campaign import job as jobs
from training.campaign import runners
from training.campaign.merging import digest_of
from training.campaign.plan import LABEL, read
from training.campaign.work import Work, state
from training.data_folder import Data
from training.engine.results import results_in

__all__ = ["command_line", "root"]

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
    output: dict[str, object] = json.loads(capfd.readouterr().out)
    return {name: output[name] for name in ("rows", "digest", "counterexamples", "incomplete")}


def run_some(root: Path, folder: str, seeds: list[int]) -> Path:
    plan = read(root / "one.toml")
    (root / folder).mkdir()
    shutil.copy(root / "one.toml", root / folder / "campaign.toml")
    for seed in seeds:
        assert jobs.do(plan, plan.jobs[seed], root / folder, Data(root / "data", any_size=True)) == 0
    return root / folder


@pytest.mark.usefixtures("command_line")
def test_two_folders_of_a_campaign_are_merged(root, capfd):
    (root / "one.toml").write_text(ONE)
    here, there = run_some(root, "here", [0, 1]), run_some(root, "there", [1, 2])
    full = run_some(root, "whole", [0, 1, 2])
    assert status(here, capfd)["incomplete"] == [["cr/rrnn-b/seed-2", 2]]
    (here / "cr/rrnn-b/seed-2").mkdir(parents=True)
    with FileLock(here / "cr/rrnn-b/seed-2" / jobs.LOCK):
        assert main.run(["campaign", "merge", str(here), str(there)]) == 2
    assert "a process is working on this run" in capfd.readouterr().err
    assert main.run(["campaign", "merge", str(here), str(there)]) == 0
    assert "1 new rows" in capfd.readouterr().out
    assert status(here, capfd) == status(full, capfd)
    shown = status(full, capfd)
    assert shown["rows"] == 3
    for when_done, seed in enumerate((2, 0, 1)):  # the order of the runs does not matter
        os.utime(full / f"cr/rrnn-b/seed-{seed}/result.json", (when_done, when_done))
    assert status(full, capfd) == shown

    path = there / "cr/rrnn-b/seed-1/result.json"
    shown = json.loads(path.read_text())
    path.write_text(json.dumps({**shown, "metrics": {**shown["metrics"], "test_loss": 7.0}}))
    assert main.run(["campaign", "merge", str(here), str(there)]) == 2
    assert "the result must equal" in capfd.readouterr().err
    assert main.run(["campaign", "merge", str(here), str(here)]) == 2


# Machines and interruptions.


@pytest.mark.usefixtures("command_line")
def test_results_do_not_depend_on_machines_and_interruptions(root, capfd, monkeypatch, tmp_path):
    """The run is interrupted here; it is resumed on a cluster whose scheduler is restarted."""
    pytest.importorskip("distributed")
    (root / "one.toml").write_text(ONE.replace("[0, 1, 2]", "[0]"))
    full = run_some(root, "whole", [0])
    far = "-o ROOT/far"
    monkeypatch.setenv("PYTHONPATH", put(tmp_path))

    when(monkeypatch, held(tmp_path, 0), lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert campaign(root, f"{far} --jobs 1", "one.toml") == 130
    assert ["cr/rrnn-b/seed-0", 0] in status(root / "far", capfd)["incomplete"]  # type: ignore[operator]

    cluster = Cluster(tmp_path)
    try:
        refused_where_the_installation_is_another(cluster, root, capfd)
        when(monkeypatch, held(tmp_path, 1), cluster.restart)
        assert campaign(root, f"{far} --cluster {cluster.file} --json", "one.toml") == 0
    finally:
        cluster.end()
    out, err = capfd.readouterr()
    assert WENT_AWAY in err and json.loads(out.splitlines()[-1])["notes"] == [WENT_AWAY]
    assert "Traceback" not in err
    assert status(root / "far", capfd) == status(full, capfd)
    # Steps before each interruption were not repeated.
    assert steps_taken(tmp_path) == list(range(len(steps_taken(tmp_path))))


def refused_where_the_installation_is_another(cluster, root, capfd):
    before = status(root / "far", capfd)
    with pytest.MonkeyPatch.context() as patch:
        other = installation_of_runs() | {"numpy": "1.0"}
        patch.setattr(runners, "installation_of_runs", lambda: other)
        assert campaign(root, f"-o ROOT/far --cluster {cluster.file}", "one.toml") == 2
    message = capfd.readouterr().err.splitlines()[-1]
    assert "must have the same installation as this command" in message
    assert f"numpy is {numpy.__version__} there and 1.0 here" in message
    assert status(root / "far", capfd) == before


def when(monkeypatch: pytest.MonkeyPatch, there: Path, do: Callable[[], object]) -> None:
    """Call ``do`` once, as soon as a file exists while the campaign runs."""
    says, left = Work._says, [do]

    def says_after_action(*arguments: Any) -> str:
        if left and there.exists():
            left.pop()()
        return says(*arguments)

    monkeypatch.setattr(Work, "_says", says_after_action)


def test_a_run_ends_if_the_campaigns_folder_requests_it(root):
    (root / "one.toml").write_text(ONE)
    folder = run_some(root, "stopped", [])
    (folder / jobs.STOP).write_text("")
    plan, data = read(root / "one.toml"), Data(root / "data", any_size=True)
    assert jobs.do(plan, plan.jobs[0], folder, data) == 130
    assert state(plan.jobs[0], folder) == "stopped"
    (folder / jobs.STOP).unlink()
    assert jobs.do(plan, plan.jobs[0], folder, data) == 0


@pytest.mark.usefixtures("command_line")
def test_a_crashed_run_stores_its_log_and_the_others_are_done(root, capfd, monkeypatch):
    """One process is killed, as if memory were exhausted; the next command tries it again."""
    (root / "one.toml").write_text(ONE)
    broken = ["cr/rrnn-b/seed-1"]
    in_this_process(monkeypatch, broken)
    assert campaign(root, "-o ROOT/some", "one.toml") == 3
    log = root / "some" / broken[0] / "log.txt"
    output = capfd.readouterr().out
    assert "3 runs: 2 done, 1 broken" in output and broken[0] in output
    assert log.read_text() == "MemoryError: there is no more\nthe run ended with status -9\n"
    assert status(root / "some", capfd)["incomplete"] == [[broken[0], 1]]
    broken.clear()
    assert campaign(root, "-o ROOT/some", "one.toml") == 0 and not log.exists()


# Digests.

CLOCK = re.compile("second|certifying|when|machine|(?<!over_)time|date|host")


def results() -> list[Any]:
    """Return one of the stored results of each experiment."""
    root = Path(training.__file__).parent / "results"
    return list({result["experiment"]: result for result in results_in(root)}.values())


@pytest.mark.parametrize("result", results(), ids=lambda kept: kept["experiment"])
def test_a_digest_covers_everything_independent_of_clock_and_machine(result):
    digest, count = digest_of(result), 0
    for path, last in leaves(result):
        changed = json.loads(json.dumps(result))
        within = changed
        for name in path:
            within = within[name]
        within[last] = "another"
        of_clock = any(CLOCK.search(str(name)) for name in (*path, last))
        assert (digest_of(changed) == digest) == of_clock, (path, last)
        count += of_clock
    assert count > 3


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the path and the name of each number and text; only the first entry of a list is read."""
    for name, value in data.items() if isinstance(data, dict) else enumerate(data[:1]):
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, name))
        else:
            yield path, name


def test_a_label_is_no_name_of_a_seed():
    """The run of a seed would be inside the folder of another run."""
    assert not LABEL.fullmatch("seed-0") and LABEL.fullmatch("seed-a") and LABEL.fullmatch("few")


@pytest.mark.usefixtures("command_line")
def test_a_run_starts_although_another_process_looks_at_its_state(root, monkeypatch):
    """The other process holds the lock until the run waits for it."""
    plan, folder = read(root / "small.toml"), root / "small"
    run_folder = folder / plan.jobs[0].name
    run_folder.mkdir(parents=True)
    monkeypatch.setattr(jobs, "_run", lambda *arguments: 0)
    looking = FileLock(run_folder / jobs.LOCK)
    looking.acquire()
    monkeypatch.setattr("time.sleep", lambda seconds: looking.release())
    assert jobs.do(plan, plan.jobs[0], folder, None) == 0
