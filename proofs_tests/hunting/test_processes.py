"""Real workers: one, two, or killed, on this machine or on a cluster, they leave the same rows."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_tests.cluster import LONG, Cluster, children, cluster, wait_until
from ratproof.main import run

__all__ = ["cluster"]

HUNT = ["hunt", "corollary-14", "--seed", "7", "--rounds", "1", "--json"]
PROGRAM = [sys.executable, "-m", "ratproof"]

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="it looks for processes in /proc"
)


def status(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    capsys.readouterr()
    assert run(["campaign", "status", str(folder), "--json"]) == 0
    said: dict[str, object] = json.loads(capsys.readouterr().out)
    return said


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of one worker."""
    folder = tmp_path_factory.mktemp("serial")
    subprocess.run([*PROGRAM, *HUNT, "--jobs", "1", "--ledger", str(folder)], check=True, timeout=LONG)
    return folder


def rows_in(folder: Path) -> int:
    from ratproof.hunting.store import Ledger

    if not (folder / "ledger.sqlite").exists():
        return 0
    try:
        return int(Ledger(folder).status()["rows"])
    except Exception:  # it is being made
        return 0


@needs_proc
def test_a_worker_that_is_killed_is_replaced_and_the_rows_are_those_of_one_worker(
    serial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [*PROGRAM, *HUNT, "--jobs", "2", "--ledger", str(tmp_path)]
    hunt = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: rows_in(tmp_path) >= 1, hunt)
    os.kill(random.choice([pid for pid in children(hunt.pid) if is_worker(pid)]), signal.SIGKILL)
    assert hunt.wait(timeout=LONG) == 0
    assert status(tmp_path, capsys) == status(serial, capsys)


def is_worker(pid: int) -> bool:
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


@needs_proc
def test_a_hunt_whose_driver_is_killed_is_resumed(
    serial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = [*PROGRAM, *HUNT, "--jobs", "2", "--ledger", str(tmp_path)]
    hunt = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: rows_in(tmp_path) >= 1, hunt)
    hunt.kill()
    hunt.wait()
    assert status(tmp_path, capsys)["incomplete"]
    subprocess.run(line, check=True, timeout=LONG, stdout=subprocess.DEVNULL)
    assert status(tmp_path, capsys) == status(serial, capsys)


@needs_proc
def test_a_cluster_leaves_the_same_rows_though_a_worker_and_a_nanny_are_killed(
    cluster: Cluster, serial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, nannies = cluster.file, cluster.nannies
    folder = tmp_path / "ledger"
    line = [*PROGRAM, *HUNT, "--cluster", str(file), "--ledger", str(folder)]
    hunt = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: rows_in(folder) >= 1, hunt)
    for pid in children(nannies[0].pid):
        if b"cluster_worker" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGKILL)
            break
    nannies[1].kill()
    assert hunt.wait(timeout=LONG) == 0
    assert status(folder, capsys) == status(serial, capsys)


def test_a_scheduler_that_is_not_there_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("distributed")
    line = ["hunt", "--rounds", "1", "--cluster", str(tmp_path / "none.json")]
    assert run(line) == 2
    said = capsys.readouterr().err.splitlines()
    assert "is no file of a scheduler" in said[-1]
