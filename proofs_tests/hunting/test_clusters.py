"""Workers of a Dask cluster, as processes: whatever they, or a scheduler that comes back, do, the rows are
those of one worker; and what they forge is refused.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofs_tests.cluster import LONG, Cluster, wait_until
from proofs_tests.hunting.test_processes import PROGRAM, rows_in, status
from ratproof.hunting.cluster_client import connected
from ratproof.main import run

HUNT = ["hunt", "definition-4", "--rounds", "3", "--json"]
TARGETS = 2
POISONED, FORGED, OF_ANOTHER = "666", "667", "668"
DEADLY = 1
"""The number of the rounds that kill their worker, where the seed is the first of these."""
MISCHIEF = f"""
import sys

def do_mischief():
    import os, signal
    from dataclasses import replace
    from ratproof.hunting import worker

    right, says = worker.Worker.run, worker.fingerprint

    def run(self, item, one):
        if self.seed == {POISONED} and one.number == {DEADLY} and "cycles" in one.target:
            os.kill(os.getpid(), signal.SIGKILL)
        row = right(self, item, one)
        return replace(row, digest="0" * 31) if self.seed == {FORGED} else row

    worker.Worker.run = run
    if sys.argv[-1].endswith(" {OF_ANOTHER}]"):
        worker.fingerprint = lambda: says() | {{"numpy": "1.0"}}

from ratproof.process import orphans

def run_with(parent, module, function, *arguments, whole=orphans.run_with):
    orphans.end_with(parent)
    do_mischief()
    whole(parent, module, function, *arguments)

orphans.run_with = run_with
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Python finds what changes its workers as it starts."""
    folder = tmp_path_factory.mktemp("path")
    (folder / "sitecustomize.py").write_text(MISCHIEF)
    return folder


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory, path: Path) -> Iterator[Cluster]:
    """Two, which do wrong for some seeds."""
    pytest.importorskip("distributed")
    made = Cluster(tmp_path_factory.mktemp("cluster"), path)
    yield made
    made.end()


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of one worker."""
    folder = tmp_path_factory.mktemp("serial")
    assert run([*HUNT, "--seed", "7", "--jobs", "1", "--ledger", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("how", ["four processes", "a cluster of two"])
def test_more_workers_leave_the_rows_of_one(
    how: str, workers: Cluster, serial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--jobs", "4"] if how == "four processes" else ["--cluster", str(workers.file)]
    assert run([*HUNT, "--seed", "7", *where, "--ledger", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["jobs"] == (4 if how == "four processes" else 2)
    assert status(tmp_path, capsys) == status(serial, capsys)
    assert status(tmp_path, capsys)["rows"] == 3 * TARGETS


@pytest.mark.parametrize("where", ["here", "on a cluster"])
def test_a_round_that_kills_its_worker_is_named_and_the_rest_is_done(
    where: str,
    workers: Cluster,
    path: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(path), prepend=":")
    how = ["--jobs", "1"] if where == "here" else ["--cluster", str(workers.file)]
    assert run([*HUNT, "--seed", POISONED, *how, "--ledger", str(tmp_path)]) == 3
    said = status(tmp_path, capsys)
    ((_, number),) = said["incomplete"]  # type: ignore[misc]
    assert number == DEADLY and said["rows"] == 3 * TARGETS - 1


@pytest.mark.parametrize(("seed", "says"), [(FORGED, "digest is"), (OF_ANOTHER, "numpy is 1.0 there")])
def test_what_a_worker_forges_is_refused(
    seed: str, says: str, workers: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*HUNT, "--seed", seed, "--cluster", str(workers.file), "--ledger", str(tmp_path)]) == 2
    err = capsys.readouterr().err.splitlines()
    assert says in err[-1] and "Traceback" not in "".join(err)
    assert status(tmp_path, capsys)["rows"] == 0


def test_a_scheduler_that_is_restarted_is_told_of_and_the_hunt_goes_on(
    workers: Cluster, serial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [*PROGRAM, *HUNT, "--seed", "7", "--cluster", str(workers.file), "--ledger", str(tmp_path)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as hunt:
        wait_until(lambda: rows_in(tmp_path) >= 1, hunt)  # type: ignore[arg-type]
        workers.restart()
        out, err = hunt.communicate(timeout=LONG)
    assert hunt.returncode == 0
    assert "the scheduler went away" in err and json.loads(out)["notes"]
    assert "Traceback" not in err
    assert status(tmp_path, capsys) == status(serial, capsys)


def test_dasks_own_log_says_nothing(workers: Cluster) -> None:
    log = logging.getLogger("distributed.client")
    log.setLevel(logging.WARNING)  # as Dask's import leaves it
    with connected(str(workers.file)):
        assert not log.isEnabledFor(logging.ERROR)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"address": 7}', '{"address": "tcp://nobody"}'])
def test_a_file_that_is_no_schedulers_is_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "scheduler.json").write_text(text)
    line = [*HUNT, "--cluster", str(tmp_path / "scheduler.json"), "--ledger", str(tmp_path / "ledger")]
    assert run(line) == 2
    assert "scheduler.json" in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "ledger").exists()


def test_a_port_where_nobody_listens_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert run([*HUNT, "--cluster", f"tcp://127.0.0.1:{free.getsockname()[1]}"]) == 2
    assert "no scheduler answers" in capsys.readouterr().err


def test_a_wheel_has_the_rounds_of_a_clone_and_changed_sources_are_refused(
    serial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a wheel holds, unpacked, in place of the clone."""
    root = Path(__file__).parents[2]
    if not (root / "pyproject.toml").exists():
        pytest.skip("it needs a clone, which a wheel is made from")
    site = tmp_path / "site"
    for package in ("automata", "theory", "neural", "ratproof", "proofs_tests", "training"):
        shutil.copytree(root / package, site / package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    line = [*PROGRAM, *HUNT, "--seed", "7", "--jobs", "1", "--ledger", str(tmp_path / "ledger")]
    env = {**os.environ, "PYTHONPATH": str(site)}
    subprocess.run(line, check=True, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, timeout=LONG)
    assert status(tmp_path / "ledger", capsys) == status(serial, capsys)
    with (site / "automata" / "forward.py").open("a") as file:
        file.write("# changed\n")
    ran = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=LONG)
    assert ran.returncode == 2 and "of another installation" in ran.stderr
