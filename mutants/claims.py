"""The command line of ``nox -s mutants -- claims``, which tests the claims with planted faults.

It resumes after an interruption. ``.mutants/claims.jsonl`` contains the finished rows, with a digest of the
sources and the faults. ``--keep`` writes the matrix that the page "What each check catches" and the tests
read.
"""

import hashlib
import json
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from mutants import audit
from mutants.arguments import Parser, at_least
from mutants.faults import TextFault, text_faults
from ratproof.ladder.last_run import digest
from theory.registry import claims

ROOT = Path(__file__).resolve().parent.parent
SESSION = ROOT / ".mutants" / "claims.jsonl"
MATRIX = Path(__file__).with_name("matrix.json")
EVERY = 30
"""Seconds between two progress lines."""


def main(arguments: list[str] | None = None) -> int:
    """Run the remaining faults, and return 1 if no kind of evidence detects one of them."""
    parser = Parser(
        prog="nox -s mutants -- claims",
        description="Plant faults in each claim, and report which kinds of evidence detect them.",
    )
    parser.add_argument("names", nargs="*", metavar="CLAIM", help="claims (default: all)")
    parser.add_argument("--jobs", type=at_least(1), default=os.cpu_count() or 1, help="number of processes")
    parser.add_argument("--fresh", action="store_true", help="discard previous runs")
    parser.add_argument("--again", action="store_true", help="rerun faults that no kind of evidence detected")
    parser.add_argument(
        "--any-sources", action="store_true", help="continue although the sources have changed"
    )
    parser.add_argument(
        "--report", action="store_true", help="run nothing; show the faults that no kind of evidence detects"
    )
    parser.add_argument("--keep", action="store_true", help="write the matrix to mutants/matrix.json")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in claims()]
    if unknown:
        parser.error(f"there is no claim {unknown[0]}")
    if options.fresh:
        SESSION.unlink(missing_ok=True)
    sources = _digest()
    done = read(None if options.any_sources else sources)
    if options.again:
        done = {
            key: row for key, row in done.items() if row.seen_by or row.says in (audit.NOTHING, audit.ALL)
        }
    names = options.names or list(claims())
    if not options.report:
        run(names, done, sources, options.jobs)
    rows = [row for row in done.values() if row.claim in names and row.says != audit.ALL]
    unseen = [row for row in rows if row.says != audit.NOTHING and not row.seen_by]
    broken = [row for row in rows if row.says == audit.NOTHING and row.seen_by]
    for row in broken:
        print(f"does not hold without a fault: {row.claim}, {row.variant}: {', '.join(row.seen_by)}")
    for row in unseen:
        print(f"not detected: {row.claim}, {row.variant}, {row.part}: {row.says} ({_shown(row)})")
    print(f"{len(rows)} rows; {len(unseen)} faults are not detected")
    if options.keep:
        keep(rows)
    return 1 if unseen or broken else 0


def _digest() -> str:
    """Return a hash of everything on which the rows depend: the sources and the faults."""
    files = sorted(file for suffix in ("py", "toml") for file in Path(__file__).parent.glob(f"*.{suffix}"))
    return hashlib.sha256(digest().sources.encode() + b"".join(map(Path.read_bytes, files))).hexdigest()


def read(sources: str | None) -> dict[str, audit.AuditRow]:
    """Return the rows of the session by key, except rows of a different version of the sources."""
    if not SESSION.exists():
        return {}
    lines = [
        json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines() if line.endswith("}")
    ]
    rows = [audit.AuditRow(**line["row"]) for line in lines if sources in (None, line["sources"])]
    return {row.key: row for row in rows}


def keep(rows: list[audit.AuditRow]) -> None:
    """Write the matrix, one row per line, without changing the rows of claims that did not run."""
    before = json.loads(MATRIX.read_text(encoding="utf-8"))["rows"] if MATRIX.exists() else []
    ran = {row.claim for row in rows}
    order = {name: i for i, name in enumerate(claims())}
    every = [r for r in before if r["claim"] not in ran and r["claim"] in order] + [r.to_json() for r in rows]
    every.sort(key=lambda r: order[r["claim"]])
    lines = ",\n".join(json.dumps(row) for row in every)
    MATRIX.write_text(f'{{"rows": [\n{lines}\n]}}\n', encoding="utf-8")


def run(names: list[str], done: dict[str, audit.AuditRow], sources: str, jobs: int) -> None:
    """Run the unfinished faults of these claims, and add their rows to ``done`` and to the session."""
    SESSION.parent.mkdir(exist_ok=True)
    print("compiling Coq's development, unless it is there", flush=True)
    audit.make_ready()
    context = multiprocessing.get_context("fork")
    results: Any = context.Queue()
    texts = [fault for fault in text_faults() if set(fault.claims) & set(names)]
    units: list[tuple[Any, tuple[Any, ...]]] = [(work, (name, list(done), results)) for name in names]
    units += [(work_on_text, (fault, names, list(done), results)) for fault in texts]
    running: list[Any] = []
    start_time = shown = time.monotonic()
    ended, count = 0, 0
    total = len(units)
    try:
        with SESSION.open("a", encoding="utf-8") as session:
            while units or running or not results.empty():
                while units and len(running) < jobs:
                    function, arguments = units.pop(0)
                    running.append(context.Process(target=function, args=arguments))
                    running[-1].start()
                try:
                    row, seconds = results.get(timeout=0.5)
                    done[row.key] = row
                    line = {"sources": sources, "seconds": seconds, "row": row.to_json()}
                    session.write(json.dumps(line) + "\n")
                    session.flush()
                    count += 1
                except queue.Empty:
                    ended += sum(not p.is_alive() for p in running)
                    running = [p for p in running if p.is_alive()]
                if time.monotonic() - shown > EVERY:
                    shown = time.monotonic()
                    left = (total - ended) * (shown - start_time) / max(ended, 1) / 60
                    last = f"; last {row.key}: {_shown(row)}" if count else ""
                    print(f"{ended} of {total} done, {count} rows, {left:.0f} min left{last}", flush=True)
    finally:
        for process in running:
            process.kill()


def work(name: str, done: list[str], results: Any) -> None:
    """Run the faults of a claim that are not in ``done``, and put their rows and times into ``results``.

    This function runs in a separate process.
    """
    keys = [key for key in audit.planned(name) if key not in done]
    start_time = time.monotonic()
    with audit.up_to_the_first_refutation():
        for row in audit.rows(name, keys):
            results.put((row, round(time.monotonic() - start_time, 1)))
            start_time = time.monotonic()


def work_on_text(fault: TextFault, names: list[str], done: list[str], results: Any) -> None:
    """Run a text fault; this function runs in a separate process, which imports the faulty source."""
    program = [sys.executable, "-m", "mutants.planted", fault.says, *[n for n in fault.claims if n in names]]
    keys = {f"{row} | {fault.part} | {fault.says}" for row in fault.claims}
    if keys <= {" | ".join(key.split(" | ", 3)[i] for i in (0, 2, 3)) for key in done}:
        return
    process = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    if process.returncode:
        print(f"{fault.says}: {process.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    for line in process.stdout.splitlines():
        if line.startswith("{"):
            results.put((audit.AuditRow(**json.loads(line)), None))


def _shown(row: audit.AuditRow) -> str:
    return ", ".join(f"{rung} {verdict}" for rung, verdict in row.rungs.items())


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted: run the same command to continue", file=sys.stderr)
        sys.exit(130)
