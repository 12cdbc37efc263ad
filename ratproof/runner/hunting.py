"""A search without end for counterexamples: the sampled tests, again and again with fresh seeds, on all
cores.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pkgutil
import queue
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from automata.corners import CORNERS, corners
from automata.errors import InputError
from ratproof.process.orphans import run_with
from ratproof.record.counterexample import Counterexample, Disagreement
from ratproof.record.ledger import recording
from ratproof.runner.counterexample_files import keep
from ratproof.runner.evidence import mark_of
from theory.claim import Variant
from theory.registry import claim_named, claims

EXAMPLES_A_ROUND = 50
LOOK_EVERY = 16  # comparisons: how often the corners are looked at


@dataclass(frozen=True)
class Target:
    """A sampled test of one variant, with the rest of its arguments."""

    name: str
    variant: Variant
    claim: str
    test: Callable[..., None]
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Message:
    """What a worker tells: what it compared since it last did, and what it found."""

    job: int
    cases: Counter[str]  # by way of comparing: exact, network, other
    seconds: Counter[str]
    corners: frozenset[str]
    found: tuple[Counterexample, int, str] | None = None
    error: str = ""
    stopped: bool = False


@dataclass
class Progress:
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
    told: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
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
    progress = Progress(seed, jobs)
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


def targets(names: Sequence[str], variant: str | None, device: str) -> list[Target]:
    """The sampled Hypothesis tests of these claims, one for each variant and each set of parameters."""
    found = []
    for test in _tests():
        mark = mark_of(test)
        if (
            mark is None
            or mark.kind != "sampled"
            or not hasattr(test, "hypothesis")
            or (names and mark.claim not in names)
        ):
            continue
        claim, variants = mark.resolve()
        for read in variants:
            if read.name == variant if variant is not None else read.expected == "holds":
                for parameters in _parameters(test):
                    wanted = {"variant": read, "device": device, **parameters}
                    takes = test.hypothesis.inner_test.__code__.co_varnames
                    arguments = {name: value for name, value in wanted.items() if name in takes}
                    found.append(Target(test.__name__, read, claim.name, test, arguments))
    return found


def check(names: Sequence[str], variant: str | None) -> None:
    """Raise :class:`~automata.errors.InputError` for a claim or a variant that is not there."""
    for name in names:
        claim_named(name)
    if variant is not None and not any(
        v.name == variant for n in names or claims() for v in claim_named(n).variants
    ):
        raise InputError(f"no claim that was asked for has a variant {variant!r}")


def _tests() -> Iterator[Callable[..., None]]:
    """Every test function in the package of tests, which is found by name: nothing here imports upwards."""
    package = importlib.import_module("proofs_tests")
    for module in pkgutil.walk_packages(package.__path__, "proofs_tests."):
        if module.name.rpartition(".")[2].startswith("test_"):
            loaded = importlib.import_module(module.name)
            yield from (value for name, value in vars(loaded).items() if name.startswith("test_"))


def _parameters(test: Any) -> Iterator[dict[str, Any]]:
    """The sets of arguments that ``pytest.mark.parametrize`` gives, for single names."""
    marks = [m for m in getattr(test, "pytestmark", []) if m.name == "parametrize"]
    for values in product(*(m.args[1] for m in marks)):
        yield {m.args[0]: value for m, value in zip(marks, values, strict=True)}


def _take(progress: Progress, message: Message, folder: Path) -> None:
    progress.cases.update(message.cases)
    progress.seconds.update(message.seconds)
    progress.corners |= message.corners
    progress.stopped += message.stopped
    if message.error and message.error not in progress.errors:
        progress.errors.append(message.error)
    if message.found is not None:
        found, seed, test = message.found
        key = (found.claim, found.variant, found.comparison["way"])
        if key not in progress.finds or found.simplicity < progress.finds[key][0].simplicity:
            # Several workers and tests may find the same: the simplest is kept.
            progress.finds[key] = found, keep(found, folder, seed, test, kind=f"hunted-{key[2]}")


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
    """One worker: all its targets in turn, a few dozen examples each, until the time is up or all have
    fallen.
    """
    try:
        _settle()
        alive = targets(names, variant, device)
        if not alive:
            messages.put(
                Message(
                    job, Counter(), Counter(), frozenset(), error="no sampled test hunts what was asked for"
                )
            )
        numbers = random.Random(f"{seed}/{job}")
        spent = dict.fromkeys(range(len(alive)), 0.0)
        while spent and time.time() < end:
            place = min(spent, key=lambda i: spent[i])  # all targets get the same time, fast or slow
            message, fell = _round(alive[place], job, numbers.getrandbits(48))
            messages.put(message)
            spent[place] += message.seconds.total()
            if fell:
                del spent[place]
    except KeyboardInterrupt:
        pass
    except BaseException as problem:  # a worker that ends has to say why
        line = f"a worker ended: {type(problem).__name__}: {problem}".splitlines()[0]
        messages.put(Message(job, Counter(), Counter(), frozenset(), error=line))
    finally:
        messages.put(Message(job, Counter(), Counter(), frozenset(), stopped=True))


def _settle() -> None:
    """Hypothesis for a hunt: read by the tests when they are imported, so this comes first."""
    import torch
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "hunt",
        max_examples=EXAMPLES_A_ROUND,
        derandomize=False,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("hunt")
    torch.set_num_threads(1)


def _round(target: Target, job: int, seed: int) -> tuple[Message, bool]:
    from hypothesis import seed as seeded

    ways: Counter[str] = Counter()
    seen: set[str] = set()
    rng = random.Random(seed)

    def look(comparison: Any, strings: Any) -> None:
        ways[comparison.way] += 1
        if sum(ways.values()) % LOOK_EVERY == 1:
            seen.update(corners(rng.choice(list(comparison.automata())), rng.choice(list(strings))))

    started = time.perf_counter()
    found, error = None, ""
    with recording() as book:
        book.observe = look
        try:
            seeded(seed)(target.test)(**target.arguments)
        except Disagreement as disagreement:
            found = (disagreement.counterexample, seed, target.name)
        except Exception as problem:  # a crash is no counterexample, and has to be told
            words = f"{type(problem).__name__}: {problem}".splitlines()[0]
            error = f"{target.name}, {target.variant.name}, seed {seed}: {words}"
    way = next(iter(ways), "other")  # a test that compares something else than two sides
    spent = time.perf_counter() - started
    message = Message(job, Counter({way: book.cases}), Counter({way: spent}), frozenset(seen), found, error)
    return message, found is not None or bool(error)
