"""Tests that the rows of a hunt do not depend on the number of local workers, even if some are killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from proofs_tests.cluster import LONG
from proofs_tests.hunting.conftest import ROUNDS, hunted, status
from proofs_tests.hunting.light_worker import DEADLY, LIGHT, POISONED, REAL, TARGETS
from proofs_tests.processes import descendants
from ratproof.jobs import installation
from ratproof.jobs.children import run_chunk
from ratproof.main import run

ROWS = ROUNDS[LIGHT] * len(TARGETS)

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="it looks for processes in /proc"
)


def kill_a_worker() -> None:
    """Kill the worker that was started last, of two workers."""
    workers = [pid for pid in descendants(os.getpid()) if is_worker(pid)]
    assert len(workers) == 2
    os.kill(workers[-1], signal.SIGKILL)


def is_worker(pid: int) -> bool:
    return b"ratproof.jobs.children" in Path(f"/proc/{pid}/cmdline").read_bytes()


@needs_proc
@pytest.mark.usefixtures("light")
def test_a_worker_that_is_killed_is_replaced_and_the_rows_are_those_of_one_worker(
    of_one, at_the_first_row, tmp_path, capsys
):
    at_the_first_row(kill_a_worker)
    assert run(hunted(tmp_path, "--jobs", "2")) == 0
    assert status(tmp_path, capsys) == of_one(LIGHT).status()


@pytest.mark.usefixtures("light")
def test_four_workers_leave_the_rows_of_one(of_one, tmp_path, capsys):
    assert run(hunted(tmp_path, "--jobs", "4")) == 0
    assert json.loads(capsys.readouterr().out)["jobs"] == 4
    assert status(tmp_path, capsys) == of_one(LIGHT).status()
    assert status(tmp_path, capsys)["rows"] == ROWS


@pytest.mark.usefixtures("light")
def test_a_hunt_whose_driver_is_killed_is_resumed(of_one, tmp_path, capsys):
    """The driver kills itself when it has the third row."""
    code = (
        "import os, signal; from ratproof.hunting.store import HuntLedger; from ratproof.main import"
        " run\nadd = HuntLedger.add\ndef added(self, *what):\n    add(self, *what)\n   "
        " len(self.done(what[0])) < 3 or os.kill(os.getpid(), signal.SIGKILL)\nHuntLedger.add = added;"
        f" run({hunted(tmp_path, '--jobs', '2')})"
    )
    killed = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, timeout=LONG)
    assert killed.returncode == -signal.SIGKILL
    left = status(tmp_path, capsys)
    assert left["rows"] == 3 and len(left["incomplete"]) == ROWS - 3  # type: ignore[arg-type]
    assert run(hunted(tmp_path, "--jobs", "2")) == 0
    output = json.loads(capsys.readouterr().out)
    assert (output["rounds_done_before"], output["rounds"]) == (3, ROWS - 3)
    assert status(tmp_path, capsys) == of_one(LIGHT).status()


@pytest.mark.usefixtures("light")
def test_a_round_that_kills_its_worker_is_reported_and_the_rest_is_done(tmp_path, capsys):
    assert run(hunted(tmp_path, "--jobs", "1", seed=POISONED)) == 3
    output = status(tmp_path, capsys)
    assert output["incomplete"] == [[DEADLY.target, DEADLY.number]] and output["rows"] == ROWS - 1


def test_a_wheel_has_the_rounds_of_a_clone_and_changed_sources_differ(of_one, tmp_path, monkeypatch):
    """A worker that finds only an unpacked wheel, and no clone, runs the same rounds."""
    root, site = Path(__file__).parents[2], tmp_path / "site"
    if not (root / "pyproject.toml").exists():
        pytest.skip("it needs a clone, which a wheel is made from")
    for package in ("automata", "theory", "neural", "ratproof", "proofs_tests", "training"):
        shutil.copytree(root / package, site / package, ignore=shutil.ignore_patterns("*.so"))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.chdir(site)
    arguments = json.dumps([["definition-4"], None, "cpu", REAL])
    there = {row[1:3]: row[3:5] for row in of_one(REAL).rows()}
    output = json.loads(run_chunk(arguments, json.dumps(list(there))))
    rows = {(row["target"], row["number"]): (row["digest"], row["verdict"]) for row in output["rows"]}
    assert rows == there and len(rows) == 2 * ROUNDS[REAL]
    assert output["installation"] == dict(installation.fingerprint())

    monkeypatch.setattr(installation, "find_spec", lambda name: PathFinder.find_spec(name, [str(site)]))
    assert installation.sources(installation.PACKAGES) == output["installation"]["sources"]
    with (site / "automata" / "forward.py").open("a") as file:
        file.write("# changed\n")
    assert installation.sources(installation.PACKAGES) != output["installation"]["sources"]
