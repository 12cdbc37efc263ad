"""The command line of ``nox -s mutants``."""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from mutants import session as sessions
from mutants.session import Mutant, Session
from mutants.sight import ROOMS, Sight, own_folders, test_files
from mutants.trial import Outcome, copy_of, mutated, run

ROOT = Path(__file__).resolve().parent.parent
FULL = 100
"""Hypothesis's examples in the second pass: as many as in any run of the tests. It shrinks, too."""


def main(arguments: list[str] | None = None) -> int:
    """Draw or read a session, run what is open in it, and say what survived; status 1 where something did."""
    options = _parser().parse_args(arguments)
    rooms = options.rooms or list(ROOMS)
    path = Path(options.session or ROOT / ".mutants" / f"{'-'.join(rooms)}-{options.seed}.json")
    session = Session.read(path, options.seed)
    if not options.report:
        stale = sessions.stale(ROOT, rooms)
        for room, where, before, after in stale:
            print(
                f"{sessions.EQUIVALENT}: in {room}, {where}, nothing changes {before!r} to {after!r} any more"
            )
        if stale:
            return 2
        session.draw(ROOT, rooms, options.sample)
        session.write()
        if options.again:
            for mutant in session.mutants:
                if mutant.outcome == "survived":
                    mutant.passes = {}
        Runner(session, rooms, options).run()
    known = sessions.equivalent(ROOT)
    survivors = [m for m in session.mutants if m.outcome == "survived" and m.key not in known]
    for mutant in survivors:
        print(f"\nsurvived ({', '.join(mutant.passes)}): in {mutant.definition or 'the module'}")
        print(mutant.diff, end="")
    summary(session, rooms, known)
    return 1 if survivors else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nox -s mutants --", description="Breaks one place of the code at a time."
    )
    parser.add_argument("rooms", nargs="*", help=f"of {', '.join(ROOMS)}; all without it")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--sample", type=int, default=20, help="how many mutants, over all rooms (default 20)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time (default 1)")
    parser.add_argument("--examples", type=int, default=25, help="Hypothesis's, on a first pass (default 25)")
    parser.add_argument("--own", action="store_true", help="the room's own tests alone")
    parser.add_argument("--again", action="store_true", help="run the session's survivors once more")
    parser.add_argument("--report", action="store_true", help="show the session, and run nothing")
    parser.add_argument("--session", help="the session's file (default .mutants/ROOMS-SEED.json)")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the tests")
    return parser


class Runner:
    """Runs each open mutant through the passes until one kills it."""

    def __init__(self, session: Session, rooms: list[str], options: argparse.Namespace) -> None:
        self.session, self.options = session, options
        self.sight, self.tests = Sight(ROOT), test_files(ROOT)
        folders = {room: tuple(f"{f}/" for f in own_folders(ROOT, room)) for room in rooms}
        self.own = {room: [t for t in self.tests if t.startswith(below)] for room, below in folders.items()}
        quick = options.examples
        self.passes = [("own", quick), ("own", FULL)] + ([] if options.own else [("rest", quick)])
        known = sessions.equivalent(ROOT)
        self.open = [
            m for m in session.mutants if m.room in rooms and m.key not in known and self._pending(m)
        ]
        self.lock = threading.Lock()
        self.begun, self.done = time.monotonic(), 0

    def run(self) -> None:
        """All open mutants, some at a time, each job in its own copy of the tree."""
        with ExitStack() as stack:
            trees: queue.Queue[Path] = queue.Queue()
            for _ in range(self.options.jobs):
                trees.put(stack.enter_context(copy_of(ROOT)))

            def one(mutant: Mutant) -> None:
                tree = trees.get()
                try:
                    self._trial(mutant, tree)
                finally:
                    trees.put(tree)

            with ThreadPoolExecutor(self.options.jobs) as pool:
                try:
                    for _ in pool.map(one, self.open):
                        pass
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise

    def _pending(self, mutant: Mutant) -> list[tuple[str, int]]:
        if mutant.outcome in ("killed", "timed out"):
            return []
        return [p for p in self.passes if _name(*p) not in mutant.passes]

    def _trial(self, mutant: Mutant, tree: Path) -> None:
        begun = time.monotonic()
        source = (tree / mutant.file).read_text() if (tree / mutant.file).exists() else ""
        found = sessions.located(source, mutant.definition, mutant.before, mutant.after)
        change = min(found, key=lambda c: abs(c.line - mutant.line), default=None)
        if change is None:
            print(f"{mutant.file}:{mutant.line} has changed since the session began: left out", flush=True)
            return
        for scope, examples in self._pending(mutant):
            own = self.own[mutant.room]
            files = own if scope == "own" else [t for t in self.tests if t not in own]
            files = self.sight.ordered(mutant.file, files)
            clean = self._clean(tree, files, examples)
            skipped = [test for test, seconds in clean.items() if seconds is None]
            times = {test: seconds for test, seconds in clean.items() if seconds is not None}
            with mutated(tree / mutant.file, change.text):
                result = self._run(tree, files, examples, times, skipped, stop=True)
            with self.lock:
                mutant.passes[_name(scope, examples)] = {"outcome": result.outcome, "by": result.by}
                self.session.write()
            if result.outcome != "survived":
                break
        self._say(mutant, time.monotonic() - begun)

    def _run(self, tree: Path, files: list[str], examples: int, *rest: Any, stop: bool) -> Outcome:
        return run(tree, self.options.python, files, examples, examples >= FULL, *rest, stop=stop)

    def _clean(self, tree: Path, files: list[str], examples: int) -> dict[str, float | None]:
        """The seconds of each test of these files without a mutant, measured once; none where it fails."""
        with self.lock:
            times = self.session.clean.setdefault(str(examples), {})
            if missing := [f for f in files if f not in times]:
                print(
                    f"running {len(missing)} files of tests unmutated, with {examples} examples", flush=True
                )
                result = self._run(tree, missing, examples, {}, [], stop=False)
                for file in missing:
                    times[file] = {t: s for t, s in result.seconds.items() if t.split("::")[0] == file}
                for test in result.failed:
                    print(f"fails unmutated, and is left out: {test}", flush=True)
                    times[test.split("::")[0]][test] = None
                self.session.write()
            return {test: seconds for file in files for test, seconds in times[file].items()}

    def _say(self, mutant: Mutant, seconds: float) -> None:
        with self.lock:
            self.done += 1
            left = (len(self.open) - self.done) * (time.monotonic() - self.begun) / self.done / 60
            last = next(reversed(mutant.passes.items()))
            by = f" by {last[1]['by']}" if last[1]["by"] else ""
            print(
                f"[{self.done}/{len(self.open)}, {left:.0f} min left] {mutant.file}:{mutant.line}:"
                f" {mutant.outcome}{by} ({last[0]}, {seconds:.0f} s)",
                flush=True,
            )


def _name(scope: str, examples: int) -> str:
    return f"{scope} tests, {examples} examples"


def summary(session: Session, rooms: list[str], known: dict[tuple[str, str, str, str], str]) -> None:
    """A line for each room: how many were killed, by its own tests or by the rest, and how many were not."""
    print(f"\nseed {session.seed}")
    for room in rooms:
        counts: Counter[str] = Counter()
        for mutant in session.mutants:
            if mutant.room == room:
                counts[_verdict(mutant, known)] += 1
        print(f"{room:10}" + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))


def _verdict(mutant: Mutant, known: dict[tuple[str, str, str, str], str]) -> str:
    if mutant.key in known:
        return "equivalent"
    if mutant.outcome == "killed":
        return (
            f"killed by {'its own' if next(reversed(mutant.passes)).startswith('own') else 'the other'} tests"
        )
    return mutant.outcome or "not run"


if __name__ == "__main__":
    sys.exit(main())
