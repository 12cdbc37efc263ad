"""The command line of ``nox -s mutants``."""

import argparse
import queue
import signal
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from mutants import session as sessions
from mutants.arguments import Parser, at_least
from mutants.import_graph import ROOMS, ImportGraph, own_folders, test_files
from mutants.session import Mutant, MutantSession
from mutants.trial import COLLECTING, LIMIT, TrialOutcome, collects, copy_of, digest, mutated, run, stop_all

ROOT = Path(__file__).resolve().parent.parent
FULL = 100
"""The number of Hypothesis examples in the third pass, as in a normal test run. This pass also shrinks."""
NEAREST = 8
"""The number of test files in the first pass, which kills most mutants."""


def main(arguments: list[str] | None = None) -> int:
    """Create or load a session, run its remaining mutants, and return 1 if a mutant survives."""
    parser = _parser()
    options = parser.parse_args(arguments)
    rooms = options.rooms or list(ROOMS)
    path = Path(options.session or ROOT / ".mutants" / f"{'-'.join(rooms)}-{options.seed}.json")
    try:
        session = MutantSession.read(path, options.seed)
    except (OSError, ValueError, KeyError, TypeError) as error:
        parser.error(f"--session {path}: the file must be a session of this program ({type(error).__name__})")
    if not options.report:
        stale = sessions.stale(ROOT, rooms)
        for room, where, before, after in stale:
            print(
                f"{sessions.EQUIVALENT}: in {room}, {where}, no mutation changes {before!r} to {after!r} any"
                " more"
            )
        if stale:
            return 2
        session.draw(ROOT, rooms, options.sample)
        session.write()
        if options.again:
            for mutant in session.mutants:
                if mutant.outcome == "survived":
                    mutant.passes = {}
        MutantRunner(session, rooms, options).run()
    known = sessions.equivalent(ROOT)
    survivors = [m for m in session.mutants if m.outcome == "survived" and m.key not in known]
    for mutant in survivors:
        print(f"\nsurvived ({', '.join(mutant.passes)}): in {mutant.definition or 'the module'}")
        print(mutant.diff, end="")
    summary(session, rooms, known)
    return 1 if survivors else 0


def room(text: str) -> str:
    """Validate the name of a top-level package, and return it."""
    if text not in ROOMS:
        raise argparse.ArgumentTypeError(f"the package must be one of {', '.join(ROOMS)}, got {text!r}")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="nox -s mutants --", description="Change the code in one position at a time.")
    parser.add_argument(
        "rooms", nargs="*", type=room, help=f"packages among {', '.join(ROOMS)} (default: all)"
    )
    parser.add_argument("--seed", type=at_least(0), default=0)
    parser.add_argument("--sample", type=at_least(1), default=20, help="total number of mutants (default 20)")
    parser.add_argument("--jobs", type=at_least(1), default=1, help="number of parallel runs (default 1)")
    parser.add_argument(
        "--examples",
        type=at_least(1),
        default=25,
        help="Hypothesis examples, except in the third pass (default 25)",
    )
    parser.add_argument(
        "--passes",
        type=int,
        default=4,
        choices=(1, 2, 3, 4),
        help="the last pass: 1: the nearest of the package's own tests; 2: all of them; 3: all of them with"
        " as many Hypothesis examples as in a normal run; 4: all other tests (default)",
    )
    parser.add_argument("--again", action="store_true", help="run the session's survivors again")
    parser.add_argument("--report", action="store_true", help="show the session without running it")
    parser.add_argument("--session", help="the session's file (default .mutants/ROOMS-SEED.json)")
    parser.add_argument("--python", default=sys.executable, help="the Python that runs the tests")
    return parser


class MutantRunner:
    """A runner of the test passes; each pass tests the mutants that survived the previous pass."""

    def __init__(self, session: MutantSession, rooms: list[str], options: argparse.Namespace) -> None:
        self.session, self.options = session, options
        self.imports, self.tests = ImportGraph(ROOT), test_files(ROOT)
        folders = {
            room: tuple(f if f.endswith(".py") else f"{f}/" for f in own_folders(ROOT, room))
            for room in rooms
        }
        self.own = {room: [t for t in self.tests if t.startswith(below)] for room, below in folders.items()}
        known = sessions.equivalent(ROOT)
        self.mutants = [m for m in session.mutants if m.room in rooms and m.key not in known]
        self.lock = threading.Lock()
        self.collected: set[tuple[str, ...]] = set()

    def run(self) -> None:
        """Run all passes in parallel jobs, each in its own copy of the tree."""
        quick = self.options.examples
        passes = [("nearest", quick), ("own", quick), ("own", FULL), ("rest", quick)]
        passes = passes[: self.options.passes]
        with ExitStack() as stack:
            trees: queue.Queue[Path] = queue.Queue()
            for _ in range(self.options.jobs):
                trees.put(stack.enter_context(copy_of(ROOT)))
            self.session.fit(digest(trees.queue[0]))
            for scope, examples in passes:
                self._pass(scope, examples, trees)

    def _pass(self, scope: str, examples: int, trees: queue.Queue[Path]) -> None:
        name = _name(scope, examples)
        left = [m for m in self.mutants if m.outcome in (None, "survived") and name not in m.passes]
        begun, done = time.monotonic(), 0

        def one(mutant: Mutant) -> None:
            nonlocal done
            tree, start_time = trees.get(), time.monotonic()
            try:
                outcome = self._trial(mutant, scope, examples, tree)
            finally:
                trees.put(tree)
            with self.lock:
                done += 1
                minutes = (len(left) - done) * (time.monotonic() - begun) / done / 60
                print(
                    f"{name}: {done} of {len(left)}, {minutes:.0f} min left; {mutant.file}:{mutant.line}"
                    f" {outcome} ({time.monotonic() - start_time:.0f} s)",
                    flush=True,
                )

        with ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                for _ in pool.map(one, left):
                    pass
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                stop_all()
                raise

    def _trial(self, mutant: Mutant, scope: str, examples: int, tree: Path) -> str:
        """Run the tests of one pass on one mutant; record the outcome in the session and return its text."""
        source = (tree / mutant.file).read_text() if (tree / mutant.file).exists() else ""
        changes = sessions.located(source, mutant.definition, mutant.before, mutant.after)
        change = min(changes, key=lambda c: abs(c.line - mutant.line), default=None)
        if change is None:
            return "omitted: the code has changed"
        own = self.own[mutant.room]
        files = [t for t in self.tests if t not in own] if scope == "rest" else own
        files = self.imports.ordered(mutant.file, files)[: NEAREST if scope == "nearest" else None]
        while True:
            with mutated(tree / mutant.file, change.text):
                result = self._run(tree, files, examples, Path(mutant.file).stem)
            if result.outcome == "survived":
                break
            if result.by == COLLECTING:
                self._require_collected(tree, files)
            if self._passes_unmutated(tree, result.by, examples):
                break
        with self.lock:
            mutant.passes[_name(scope, examples)] = {"outcome": result.outcome, "by": result.by}
            if result.outcome == "survived":
                self.session.clean.setdefault(str(examples), {}).update(result.seconds)
            self.session.write()
        return result.outcome + (f" by {result.by}" if result.by else "")

    def _require_collected(self, tree: Path, files: list[str]) -> None:
        """Raise RuntimeError if pytest cannot collect the unmutated tests.

        Otherwise all mutants would count as killed.
        """
        if tuple(files) not in self.collected and not collects(tree, self.options.python, files):
            raise RuntimeError(f"the tests cannot be collected even without a mutant: {' '.join(files)}")
        self.collected.add(tuple(files))

    def _run(self, tree: Path, tests: list[str], examples: int, name: str) -> TrialOutcome:
        with self.lock:
            clean = dict(self.session.clean.get(str(examples), {}))
        return run(tree, self.options.python, tests, examples, examples >= FULL, clean, name)

    def _passes_unmutated(self, tree: Path, test: str | None, examples: int) -> bool:
        """Return whether a test that failed with a mutant passes without the mutant.

        If it does not, exclude the test from further runs.
        """
        if test is None or "::" not in test:  # the tests could not even be collected
            return True
        with self.lock:
            clean = self.session.clean.setdefault(str(examples), {})
        if test not in clean:
            result = self._run(tree, [test], examples, test)
            with self.lock:
                clean[test] = result.seconds.get(test, LIMIT) if result.outcome == "survived" else None
                self.session.write()
            if clean[test] is None:
                print(f"fails unmutated, and is omitted: {test}", flush=True)
        return clean[test] is not None


def _name(scope: str, examples: int) -> str:
    return f"{scope} tests, {examples} examples"


def summary(session: MutantSession, rooms: list[str], known: dict[tuple[str, str, str, str], str]) -> None:
    """Print a line for each top-level package with the numbers of killed and surviving mutants."""
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
        return f"killed by {'other' if next(reversed(mutant.passes)).startswith('rest') else 'its own'} tests"
    return mutant.outcome or "not run"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("interrupted: run the same command to continue", file=sys.stderr)
        sys.exit(130)
