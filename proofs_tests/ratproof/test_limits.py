"""Tests that a command that exceeds a limit ends promptly as unknown, without leftover processes or files."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proofs_tests.processes import alive, python
from proofs_tests.ratproof.command_tree import commands, is_group
from ratproof.main import run
from ratproof.process import limits, memory, supervisor

pytestmark = pytest.mark.skipif(not supervisor.can_fork(), reason="work is supervised on Linux only")

PROGRAM = """
import os, signal, subprocess, sys, time
from pathlib import Path
import typer
from automata.errors import InputError
from ratproof.process import limits
from ratproof.process import supervisor
{before}
app = typer.Typer()

@app.callback()
def frame() -> None: ...

@app.command({name!r})
def command(as_json: bool = typer.Option(False, "--json")) -> int | None:
{body}

limits.add(app)
limits.supervise()
try:
    sys.exit(app(standalone_mode=False))
except KeyboardInterrupt:
    sys.exit(130)
"""
LONG = """{"semiring": "real", "states": 1, "alphabet": ["a"], "initial": [[0, "1"]], "final": [[0, "1"]],
 "transitions": [[0, 0, "a", "1e4300"]]}"""
"""An automaton whose score of a string of n symbols has 4,300 n digits."""
PATIENCE, SOON = 120, 5
"""Seconds that a busy machine may take to start a program, and to end one."""
FOR_EVER = "while True: pass"
IN_A_LIBRARY = "sum(range(10**15))"
"""A single call during which neither threads nor signal handlers run."""


def program(folder, *body, name="score", before=""):
    """Return a program with one limited command."""
    path = folder / "program.py"
    path.write_text(PROGRAM.format(name=name, before=before, body="\n".join(f"    {line}" for line in body)))
    return [sys.executable, str(path), name]


def ends(arguments, folder):
    """Run a command in the folder, and return its exit status and output."""
    done = subprocess.run(
        arguments, capture_output=True, text=True, timeout=PATIENCE, cwd=folder, env=environment()
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


def environment():
    here = str(Path(limits.__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}


@pytest.mark.parametrize("work", [FOR_EVER, IN_A_LIBRARY])
def test_endless_work_stops_at_the_limit(tmp_path, work):
    status, out, err = ends([*program(tmp_path, work), "--limit-seconds", "0.2"], tmp_path)
    assert (status, out) == (3, "")
    assert (
        err
        == "ratproof: unknown: the command needs more than 0.2 seconds; use --limit-seconds to allow more\n"
    )


def test_an_unknown_verdict_is_printed_like_other_verdicts(tmp_path):
    status, out, err = ends(
        [*program(tmp_path, FOR_EVER, name="equivalent"), "--limit-seconds", "1"], tmp_path
    )
    expected = (3, "unknown: the command needs more than 1 second; use --limit-seconds to allow more\n", "")
    assert (status, out, err) == expected


def test_the_interrupted_stage_is_reported(tmp_path):
    status, _, err = ends(
        [*program(tmp_path, "supervisor.note('length 7')", FOR_EVER), "--limit-seconds", "0.2"], tmp_path
    )
    assert (status, err.count("more than 0.2 seconds (stage: length 7); use --limit")) == (3, 1)


def test_with_json_the_answer_is_one_object(tmp_path):
    status, out, err = ends([*program(tmp_path, FOR_EVER), "--limit-seconds", "0.2", "--json"], tmp_path)
    answer = json.loads(out)
    assert (status, err) == (3, "")
    assert answer.pop("why").startswith("the command needs more than 0.2 seconds")
    assert answer == {"schema_version": 2, "verdict": "unknown", "limit": "seconds"}


@pytest.mark.parametrize(
    "work",
    [
        "kept = [bytearray(b'x') * (1 << 20) for _ in range(1 << 20)]",
        "bytearray(1 << 50)",
        "kept = bytes(1 << 33)",
    ],
    ids=["bit by bit", "more than there is", "at once"],
)
def test_work_that_exceeds_the_memory_limit_stops(tmp_path, work):
    status, out, err = ends([*program(tmp_path, work), "--limit-memory", "256M"], tmp_path)
    assert (status, out) == (3, "")
    assert "256 MB" in err and err.endswith("; use --limit-memory to allow more\n")


def test_the_memory_of_child_processes_counts(tmp_path):
    hog = "import time; kept = bytearray(b'x') * (300 << 20); time.sleep(60)"
    status, _, err = ends(
        [*program(tmp_path, f"subprocess.run([sys.executable, '-c', {hog!r}])"), "--limit-memory", "256M"],
        tmp_path,
    )
    assert status == 3 and "more than 256 MB of memory" in err


def test_child_processes_end_with_the_work(tmp_path):
    work = program(
        tmp_path,
        "started = subprocess.Popen(['sleep', '600'], start_new_session=True, stdout=-3, stderr=-3)",
        "Path('pid').write_text(str(started.pid))",
        FOR_EVER,
    )
    assert ends([*work, "--limit-seconds", "0.5"], tmp_path)[0] == 3
    assert ended(int((tmp_path / "pid").read_text()))


def test_nothing_half_written_is_left(tmp_path):
    work = program(
        tmp_path,
        "files._umask = lambda: (Path('half').touch(), time.sleep(60))",
        "with files.tempfile.TemporaryDirectory(dir='.'):",
        "    files.write_whole('answer.json', 'half')",
        before="from automata.io import files",
    )
    assert ends([*work, "--limit-seconds", "1"], tmp_path)[0] == 3
    assert {path.name for path in tmp_path.iterdir()} == {"program.py", "half"}


def test_an_answer_that_is_read_slowly_is_complete(tmp_path):
    work = program(tmp_path, "print('x' * 1_000_000)")
    with subprocess.Popen(
        [*work, "--limit-seconds", "0.5"], stdout=subprocess.PIPE, env=environment()
    ) as reading:
        assert reading.stdout is not None
        assert reading.stdout.read(1) == b"x"
        with pytest.raises(subprocess.TimeoutExpired):
            reading.wait(1)
        assert len(reading.stdout.read()) == 1_000_000
    assert reading.returncode == 0


@pytest.mark.parametrize(
    ("end", "status"),
    [("return None", 0), ("return 1", 1), ("sys.exit(7)", 7), ("raise KeyboardInterrupt", 130)],
)
def test_the_exit_status_is_passed_on(tmp_path, end, status):
    assert ends(program(tmp_path, end), tmp_path) == (status, "", "")


@pytest.mark.parametrize("crash", ["SIGSEGV", "SIGABRT", "SIGKILL"])
def test_a_library_that_crashes_gives_unknown(tmp_path, crash):
    status, out, err = ends(
        program(tmp_path, f"os.kill(os.getpid(), signal.{crash})", "time.sleep(60)"), tmp_path
    )
    assert (status, out) == (3, "")
    assert err.startswith("ratproof: unknown: ") and crash in err


def hears_ctrl_c():
    """Restore the default handling of Ctrl-C, which background jobs of a shell ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start_program(folder, *body):
    """Start a program with a limited command; return it and the id of the process that does the work."""
    work = program(folder, "Path('pid').write_text(str(os.getpid()))", "os.rename('pid', 'ready')", *body)
    running = subprocess.Popen(
        work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(),
        preexec_fn=hears_ctrl_c,
    )
    deadline = time.monotonic() + PATIENCE
    while not (folder / "ready").exists():
        assert running.poll() is None and time.monotonic() < deadline
    return running, int((folder / "ready").read_text())


def ended(process):
    """Return whether the process ends within a few seconds."""
    deadline = time.monotonic() + SOON
    while alive(process) and time.monotonic() < deadline:
        time.sleep(0.005)
    if there := alive(process):
        os.kill(process, signal.SIGKILL)
    return not there


@pytest.mark.parametrize("work", [FOR_EVER, IN_A_LIBRARY])
def test_the_work_ends_if_the_command_is_killed_by_any_signal(tmp_path, work):
    running, process = start_program(tmp_path, work)
    running.kill()
    running.wait()
    assert ended(process)


def test_ctrl_c_interrupts_the_work(tmp_path):
    running, process = start_program(tmp_path, FOR_EVER)
    running.send_signal(signal.SIGINT)
    assert (running.communicate(timeout=PATIENCE), running.returncode) == (("", ""), 130)
    assert ended(process)


def test_a_second_ctrl_c_kills_unresponsive_work(tmp_path):
    running, process = start_program(tmp_path, IN_A_LIBRARY)
    running.send_signal(signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.wait(timeout=0.1)  # otherwise the kernel merges the two signals
    running.send_signal(signal.SIGINT)
    assert (running.communicate(timeout=PATIENCE), running.returncode) == (("", ""), 130)
    assert ended(process)


def test_a_terminated_command_cleans_up(tmp_path):
    running, process = start_program(
        tmp_path,
        "with supervisor.suppress(ValueError):",
        "    try:",
        "        time.sleep(60)",
        "    finally:",
        "        Path('tidy').touch()",
    )
    running.terminate()
    assert (running.communicate(timeout=PATIENCE), running.returncode) == (("", ""), -signal.SIGTERM)
    assert ended(process) and (tmp_path / "tidy").exists()


def test_without_fork_a_thread_enforces_the_limit(tmp_path):
    work = program(tmp_path, FOR_EVER, before="supervisor.can_fork = lambda: False")
    status, _, err = ends([*work, "--limit-seconds", "0.2"], tmp_path)
    assert status == 3 and "more than 0.2 seconds" in err


def test_every_command_is_limited_or_documented_as_unlimited():
    for name, command in commands().items():
        if is_group(command):
            continue
        without = name in limits.UNLIMITED or name.split()[0] in limits.UNLIMITED_GROUPS
        assert (name in limits.LIMITED) != without, name
        assert {"limit_seconds", "limit_memory"} <= {
            p.name for p in command.params
        } or name not in limits.LIMITED, name


@pytest.mark.parametrize(
    "wrong",
    [
        ("--limit-seconds", "0"),
        ("--limit-seconds", "nan"),
        ("--limit-memory", "much"),
        ("--limit-memory", "-1G"),
        ("--limit-memory", "1M"),
    ],
)
def test_an_invalid_limit_is_refused(capsys, wrong):
    assert run(["rank", "nothing.json", *wrong]) == 2
    assert capsys.readouterr().err.startswith(f"ratproof: {wrong[0]} must be ")


def test_a_limit_beyond_the_range_of_the_system_is_no_limit(capsys):
    assert run(["rank", "nothing.json", "--limit-memory", "99999999T"]) == 2
    assert "nothing.json" in capsys.readouterr().err


def test_free_memory_is_the_minimum_over_the_machine_and_its_cgroups(tmp_path):
    own = tmp_path / "cgroup"
    own.write_text("5:cpu:/\n4:memory:/job\n0::/user/job\n")
    for folder, files in {
        "user": {"memory.max": "1000", "memory.current": "900", "memory.stat": "anon 500\ninactive_file 400"},
        "user/job": {"memory.max": "max", "memory.current": "900", "memory.stat": "anon 500"},
        "memory/job": {
            "memory.limit_in_bytes": "700",
            "memory.usage_in_bytes": "100",
            "memory.stat": "total_inactive_file 50",
        },
    }.items():
        (tmp_path / folder).mkdir(parents=True)
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text + "\n")
    assert sorted(memory._group_limits(own, tmp_path)) == [500, 650]
    assert memory.free_memory() > 0


def test_the_command_line_itself_respects_its_limits(tmp_path):
    (tmp_path / "a.json").write_text(LONG)
    command = [sys.executable, "-m", "ratproof", "score", "a.json", " ".join("a" * 10_000)]
    status, out, err = ends([*command, "--limit-seconds", "0.3"], tmp_path)
    assert (status, out) == (3, "") and "more than 0.3 seconds" in err


def test_a_message_about_a_limit_is_printed_like_an_answer(capsys):
    assert limits._report_unknown("equivalent", "too long", "seconds", False) == 3
    assert limits._report_unknown("score", "too long", "seconds", False) == 3
    assert limits._report_unknown("score", "too long", "seconds", False, printed=True) == 3
    out, err = capsys.readouterr()
    assert out == "unknown: too long\n"
    assert (
        err
        == "ratproof: unknown: too long\nratproof: unknown, and the printed output is incomplete: too long\n"
    )


def test_a_termination_before_the_work_starts_is_not_its_error():
    program = """
import os, signal
from ratproof.process.supervisor import PASSED_ON, stoppable
signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
os.kill(os.getpid(), signal.SIGTERM)
with stoppable():
    print("not reached")
"""
    ran = python("-c", program)
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGTERM, "", "")


def test_too_many_states_on_cycles_of_epsilon_reach_a_limit(tmp_path, capsys):
    """More states than a file may contain is invalid input."""
    n = 2001
    ring = [[i, (i + 1) % n, "", "-1"] for i in range(n)]
    ends = {"semiring": "log", "alphabet": ["a"], "initial": [[0, "0"]], "final": [[0, "0"]]}
    (tmp_path / "ring.json").write_text(json.dumps({**ends, "states": n, "transitions": ring}))
    (tmp_path / "ring.att").write_text("".join(f"{p}\t{q}\t0\t0\t0\n" for p, q, _, _ in ring) + "0\n")
    (tmp_path / "many.json").write_text(json.dumps({**ends, "states": 10**9, "transitions": []}))
    for name, status in (("ring.json", 3), ("many.json", 2)):
        assert run(["score", str(tmp_path / name), "a"]) == status, name
        assert capsys.readouterr().err.startswith(f"ratproof: {tmp_path / name}: ")
    assert run(["score", str(tmp_path / "ring.att"), "a", "--semiring", "log"]) == 3
