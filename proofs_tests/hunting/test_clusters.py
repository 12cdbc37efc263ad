"""Tests that a hunt on a Dask cluster stores the rows of a hunt with one worker, and refuses forged rows.

This holds whatever happens to the workers or the scheduler.
"""

import json
import logging
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from proofs_tests.cluster import Cluster
from proofs_tests.hunting.conftest import HUNT, ROUNDS, hunted, make_light, status
from proofs_tests.hunting.light_worker import DEADLY, FAR, FORGED, HELD, LIGHT, OF_ANOTHER, POISONED, TARGETS
from proofs_tests.hunting.test_processes import needs_proc
from proofs_tests.processes import descendants
from ratproof.hunting.rounds import RoundRow
from ratproof.jobs import cluster_client
from ratproof.jobs.dask_executor import WENT_AWAY, DaskExecutor
from ratproof.main import run

AtTheFirstRow = Callable[[Callable[[], None]], list[RoundRow]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, path):
    """Yield a cluster of two workers."""
    pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as patch:
        make_light(patch, path)
        result = Cluster(tmp_path_factory.mktemp("cluster"), path, nanny=True, **{FAR: str(path / "go")})
    yield result
    result.end()


@pytest.fixture
def go(path):
    """Yield the path of a file that does not exist; when it does, the last round of a ``HELD`` hunt ends."""
    yield path / "go"
    (path / "go").unlink()


@pytest.mark.usefixtures("light")
def test_a_cluster_leaves_the_rows_of_one_worker(cluster, of_one, tmp_path, capsys):
    assert run(hunted(tmp_path, "--cluster", str(cluster.file))) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == []
    assert status(tmp_path, capsys) == of_one(LIGHT).status()
    assert status(tmp_path, capsys)["rows"] == ROUNDS[LIGHT] * len(TARGETS)


@pytest.mark.usefixtures("light")
def test_a_round_that_kills_its_worker_is_reported_and_the_rest_is_done(cluster, tmp_path, capsys):
    assert run(hunted(tmp_path, "--cluster", str(cluster.file), seed=POISONED)) == 3
    output = status(tmp_path, capsys)
    assert output["incomplete"] == [[DEADLY.target, DEADLY.number]]
    assert output["rows"] == ROUNDS[LIGHT] * len(TARGETS) - 1


@pytest.mark.usefixtures("light")
@pytest.mark.parametrize(
    ("seed", "says"), [(FORGED, "'digest' is invalid"), (OF_ANOTHER, "numpy is 1.0 there")]
)
def test_forged_messages_of_a_worker_are_refused(seed, says, cluster, tmp_path, capsys):
    assert run(hunted(tmp_path, "--cluster", str(cluster.file), seed=seed)) == 2
    err = capsys.readouterr().err.splitlines()
    assert says in err[-1] and "Traceback" not in "".join(err)
    assert status(tmp_path, capsys)["rows"] == 0


@needs_proc
@pytest.mark.usefixtures("light")
def test_the_rows_are_the_same_if_a_worker_and_a_nanny_are_killed(
    cluster, of_one, at_the_first_row, go, tmp_path, capsys
):
    """The last round waits for the kills, so that the hunt cannot end before."""

    def kill() -> None:
        nanny, other = cluster.workers
        (worker,) = [pid for pid in descendants(nanny) if is_dasks(pid)]
        os.kill(worker, signal.SIGKILL)
        os.kill(other, signal.SIGKILL)
        go.touch()

    at_the_first_row(kill)
    assert run(hunted(tmp_path, "--cluster", str(cluster.file), seed=HELD)) == 0
    assert status(tmp_path, capsys) == of_one(HELD).status()


def is_dasks(pid: int) -> bool:
    """Return whether a process is a Dask worker, and not one of ratproof."""
    return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.usefixtures("light")
def test_a_restarted_scheduler_is_reported_and_the_hunt_continues(
    cluster, of_one, at_the_first_row, go, tmp_path, capsys
):
    """The last round waits for the new scheduler, so that the hunt cannot end before."""

    def restart() -> None:
        cluster.restart()
        go.touch()

    at_the_first_row(restart)
    assert run(hunted(tmp_path, "--cluster", str(cluster.file), seed=HELD)) == 0
    out, err = capsys.readouterr()
    assert WENT_AWAY in err and json.loads(out)["notes"] == [WENT_AWAY]
    assert "Traceback" not in err
    assert status(tmp_path, capsys) == of_one(HELD).status()


def test_an_executor_whose_client_closed_itself_connects_again(cluster):
    """A Dask client closes itself if it cannot reconnect, for example while the machine is suspended."""
    executor, ended = DaskExecutor(str(cluster.file), "the ledger"), []
    for call in (executor.threads, executor.drop_unbegun, lambda: executor.submit(os.fsencode, "x")):
        executor.client.close()
        call()
        assert executor.is_gone
        ended += executor.ready(0)
        assert not executor.is_gone
    while not ended:
        ended += executor.ready(60)
    assert [result for _, result in ended] == [b"x"]
    executor.close()


def test_dasks_own_log_is_silent(cluster):
    log = logging.getLogger("distributed.client")
    log.setLevel(logging.WARNING)  # the level after the import of Dask
    with cluster_client.connected(str(cluster.file)):
        assert not log.isEnabledFor(logging.ERROR)


@pytest.mark.parametrize("text", [None, "{", "[]", "{}", '{"address": 7}', '{"address": "tcp://nobody"}'])
def test_a_file_that_is_missing_or_not_a_schedulers_gives_a_one_line_error(text, tmp_path, capsys):
    pytest.importorskip("distributed")
    if text is not None:
        (tmp_path / "scheduler.json").write_text(text)
    line = [*HUNT, "--cluster", str(tmp_path / "scheduler.json"), "--ledger", str(tmp_path / "ledger")]
    assert run(line) == 2
    assert "scheduler.json" in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "ledger").exists()


def test_a_port_without_a_scheduler_gives_a_one_line_error(capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster_client, "CONNECT", 0.2)  # Dask retries for this time
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert run([*HUNT, "--cluster", f"tcp://127.0.0.1:{free.getsockname()[1]}"]) == 2
    assert "no scheduler answers" in capsys.readouterr().err
