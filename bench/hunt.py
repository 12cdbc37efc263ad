"""Benchmark of hunts (random searches for counterexamples) that record their rounds in a ledger.

``python bench/hunt.py [FILE]`` measures:

- the processor seconds per case of a hunt with one worker and with two, compared with the same rounds in one
  process without digests;
- the rows per second that the ledger writes and that the driver checks;
- the driver's memory for a ledger with a million rows;
- the overhead of Dask per task.

The three ways to run a hunt (in one process, with one worker, with two) run the same rounds: the same seed,
targets and numbers. They alternate. The reported figure is the minimum, because other load on the machine
only increases processor time.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from timing import argument, write

from ratproof.hunting.rounds import Round, RoundRow, rows_from, seed_of
from ratproof.hunting.search import Hunt
from ratproof.hunting.store import HuntLedger
from ratproof.hunting.targets import targets
from ratproof.hunting.worker import Examples, prepare, run
from ratproof.ladder.environment import unchanged_afterwards

CLAIMS, SEED, ROUNDS = ("corollary-14", "proposition-7"), 7, 6
MANY, SOME, TURNS, CHUNK = 1_000_000, 20_000, 3, 50


def plain() -> dict[str, float]:
    """Run all rounds in this process without digests, and return the cases and the processor seconds.

    The time to start the process is not included.
    """
    look = Examples.look
    Examples.look = lambda self, comparison, strings: None  # type: ignore[method-assign]
    try:
        with unchanged_afterwards():
            prepare()
            items = targets(CLAIMS, None, "cpu")
            begun, cases = time.process_time(), 0
            for number in range(1, 1 + ROUNDS):
                cases += sum(run(step, Round(name, number), SEED).cases for name, step in items.items())
            return {"cases": cases, "processor_seconds": time.process_time() - begun}
    finally:
        Examples.look = look  # type: ignore[method-assign]


def by_workers(*how: str) -> dict[str, float]:
    """Run a hunt with these options, and return the cases, the rounds, and the processor seconds.

    The processor seconds are those of all processes, without the time to start them. This time is
    approximately that of a hunt with a single round, which is subtracted.
    """
    used = []
    cases = rounds_done = 0
    for rounds in (1, 1 + ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with tempfile.TemporaryDirectory() as folder:
            line = [sys.executable, "-m", "ratproof", "hunt", *CLAIMS, "--seed", str(SEED), "--json"]
            line += ["--rounds", str(rounds), "--ledger", folder, *how]
            ran = subprocess.run(line, check=True, capture_output=True)
            result = json.loads(ran.stdout)
            cases = sum(result["cases"].values()) - cases
            rounds_done = result["rounds"] - rounds_done
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"processor_seconds": used[1] - used[0], "cases": cases, "rounds": rounds_done}


def ledger() -> dict[str, float]:
    """Return the rows per second that the ledger writes and the driver checks, and the driver's memory.

    The memory, in bytes, is what the driver needs to read a ledger with a million rows.
    """
    with tempfile.TemporaryDirectory() as folder:
        store = HuntLedger(Path(folder), Hunt((), SEED).about())
        rows = [
            RoundRow("target", n, f"{seed_of(SEED, Round('target', n)):032x}", "holds", 50, 0.1)
            for n in range(SOME)
        ]
        begun = time.perf_counter()
        for row in rows:
            store.add(SEED, row, None)
        seconds = time.perf_counter() - begun
        checked = checking(rows)
        values = (
            (SEED, "target", n, f"{n:032x}", "holds", 50, 0.1, "exact", "[]", None, "")
            for n in range(SOME, MANY)
        )
        with store.at_once():
            for one in values:
                store.put(one)
        size = os.path.getsize(store.path)
        store.close()
        # VmHWM is the peak of this process; ru_maxrss would include the parent's.
        code = (
            "import sys; from pathlib import Path; from ratproof.hunting.store import HuntLedger;"
            "lines = lambda: Path('/proc/self/status').read_text().splitlines();"
            "own = lambda name: next(int(x.split()[1]) << 10 for x in lines() if x.startswith(name));"
            f"store = HuntLedger(Path(sys.argv[1])); before = own('VmRSS'); done = store.done({SEED});"
            "print(len(done), own('VmHWM') - before)"
        )
        printed = subprocess.run(
            [sys.executable, "-c", code, folder], check=True, capture_output=True, text=True
        )
        count, more = map(int, printed.stdout.split())
        assert count == MANY
    rates = {"rows_a_second": SOME / seconds, "rows_checked_a_second": SOME / checked}
    return {**rates, "memory_bytes": more, "file_bytes": size, "rows": MANY}


def checking(rows: list[RoundRow]) -> float:
    """Return the seconds that the driver takes to parse these rows from the workers' messages."""
    chunks = [rows[at : at + CHUNK] for at in range(0, len(rows), CHUNK)]
    texts = [json.dumps({"rows": [row.to_json() for row in chunk]}).encode() for chunk in chunks]
    begun = time.perf_counter()
    for text, chunk in zip(texts, chunks, strict=True):
        rows_from(text, [row.round for row in chunk])
    return time.perf_counter() - begun


def in_turns() -> dict[str, dict[str, float]]:
    """Measure each way to run the same rounds several times, alternately, and return its best figures.

    The best figures are those with the fewest processor seconds.
    """
    ways = {
        "plain": plain,
        "one worker": lambda: by_workers("--jobs", "1"),
        "two workers": lambda: by_workers("--jobs", "2"),
    }
    turns = [{name: way() for name, way in ways.items()} for _ in range(TURNS)]
    least = {name: min((t[name] for t in turns), key=lambda one: one["processor_seconds"]) for name in ways}
    assert len({one["cases"] for one in least.values()}) == 1
    return least


@contextmanager
def cluster() -> Iterator[str]:
    """Start a scheduler and two workers on this machine, and yield the path of the scheduler's file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        module = [sys.executable, "-m"]
        options = ["--scheduler-file", str(file), "--no-dashboard"]
        scheduler = ["distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *options]
        processes = [subprocess.Popen([*module, *scheduler], **quiet)]
        while not file.exists():
            time.sleep(0.1)
        worker = ["distributed.cli.dask_worker", "--nthreads", "1", *options]
        processes += [subprocess.Popen([*module, *worker], **quiet) for _ in range(2)]
        try:
            yield str(file)
        finally:
            for process in processes[::-1]:
                process.terminate()
                process.wait()


def chunk_overhead() -> float:
    """Return Dask's overhead per task, in seconds.

    Two workers run 1,000 tasks that do nothing, and the elapsed time is divided by 1,000.
    """
    from distributed import Client

    with cluster() as file:
        client: Any = Client(scheduler_file=file)  # type: ignore[no-untyped-call]
        client.wait_for_workers(2)
        client.gather([client.submit(bytes, pure=False) for _ in range(50)])
        begun = time.perf_counter()
        client.gather([client.submit(bytes, pure=False) for _ in range(1000)])
        seconds = time.perf_counter() - begun
        client.close()
    return seconds / 1000


def main() -> None:
    """Run the benchmark, and write the figures."""
    os.environ["OMP_NUM_THREADS"] = "1"
    results = {
        "date": date.today().isoformat(),
        "device": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "claims": CLAIMS,
        "rounds": ROUNDS,
        "turns": TURNS,
        **in_turns(),
        "ledger": ledger(),
        "seconds_a_task": chunk_overhead(),
    }
    print(json.dumps(results, indent=1))
    write(results, argument(1))


if __name__ == "__main__":
    main()
