"""Tests that workers end promptly with the command that started them, whatever signal kills the command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proofs_tests.processes import alive, descendants
from ratproof.process import orphans

WORKERS = """
import multiprocessing, os, time
from ratproof.process import orphans
{before}
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    for _ in range(2):
        arguments = os.getpid(), {module!r}, {function!r}, {argument!r}
        context.Process(target=orphans.run_with, args=arguments, daemon=True).start()
    print("started", flush=True)
    time.sleep(60)
"""


PATIENCE, SOON = 120, 5
"""Seconds that a busy machine may take to start workers, and to end them. Otherwise, they work for a minute.
"""


def still_there_after(kill, command, folder, at_least, begun=None):
    """Return the workers that survive their command.

    The command is killed once it has ``at_least`` workers and the file ``begun`` exists, if one is passed.
    """
    here = str(Path(orphans.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}
    running = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, env=environment
    )
    deadline = time.monotonic() + PATIENCE
    while len(workers := descendants(running.pid)) < at_least or not (begun is None or begun.exists()):
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    running.send_signal(kill)
    running.wait()
    until = time.monotonic() + SOON
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.01)
    left = [one for one in workers if alive(one)]
    for one in left:
        os.kill(one, signal.SIGKILL)
    return left


kills = pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL])
linux = pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes in /proc")


@linux
@kills
@pytest.mark.parametrize(
    "before", ["", "orphans.prctl = lambda option, value: False"], ids=["by the kernel", "by looking"]
)
def test_a_spawned_worker_ends_with_its_parent(tmp_path, kill, before):
    program = tmp_path / "program.py"
    program.write_text(WORKERS.format(before=before, module="time", function="sleep", argument=60))
    assert still_there_after(kill, [sys.executable, str(program)], tmp_path, at_least=3) == []


@linux
def test_the_workers_of_a_hunt_end_with_it(tmp_path):
    program = tmp_path / "ratproof"  # like an installed program, which a spawned worker would import first
    program.write_text("from ratproof.main import main\nif __name__ == '__main__':\n    main()\n")
    hunt = [sys.executable, str(program), "hunt", "--minutes", "5", "--jobs", "2"]
    assert still_there_after(signal.SIGKILL, hunt, tmp_path, at_least=2) == []


@linux
def test_the_workers_of_verify_end_with_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("from ratproof.api.checks import verify\nverify()\n")
    assert still_there_after(signal.SIGKILL, [sys.executable, str(program)], tmp_path, at_least=3) == []


def test_a_worker_whose_parent_has_already_ended_ends_at_once():
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "from ratproof.process.orphans import end_with; end_with(1 << 40); print('goes on')",
        ],
        capture_output=True,
    )
    assert (ended.returncode, ended.stdout) == (1, b"")
