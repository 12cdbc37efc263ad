"""A search for counterexamples without end: the evidence that draws cases, scores and gradients, again and
again with fresh seeds, on all cores.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, cast

import pytest
from _pytest.runner import runtestprotocol

from automata.corners import CORNERS, corners
from automata.errors import InputError
from ratproof.process.orphans import run_with
from ratproof.record.counterexample import Counterexample
from ratproof.record.results import Observation
from ratproof.runner.counterexample_files import keep
from ratproof.runner.evidence import MARKER, Mark
from ratproof.runner.ladder import Step
from ratproof.runner.plugin import SEARCH, Search
from ratproof.runner.request import Request
from ratproof.runner.verification import pytest_arguments, pytest_environment
from ratproof.runner.watch import last_line
from theory.claim import GRADIENT, Variant
from theory.registry import claim_named, claims

EXAMPLES_A_ROUND = 50
DRAWN = ("sampled", GRADIENT)
"""The kinds of evidence that draw cases."""
LOOK_EVERY = 16  # comparisons: how often the corners are looked at


@dataclass(frozen=True)
class Message:
    """What a worker tells: what it compared since it last did, and what it found."""

    job: int
    cases: Counter[str]  # by way of comparing: exact, network, gradient, other
    seconds: Counter[str]
    corners: frozenset[str]
    found: tuple[Counterexample, int, str] | None = None
    error: str = ""
    stopped: bool = False


@dataclass
class HuntProgress:
    """All that was told so far; of what was found, the simplest for each claim, variant and way of
    comparing.
    """

    seed: int
    jobs: int
    started: float = field(default_factory=time.monotonic)
    cases: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    corners: set[str] = field(default_factory=set)
    finds: dict[tuple[str, str, str], tuple[Counterexample, Path]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    stopped: int = 0
    interrupted: bool = False

    def rate(self, way: str) -> float:
        """Cases a second and core."""
        return self.cases[way] / self.seconds[way] if self.seconds[way] else 0.0

    def to_json(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "seed": self.seed,
            "jobs": self.jobs,
            "seconds": round(time.monotonic() - self.started, 1),
            "cases": dict(self.cases),
            "cases_a_second_and_core": {way: round(self.rate(way)) for way in self.cases},
            "corners": sorted(self.corners),
            "corners_not_seen": sorted(set(CORNERS) - self.corners),
            "counterexamples": [str(path) for _, path in self.finds.values()],
            "errors": self.errors,
            "interrupted": self.interrupted,
        }


def hunt(
    names: Sequence[str],
    minutes: float,
    jobs: int,
    seed: int,
    variant: str | None,
    folder: Path,
    device: str = "cpu",
    told: Callable[[HuntProgress], None] = lambda progress: None,
) -> HuntProgress:
    """Search until the time is up, or every test has a counterexample; ``told`` is called a few times a
    second.

    Args:
        names: claims; all without.
        minutes: how long.
        jobs: processes.
        seed: where the random numbers start; worker k's round r has a seed of its own that follows from it.
        variant: a variant to hunt, whatever is expected of it; without, all that are expected to hold.
        folder: where counterexamples are kept.
        device: of the networks.
        told: is shown the progress.
    """
    check(names, variant)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: is no folder to keep counterexamples in: {error.strerror}") from None
    context = multiprocessing.get_context("spawn")
    messages: Any = context.Queue()
    progress = HuntProgress(seed, jobs)
    end = time.time() + 60 * minutes
    # Each worker is one process on one core: the libraries below it should not start threads of their own.
    os.environ.update(OMP_NUM_THREADS="1", NUMBA_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    own = os.getpid(), "ratproof.runner.hunting", "work"
    workers = [
        context.Process(
            target=run_with, args=(*own, messages, job, seed, end, tuple(names), variant, device), daemon=True
        )
        for job in range(jobs)
    ]
    try:
        with _without_main_program():
            for worker in workers:
                worker.start()
        while progress.stopped < jobs:
            try:
                _take(progress, messages.get(timeout=0.25), folder)
            except queue.Empty:
                if not any(worker.is_alive() for worker in workers):
                    progress.errors.append("a worker ended before it said why")
                    break
            told(progress)
    except KeyboardInterrupt:
        progress.interrupted = True
    finally:
        for worker in workers:
            worker.terminate()
    if not progress.interrupted and not progress.cases.total() and not progress.errors:
        progress.errors.append("nothing was compared: the time was up before the first case")
    return progress


def check(names: Sequence[str], variant: str | None) -> None:
    """Raise :class:`~automata.errors.InputError` for a claim or a variant that is not there."""
    for name in names:
        claim_named(name)
    if variant is not None and not any(
        v.name == variant for n in names or claims() for v in claim_named(n).variants
    ):
        raise InputError(f"no claim that was asked for has a variant {variant!r}")


def _take(progress: HuntProgress, message: Message, folder: Path) -> None:
    progress.cases.update(message.cases)
    progress.seconds.update(message.seconds)
    progress.corners |= message.corners
    progress.stopped += message.stopped
    if message.error and message.error not in progress.errors:
        progress.errors.append(message.error)
    if message.found is not None:
        counterexample, seed, test = message.found
        key = (counterexample.claim, counterexample.variant, counterexample.comparison["way"])
        if key not in progress.finds or counterexample.simplicity < progress.finds[key][0].simplicity:
            # Several workers and tests may find the same: the simplest is kept.
            progress.finds[key] = (
                counterexample,
                keep(counterexample, folder, seed, test, kind=f"hunted-{key[2]}"),
            )


@contextmanager
def _without_main_program() -> Iterator[None]:
    """Workers that are spawned meanwhile do not import the main program, which takes seconds in which they
    would outlive us.
    """
    main: dict[str, Any] = vars(sys.modules["__main__"])
    hidden: dict[str, Any] = {name: main.pop(name) for name in ("__file__", "__spec__") if name in main}
    main["__spec__"] = None
    try:
        yield
    finally:
        del main["__spec__"]
        main.update(hidden)


def work(
    messages: Any, job: int, seed: int, end: float, names: tuple[str, ...], variant: str | None, device: str
) -> None:
    """One worker: pytest collects the evidence, and its targets run in turn, a few dozen examples each, until
    the time is up or all have fallen.
    """
    hunter = Hunter(messages, job, seed, end, variant)
    try:
        import torch

        torch.set_num_threads(1)
        collect(hunter, names, device)
    except KeyboardInterrupt:
        pass
    except BaseException as problem:  # a worker that ends has to say why
        line = f"a worker ended: {type(problem).__name__}: {problem}".splitlines()[0]
        messages.put(Message(job, Counter(), Counter(), frozenset(), error=line))
    finally:
        messages.put(Message(job, Counter(), Counter(), frozenset(), stopped=True))


def collect(plugin: Any, names: Sequence[str], device: str) -> None:
    """Have pytest collect the evidence for these claims that draws cases, and hand it to the plugin."""
    only = tuple((name, kind) for name in names or claims() for kind in DRAWN)
    request = Request(tuple(names), None, EXAMPLES_A_ROUND, seed=0, device=device, only=only)
    with pytest_environment(request), redirect_stdout(StringIO()) as output:
        code = pytest.main(pytest_arguments(request), plugins=[plugin])
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.INTERRUPTED):
        raise RuntimeError(last_line(output.getvalue()) or "pytest could not start")


def is_target(item: pytest.Item, variant: str | None) -> bool:
    """Is it evidence that draws cases, of a variant that should hold, or of the one that is hunted?"""
    marker = item.get_closest_marker(MARKER)
    if marker is None or not isinstance(item, pytest.Function):
        return False
    mark: Mark = marker.args[0]
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    draws = hasattr(item.obj, "hypothesis") or any(isinstance(p, Step) for p in parameters.values())
    _, variants = mark.resolve()
    chosen = [cast(Variant, parameters["variant"])] if "variant" in parameters else variants
    wanted = all(v.name == variant if variant is not None else v.expected == "holds" for v in chosen)
    return mark.kind in DRAWN and draws and wanted


class Hunter:
    """A pytest plugin whose loop over the collected evidence ends when the time is up, not with the last
    test.
    """

    def __init__(self, messages: Any, job: int, seed: int, end: float, variant: str | None) -> None:
        self.messages, self.job, self.end, self.variant = messages, job, end, variant
        self.numbers = random.Random(f"{seed}/{job}")
        self.observation: Observation | None = None

    def pytest_ratproof_observed(self, observation: Observation) -> None:
        """What the round showed."""
        self.observation = observation

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run rounds of the targets, all of which get the same time, fast or slow."""
        alive = [item for item in session.items if is_target(item, self.variant)]
        if not alive:
            error = "no sampled test hunts what was asked for"
            self.messages.put(Message(self.job, Counter(), Counter(), frozenset(), error=error))
        spent = dict.fromkeys(range(len(alive)), 0.0)
        while spent and time.time() < self.end:
            place = min(spent, key=lambda i: spent[i])
            message, fell = self.round(alive[place], self.numbers.getrandbits(48))
            self.messages.put(message)
            spent[place] += message.seconds.total()
            if fell:
                del spent[place]
        return True

    def round(self, item: pytest.Item, seed: int) -> tuple[Message, bool]:
        """One round of a target: what to tell of it, and whether it has fallen."""
        ways: Counter[str] = Counter()
        corners_seen: set[str] = set()
        rng = random.Random(seed)

        def look(comparison: Any, strings: Any) -> None:
            ways[comparison.way] += 1
            if sum(ways.values()) % LOOK_EVERY == 1:
                automaton = rng.choice(list(comparison.automata()))
                corners_seen.update(corners(automaton, rng.choice(list(strings))))

        item.config.stash[SEARCH] = Search(seed, look)
        self.observation = None
        item.user_properties.clear()
        # with a next item, pytest would leave this one set up, and not give it its arguments again
        reports = runtestprotocol(item, log=False, nextitem=None)
        result = self.observation
        if result is None:
            problem = next((last_line(r.longreprtext) for r in reports if not r.passed), "it showed nothing")
            error = f"{item.name}, seed {seed}: {problem}"
            return Message(self.job, Counter(), Counter(), frozenset(), error=error), True
        counterexample, error = None, ""
        if result.counterexample is not None:
            counterexample = (result.counterexample, seed, item.name)
        elif result.raised is not None:  # a crash is no counterexample, and has to be told
            error = f"{item.name}, {result.variant}, seed {seed}: {result.why}"
        way = next(iter(ways), "other")  # a test that compares something else than two sides
        message = Message(
            self.job,
            Counter({way: result.cases}),
            Counter({way: result.seconds}),
            frozenset(corners_seen),
            counterexample,
            error,
        )
        return message, counterexample is not None or bool(error)
