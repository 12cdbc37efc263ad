"""Test runs in a copy of the tree, with or without a mutant; the user's files are never changed."""

import hashlib
import itertools
import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

MEMORY = 16 * 2**30
"""The limit on the address space of a test run, in bytes."""
TIMES, SECONDS, LIMIT = 10, 30, 300
"""The time limit of a test, in seconds: its time without a mutant times TIMES, plus SECONDS.

If the time without a mutant is unknown, the limit is LIMIT.
"""
_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
COLLECTING = "collecting the tests"
"""The outcome of a mutant that prevents the collection of tests."""
_clock = itertools.count(1)
_running: set[int] = set()


@dataclass(frozen=True)
class TrialOutcome:
    """The outcome of a trial (``killed``, ``timed out``, ``survived``), the failing test, and test times."""

    outcome: str
    by: str | None
    seconds: dict[str, float]


class Stopped(Exception):
    """Raised when the session is interrupted."""


def stop_all() -> None:
    """End all test runs, so that functions waiting for a run raise :class:`Stopped`."""
    while _running:
        with suppress(ProcessLookupError):
            os.killpg(_running.pop(), signal.SIGKILL)


@contextmanager
def copy_of(root: Path) -> Iterator[Path]:
    """Copy the files that git does not ignore to a temporary folder, and yield the folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=root,
        capture_output=True,
        check=True,
        text=True,
    )
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder) / "tree"
        for name in filter(None, listed.stdout.split("\0")):
            if (root / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, tree / name)
        yield tree


def digest(tree: Path) -> str:
    """Return a hash of a tree's Python files."""
    result = hashlib.sha256()
    for path in sorted(tree.rglob("*.py")):
        result.update(f"{path.relative_to(tree)} {path.stat().st_size} ".encode() + path.read_bytes())
    return result.hexdigest()


@contextmanager
def mutated(path: Path, text: str) -> Iterator[None]:
    """Replace the file's text within the context.

    The new modification time makes Python recompile the bytecode.
    """
    original, status = path.read_text(), path.stat()
    try:
        path.write_text(text)
        os.utime(path, (status.st_atime, status.st_mtime + 10 * next(_clock)))
        yield
    finally:
        path.write_text(original)
        os.utime(path, (status.st_atime, status.st_mtime))


def run(
    tree: Path,
    python: str,
    tests: list[str],
    examples: int,
    shrink: bool,
    clean: dict[str, float | None],
    name: str,
) -> TrialOutcome:
    """Run pytest on these files in this order until a test fails.

    Each run uses one thread and the same random cases.

    Args:
        tree: the copy of the tree.
        python: the Python of the tests.
        tests: test files or tests.
        examples: number of Hypothesis examples.
        shrink: whether Hypothesis shrinks.
        clean: the unmutated duration of each test in seconds; None excludes a test.
        name: tests whose names contain this text run first.
    """
    record, limits = tree.parent / "record", tree.parent / "limits"
    record.write_text("")
    known = {test: SECONDS + TIMES * s for test, s in clean.items() if s is not None}
    limits.write_text(json.dumps({"limit": LIMIT, "tests": known}))
    command = [python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    # with -k, the project's plugin accepts that some tests are deselected
    command += ["-p", "mutants.quick", "-k", "not no_test_has_this_name"]
    command += [f"--deselect={test}" for test, seconds in clean.items() if seconds is None]
    settings = {"PYTHONPATH": str(tree), "PYTHONHASHSEED": "0", "RATPROOF_EXAMPLES": str(examples)}
    settings |= {"MUTANTS_RECORD": str(record), "MUTANTS_LIMITS": str(limits), "MUTANTS_NAME": name}
    settings |= dict.fromkeys(_ONE_THREAD, "1")
    settings |= {"MUTANTS_SHRINK": "yes"} if shrink else {}
    process = subprocess.Popen(
        [*command, *tests],
        cwd=tree,
        env=os.environ | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    _running.add(process.pid)
    status = _wait(process, record, max([LIMIT, *known.values()]) + SECONDS)
    if process.pid not in _running:
        raise Stopped
    _running.remove(process.pid)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # also kills child processes that are still running
    process.wait()
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    seconds = {line["end"]: line["seconds"] for line in lines if "end" in line}
    failed = [line["failed"] for line in lines if "failed" in line]
    last = next((line["start"] for line in reversed(lines) if "start" in line), None)
    unfinished = None if last in seconds else last
    if status in (0, 5):  # 5: nothing to run
        return TrialOutcome("survived", None, seconds)
    if failed:
        return TrialOutcome("killed", failed[0], seconds)
    if status is None or (status == 1 and unfinished):
        return TrialOutcome("timed out", unfinished, seconds)
    return TrialOutcome("killed", unfinished or COLLECTING, seconds)


def collects(tree: Path, python: str, tests: list[str]) -> bool:
    """Return whether these test files can be collected."""
    command = [python, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    return (
        subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False).returncode == 0
    )


def _wait(process: subprocess.Popen[bytes], record: Path, patience: float) -> int | None:
    """Wait for a process and return its exit status.

    Return ``None`` if the process has not written to ``record`` for ``patience`` seconds.
    """
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(5)
        if time.time() - record.stat().st_mtime > patience:
            return None
