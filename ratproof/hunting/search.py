"""The search for counterexamples, in which workers run numbered rounds of random cases of all targets.

The search ends when all rounds are done or the time limit is reached.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from automata.aliases import JsonObject
from automata.errors import InputError
from ratproof.evidence.counterexample import Counterexample
from ratproof.hunting.crew import Chunk, Crew
from ratproof.hunting.progress import HuntProgress
from ratproof.hunting.rounds import Round, RoundRow, first_message_from, rows_from, seed_of
from ratproof.hunting.store import HuntLedger, Store
from ratproof.hunting.targets import require_known
from ratproof.jobs.installation import difference, fingerprint
from ratproof.jobs.local_executor import LocalExecutor
from ratproof.ladder.counterexample_files import as_kept, keep, read, run_again
from ratproof.process.time_limits import at_most
from theory.registry import claim_named

KILLS = 3
"""A round is abandoned after its worker died this many times while the round ran alone."""
REPLAY = 300.0
"""Time limit in seconds for the replay of a worker's counterexample. It usually takes less than a second."""
MOST = 256
"""Maximum number of rounds that are submitted together, as a chunk."""


@dataclass(frozen=True)
class Hunt:
    """The settings of a hunt.

    Attributes:
        names: Names of claims; empty for all claims.
        seed: Seed of the random numbers.
        variant: The variant to hunt, regardless of its expected verdict. Defaults to all variants that are
            expected to hold.
        device: Device of the networks.
        rounds: Number of rounds of each target; ``None`` if only the time is limited.
        minutes: Time limit in minutes.
        folder: The folder to which counterexamples are written if there is no ledger.
    """

    names: tuple[str, ...]
    seed: int
    variant: str | None = None
    device: str = "cpu"
    rounds: int | None = None
    minutes: float = math.inf
    folder: Path = Path(".ratproof/counterexamples")

    @property
    def arguments(self) -> tuple[object, ...]:
        """Return the arguments of :func:`ratproof.hunting.worker.work`, except the pipe."""
        return self.names, self.variant, self.device, self.seed

    def about(self) -> JsonObject:
        """Return the properties that all rounds of a ledger share: installation, variant and device."""
        return {"installation": fingerprint(), "variant": self.variant, "device": self.device}


def hunt(
    what: Hunt,
    jobs: int,
    store: Store | None = None,
    on_progress: Callable[[HuntProgress], None] = lambda progress: None,
    crew: Crew | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> HuntProgress:
    """Search for counterexamples.

    Args:
        what: The settings.
        jobs: Number of local processes, if ``crew`` is not passed.
        store: The ledger that stores the results. If it is omitted, the search of a target ends at its first
            counterexample.
        on_progress: A function that is called with the progress a few times per second.
        crew: The workers. Defaults to local processes.
        stop: A function that returns whether to stop now. Results that were received are stored first.

    Raises:
        InputError: If a claim or variant is unknown, or a worker runs a different installation.
    """
    require_known(what.names, what.variant)
    if store is None:
        try:
            what.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{what.folder}: the folder for counterexamples cannot be created: {error.strerror}"
            ) from None
    workers = crew or Crew(LocalExecutor(jobs), what.arguments, seconds_a_chunk=1.0)
    driver = Driver(what, Store() if store is None else store, HuntProgress(what.seed, jobs))
    try:
        driver.run(workers, on_progress, stop)
    except KeyboardInterrupt:
        driver.progress.interrupted = True
    finally:
        workers.close()
    p = driver.progress
    if not (p.interrupted or any(p.cases.values()) or p.errors or p.incomplete or p.resumed):
        p.nothing_compared = True
    p.without_cases = sorted(target for target, compares in driver.compares.items() if not compares)
    return p


class Driver:
    """The driver of a hunt, which distributes the rounds to the workers and stores their results.

    Args:
        what: The settings of the hunt.
        store: The storage of the results.
        progress: The progress, which the driver updates.
    """

    def __init__(self, what: Hunt, store: Store, progress: HuntProgress) -> None:
        self.what, self.store, self.progress = what, store, progress
        self.ends = time.monotonic() + 60 * what.minutes
        self.targets: list[str] = []
        self.fallen: set[str] = set()
        self.compares: dict[str, bool] = {}
        """Whether a round of a target compared a case; only targets with finished rounds."""
        self.next: Iterator[Round] = iter(())
        self.alone: deque[Round] = deque()
        self.out: dict[int, Chunk] = {}
        self.kills: dict[Round, int] = {}
        self.spent = 0.0
        self.rounds_done = 0

    @property
    def is_kept(self) -> bool:
        """Return whether the hunt writes to a ledger."""
        return isinstance(self.store, HuntLedger)

    def run(self, crew: Crew, on_progress: Callable[[HuntProgress], None], stop: Callable[[], bool]) -> None:
        """Run until all rounds are done or the time limit is reached."""
        while True:
            for chunk, message in crew.ready(0.25):
                self._take(chunk, message)
            self.progress.notes, self.progress.jobs = crew.notes, crew.jobs
            on_progress(self.progress)
            if stop():
                self.progress.interrupted = True
                return
            if time.monotonic() > self.ends:
                return
            if not self.targets:
                if self.progress.errors:
                    return
                continue
            # if nothing runs, submit a chunk even while the scheduler is lost, because rounds remain to be
            # done
            while (not self.out or crew.free_slots() > 0) and (chunk := self._chunk(crew.seconds_a_chunk)):
                self.out[id(chunk)] = chunk
                crew.submit(chunk)
            if not self.out:
                return

    def _chunk(self, seconds: float) -> Chunk:
        """Return the next rounds to submit together. A round is submitted alone after its worker died."""
        if self.alone:
            return [self.alone.popleft()]
        size = max(1, min(MOST, int(seconds * self.rounds_done / self.spent))) if self.spent else 1
        if self.what.rounds is not None:
            size = min(size, max(1, math.ceil(self._left() / (4 * self.progress.jobs))))
        chunk: Chunk = []
        for one in self.next:
            if one.target in self.fallen and not self.is_kept:
                if len(self.fallen) == len(self.targets):
                    break
                continue
            chunk.append(one)
            if len(chunk) == size:
                break
        return chunk

    def _left(self) -> int:
        return (self.progress.asked_for or 0) - self.progress.rounds - self.progress.resumed

    def _take(self, chunk: Chunk | None, message: bytes | None) -> None:
        if chunk is None:
            self._receive_first_message(message or b"")
            return
        if self.out.pop(id(chunk), None) is None:
            return  # its message was already processed
        if message is None:
            self._died(chunk)
            return
        self._require_same(message)
        # validate all rows before storing any of them
        for row, example in [(row, self._confirmed(row)) for row in rows_from(message, chunk)]:
            self._add(row, example)

    def _receive_first_message(self, message: bytes) -> None:
        """Process the first message of a worker; the first worker determines the targets of the hunt."""
        words = first_message_from(message)
        if "error" in words:
            if words["error"] not in self.progress.errors:
                self.progress.errors.append(words["error"])
            return
        self._require_same(message)
        if self.targets:
            return
        self.targets = words["targets"]
        p = self.progress
        if self.what.rounds is not None:
            self.store.plan(self.what.seed, self.targets, self.what.rounds)
            p.asked_for = self.what.rounds * len(self.targets)
        done = self.store.done(self.what.seed)
        self.next = self._numbered(done)
        if self.what.rounds is not None:
            p.resumed = sum(one.number < self.what.rounds and one.target in self.targets for one in done)
        compared = self.store.compared(self.what.seed)
        self.compares = {
            target: target in compared for target in {one.target for one in done}.intersection(self.targets)
        }
        self._recall(frozenset(self.targets))

    def _recall(self, targets: frozenset[str]) -> None:
        """Add the counterexamples and errors that earlier runs stored in the ledger to the progress.

        Each counterexample is replayed first.
        """
        for one, path, why in self.store.findings(self.what.seed):
            if one.target not in targets or not (self.what.rounds is None or one.number < self.what.rounds):
                continue
            if path is None:
                self.progress.errors.append(f"{one.target}, round {one.number}: {why}")
                continue
            again = run_again(read(path), str(path))
            if again.compared.difference is None:
                self.progress.errors.append(f"{one.target}, round {one.number}: {path} no longer differs")
                continue
            self._find(again.counterexample(), path)

    def _find(self, example: Counterexample, path: Path) -> None:
        """Record a counterexample if its claim, variant and way of comparing have no simpler one yet."""
        key = (example.claim, example.variant, example.comparison["way"])
        if key not in self.progress.finds or example.simplicity < self.progress.finds[key][0].simplicity:
            self.progress.finds[key] = (example, path)

    def _numbered(self, done: set[Round]) -> Iterator[Round]:
        number = 0
        while self.what.rounds is None or number < self.what.rounds:
            for target in self.targets:
                one = Round(target, number)
                if one not in done:
                    yield one
            number += 1

    def _require_same(self, message: bytes) -> None:
        """Raise :class:`~automata.errors.InputError` if a worker runs a different installation."""
        try:
            other = json.loads(message)["installation"]
            why = difference(fingerprint(), dict(other))
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError("the first message of a worker must contain its installation") from None
        if why is not None:
            raise InputError(
                "a worker runs a different installation, with different random examples:"
                f" {why}; the results of that worker were not used"
            )

    def _died(self, chunk: Chunk) -> None:
        """Schedule each round of a dead worker's chunk to run alone.

        A round that ran alone is abandoned after its worker died ``KILLS`` times.
        """
        if len(chunk) > 1:
            self.alone.extend(chunk)
            return
        (one,) = chunk
        self.kills[one] = self.kills.get(one, 0) + 1
        if self.kills[one] < KILLS:
            self.alone.append(one)
            return
        why = f"its worker ended {KILLS} times"
        self.store.give_up(self.what.seed, one, why)
        self.progress.incomplete.append(one)
        self.fallen.add(one.target)

    def _add(self, row: RoundRow, example: Counterexample | None) -> None:
        p = self.progress
        path = None if example is None else self._kept(row, example)
        self.store.add(self.what.seed, row, path)
        p.rounds += 1
        p.cases[row.way] += row.cases
        self.compares[row.target] = self.compares.get(row.target, False) or row.cases > 0
        p.seconds[row.way] += row.seconds
        p.corners.update(row.corners)
        self.spent += row.seconds
        self.rounds_done += 1
        if row.verdict == "error":
            self.fallen.add(row.target)
            p.errors.append(f"{row.target}, round {row.number}: {row.why}")

    def _confirmed(self, row: RoundRow) -> Counterexample | None:
        """Return the counterexample of a row, or None if it has none.

        The counterexample is replayed here, because workers are not trusted.

        Raises:
            InputError: If the replay finds no difference, or the variant is not a target of this hunt.
        """
        if row.counterexample is None:
            return None
        where = f"the counterexample of {row.target}, round {row.number}"
        too_long = f"{where}: a replay must take at most {REPLAY:g} s"
        with at_most(REPLAY, InputError(too_long)):
            again = run_again(row.counterexample, where)
        claim, variant = again.comparison.claim, again.comparison.variant
        holds = claim_named(claim).variant(variant).expected == "holds"
        if not (holds if self.what.variant is None else variant == self.what.variant):
            raise InputError(
                f"{where}: the counterexample is about {claim}, {variant}, which is not a target of this hunt"
            )
        if again.compared.difference is None:
            raise InputError(
                f"{where}: the counterexample must be reproducible, but a replay found no difference"
            )
        return again.counterexample()

    def _kept(self, row: RoundRow, example: Counterexample) -> Path | None:
        """Write the counterexample of a row to a file, and return this file if it belongs to the ledger.

        Without a ledger, the file is only written if it is the simplest counterexample so far.
        """
        self.fallen.add(row.target)
        seed = seed_of(self.what.seed, row.round)
        path = self.store.keep(as_kept(example, seed, row.test))
        shown = path
        if shown is None:
            way = example.comparison["way"]
            there = self.progress.finds.get((example.claim, example.variant, way))
            if there is not None and there[0].simplicity <= example.simplicity:
                return None
            shown = keep(example, self.what.folder, seed, row.test, kind=f"hunted-{way}")
        self._find(example, shown)
        return path
