"""Tasks of ``ratproof verify``, which run in this process or in a pool of processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import core

from ratproof.evidence.not_run import NotRun
from ratproof.evidence.results import Observation
from ratproof.ladder.environment import interpret_triton, load_profile, one_thread_each, unchanged_afterwards
from ratproof.ladder.request import Request
from ratproof.process.interpreter import collect_rarely, on_one_stack, rare_collections, without_main_program
from ratproof.process.orphans import end_with
from theory.registry import claim_named

if TYPE_CHECKING:
    from ratproof.ladder.written.check import Inputs

OnStart = Callable[[str, int, int], None]
"""A callback that receives the current task, the number of finished claims, and their total number."""


@dataclass(frozen=True)
class EvidenceTask:
    """A task of ``verify``: one kind of evidence for one claim."""

    claim: str
    kind: str

    def __str__(self) -> str:
        return f"{self.claim} {self.kind}"


@dataclass
class TaskResult:
    """The result of a task, or of all tasks together.

    Attributes:
        observations: The observations of its steps.
        not_run: The evidence that this machine cannot run, as the rows of ``not_run`` in ``--json``.
        errors: Messages about errors outside of the evidence, such as a process that died.
        interrupted: Whether Ctrl-C ended the run.
    """

    observations: list[Observation] = field(default_factory=list)
    not_run: list[dict[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def as_expected(self) -> bool:
        """Return whether every step has the expected verdict."""
        return all(seen.verdict == seen.expected for seen in self.observations)

    def to_text(self) -> str:
        """Return the result as JSON, to pass it between processes."""
        return json.dumps([[seen.to_text() for seen in self.observations], self.not_run])

    @classmethod
    def from_text(cls, text: str) -> TaskResult:
        """Return the result whose JSON text :meth:`to_text` returned."""
        observations, not_run = json.loads(text)
        return cls(list(map(Observation.from_text, observations)), not_run)


def show(task: EvidenceTask, request: Request) -> TaskResult:
    """Run a task in this process."""
    from ratproof.ladder.steps import all_of  # imported here, because the waiting process does not need torch

    result = TaskResult()
    for step in all_of(claim_named(task.claim), task.kind, _inputs(request)):
        try:
            result.observations += on_one_stack(step.run)()
        except NotRun as reason:
            about = {"claim": task.claim, "kind": task.kind, "why": str(reason)}
            result.not_run += [{**about, "variant": variant.name} for variant in step.variants]
        if request.stop_early and not result.as_expected:
            break
    return result


def read_inputs(request: Request) -> None:
    """Read the corpus once in this process, so that an invalid file is rejected before any task runs."""
    _inputs.cache_clear()
    if request.text is not None:
        _inputs(request)


@cache
def _inputs(request: Request) -> Inputs:
    from ratproof.ladder.written.check import Inputs

    corpus = None
    if request.text is not None:
        from ratproof.implementations.corpus import load_corpus

        corpus = load_corpus(request.text, request.embeddings, request.units)
    return Inputs(request.device, corpus, None if request.rules is None else Path(request.rules))


def show_all(tasks: Sequence[EvidenceTask], request: Request, on_start: OnStart) -> TaskResult:
    """Run tasks in the requested number of processes, and return their results in the order of the tasks."""
    # workers inherit Hypothesis's storage folder
    with one_thread_each(request.processes), unchanged_afterwards(), redirect_stdout(sys.stderr):
        run = _in_this_process if request.processes == 1 else _in_a_pool
        return run(tasks, request, on_start)


def _in_this_process(tasks: Sequence[EvidenceTask], request: Request, on_start: OnStart) -> TaskResult:
    total, progress = TaskResult(), _Progress(tasks, on_start)
    with rare_collections():
        _prepare(request)
        try:
            for task in tasks:
                progress.report()
                _join(total, show(task, request))
                progress.done(task)
                if request.stop_early and not total.as_expected:
                    break
        except KeyboardInterrupt:
            total.interrupted = True
    return total


def _prepare(request: Request) -> None:
    interpret_triton()
    load_profile(request.examples, seeded=request.seed is not None)
    core.global_force_seed = request.seed  # type: ignore[assignment]


def _join(total: TaskResult, one: TaskResult) -> None:
    total.observations += one.observations
    total.not_run += one.not_run


def _in_a_pool(tasks: Sequence[EvidenceTask], request: Request, on_start: OnStart) -> TaskResult:
    """Run tasks in worker processes.

    If a worker dies, the pool cannot be used any more. Each task that was running is then run once more,
    alone in a new process, to find the task that kills its worker.
    """
    shown: dict[EvidenceTask, TaskResult] = {}
    total, progress = TaskResult(), _Progress(tasks, on_start)

    def stop() -> bool:
        return request.stop_early and not all(one.as_expected for one in shown.values())

    try:
        left = list(tasks)
        while left and not stop():
            broken = _run_until_broken(left, request, shown, progress, stop)
            for task in broken:
                if _run_until_broken([task], request, shown, progress, stop, processes=1):
                    total.errors.append(f"{task}: its process ended without a result")
                    shown[task] = TaskResult()
            left = [task for task in left if task not in shown]
    except KeyboardInterrupt:
        total.interrupted = True
    for task in tasks:
        _join(total, shown.get(task, TaskResult()))
    return total


def _run_until_broken(
    tasks: Sequence[EvidenceTask],
    request: Request,
    shown: dict[EvidenceTask, TaskResult],
    progress: _Progress,
    stop: Callable[[], bool],
    processes: int | None = None,
) -> list[EvidenceTask]:
    """Run tasks in a pool, and return the tasks that were running when a worker died."""
    with _pool(processes or request.processes, request) as pool:
        with without_main_program():
            futures = {pool.submit(_show_as_text, task, request): task for task in tasks}
        progress.report()
        try:
            for future in as_completed(futures):
                shown[futures[future]] = TaskResult.from_text(future.result())
                progress.done(futures[future])
                progress.report()
                if stop():
                    return []
        except BrokenProcessPool:
            return _first_unfinished(futures, shown, processes or request.processes)
    return []


def _first_unfinished(
    futures: dict[Future[str], EvidenceTask], shown: dict[EvidenceTask, TaskResult], most: int
) -> list[EvidenceTask]:
    """Return the unfinished tasks that may have been running when a worker died."""
    return [task for task in futures.values() if task not in shown][: most + 1]


@contextmanager
def _pool(processes: int, request: Request) -> Iterator[ProcessPoolExecutor]:
    """Yield a process pool, and terminate its processes if tasks are unfinished when the block ends."""
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), _start_worker, (os.getpid(), request)
    )
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()


def _start_worker(parent: int, request: Request) -> None:
    end_with(parent)
    # Ctrl-C interrupts the whole process group, and the parent ends its workers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    _prepare(request)
    import_module("ratproof.ladder.steps")  # imported before garbage collections become rare
    collect_rarely()


def _show_as_text(task: EvidenceTask, request: Request) -> str:
    return show(task, request).to_text()


class _Progress:
    """A counter of the claims whose tasks are all finished.

    Args:
        tasks: All tasks.
        on_start: The callback of :meth:`report`.
    """

    def __init__(self, tasks: Sequence[EvidenceTask], on_start: OnStart) -> None:
        self.left, self.on_start = list(tasks), on_start
        self.claims = len({task.claim for task in tasks})

    def done(self, task: EvidenceTask) -> None:
        self.left.remove(task)

    def report(self) -> None:
        """Call the callback with the first unfinished task, and the numbers of finished and of all claims."""
        if self.left:
            self.on_start(
                str(self.left[0]), self.claims - len({task.claim for task in self.left}), self.claims
            )
