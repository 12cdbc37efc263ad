"""Run the evidence tests through pytest, and gather what they showed."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from automata.equivalence.certificates import FORMAT as CERTIFICATE
from automata.errors import InputError, OutputError
from automata.io.files import write_whole
from ratproof.evidence.kinds import RUN_ON_STRINGS, Verdict
from ratproof.evidence.results import Result, gather, in_order
from ratproof.ladder import last_run
from ratproof.ladder.counterexample_files import keep, keep_script
from ratproof.ladder.hypothesis_profile import unchanged_afterwards
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.request import Request, require
from ratproof.ladder.watch import Watch, last_line
from ratproof.laws.kernels.counterexample import KernelCounterexample
from ratproof.laws.models.counterexample import StatefulCounterexample
from ratproof.namesakes import hidden
from theory.claim import EXACT, TORCH, Claim, Variant
from theory.reading import Program
from theory.registry import claim_named, claims

COUNTEREXAMPLES = Path(".ratproof") / "counterexamples"
CERTIFICATES = Path(".ratproof") / "certificates"
NOTHING_SHOWED = "no test showed it"


def verify(
    request: Request, started: Callable[[str, int, int], None] = lambda what, done, total: None
) -> Outcome:
    """Run what was asked; ``started`` is told what begins to run, how many claims are done, how many there
    are.

    Raises :class:`~automata.errors.InputError` for names, files and devices that are not there.
    """
    watch = Watch(request.claims or claims(), started)
    watch.corpus = require(request)
    ground = last_run.digest()
    with TemporaryDirectory() as scratch:
        junit = Path(scratch) / "junit.xml"
        with pytest_environment(request), redirect_stdout(StringIO()) as said:
            code = pytest.main(pytest_arguments(request, junit), plugins=[watch])
        not_written = _keep_junit(junit, request.junit)
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        watch.errors.append(last_line(said.getvalue()) or "pytest could not start")
    results = gather(watch.seen, request.seed)
    stopped = request.stop_early and any(not result.as_expected for result in results)
    if not watch.interrupted and not stopped:
        results += _missing(request, results, watch.not_run)
    results = in_order(results, {name: [v.name for v in c.variants] for name, c in claims().items()})
    watch.notes += keep_evidence(results, request.seed)
    notes = list(dict.fromkeys(watch.notes))
    outcome = Outcome(
        results,
        watch.interrupted,
        watch.errors,
        notes,
        watch.not_run,
        not_written,
        bool(stopped),
        request.device,
        last_run.beside(request.device, ground),
    )
    last_run.keep(request, outcome, ground)
    return outcome


def _keep_junit(made: Path, wanted: str | None) -> str:
    """Put the JUnit file where it is wanted, whole; why that failed, where it did: the verdicts are shown all
    the same.
    """
    if wanted is None or not made.exists():
        return ""
    try:
        write_whole(wanted, made.read_bytes())
    except OutputError as error:
        return str(error)
    return ""


def keep_evidence(results: list[Result], seed: int | None) -> list[str]:
    """Keep counterexamples and certificates as files, whose names the results then have; what could not be
    kept, in words.
    """
    failed: dict[tuple[str, str], list[str]] = {}  # what it is and why, and where it should be
    for result in results:
        if result.counterexample is not None:
            try:
                kept = _keep(result, seed)
                result.kept = None if kept is None else str(kept)
            except InputError as error:  # the verdict stands, and is shown, all the same
                _add_failure(failed, "counterexample", error)
        if result.certificate is not None and result.certificate.get("format") == CERTIFICATE:
            path = CERTIFICATES / f"{result.claim}--{result.variant}--{result.kind}.json"
            try:
                write_whole(path, json.dumps(result.certificate, ensure_ascii=False) + "\n")
                result.certificate_file = str(path)
            except InputError as error:
                _add_failure(failed, "certificate", error)
    return [
        f"the {what} is not kept: {places[0]}: {why}"
        if len(places) == 1
        else f"{len(places)} {what}s are not kept: {Path(places[0]).parent}: {why}"
        for (what, why), places in failed.items()
    ]


def _add_failure(failed: dict[tuple[str, str], list[str]], what: str, error: InputError) -> None:
    place, _, why = str(error).partition(": ")
    failed.setdefault((what, why), []).append(place)


def _keep(result: Result, seed: int | None) -> Path | None:
    counterexample: Any = result.counterexample
    if isinstance(counterexample, KernelCounterexample):
        return keep_script(counterexample, COUNTEREXAMPLES, result.kind)
    if isinstance(counterexample, StatefulCounterexample):
        return None  # its model is in the file that brought the claim, and the inputs follow from a seed
    return keep(counterexample, COUNTEREXAMPLES, seed, result.tests[0], result.kind)


def tests_folder() -> Path:
    """Where the tests lie: in a clone, or installed beside the other packages."""
    if sentence := hidden(["proofs_tests"]):  # the package that holds the evidence
        raise InputError(sentence)
    package = importlib.util.find_spec("proofs_tests")
    assert package is not None and package.submodule_search_locations
    return Path(next(iter(package.submodule_search_locations)))


def _missing(request: Request, results: list[Result], not_run: list[dict[str, str]]) -> list[Result]:
    """Evidence that was asked for and promised, and that no test showed: unknown, and never as expected."""
    there: dict[tuple[str, str, str], set[str | None]] = {}
    for r in results:
        there.setdefault((r.claim, r.variant, r.kind), set()).add(r.ran)
    skipped = {(n["claim"], n["variant"], n["kind"]) for n in not_run}
    return [
        Result(name, v.name, kind, v.expected, Verdict.UNKNOWN, ran, None, request.seed, why=NOTHING_SHOWED)
        for name in request.claims or claims()
        for v in claim_named(name).variants
        for kind in v.kinds
        if request.wants(name, kind) and (name, v.name, kind) not in skipped
        for ran in _promised(claim_named(name), v, kind)
        if ran not in there.get((name, v.name, kind), set())
    ]


def _promised(claim: Claim, variant: Variant, kind: str) -> tuple[str | None, ...]:
    """What has to have run for that kind."""
    if kind == "sampled":
        return claim.runs_of(variant)
    return (TORCH if isinstance(variant.reading, Program) else EXACT,) if kind in RUN_ON_STRINGS else (None,)


def pytest_arguments(request: Request, junit: Path | None = None) -> list[str]:
    """What pytest is run with: the evidence that was asked for, and no configuration but ours."""
    folder = tests_folder()
    given: Sequence[tuple[str, Any]] = (
        ("--ratproof-device", request.device),
        ("--hypothesis-seed", request.seed),
        ("--junitxml", None if request.junit is None else junit),
        *(("--ratproof-kind", kind) for kind in request.kinds),
        ("--ratproof-text", _absolute(request.text)),
        ("--ratproof-units", request.units),
        ("--ratproof-embeddings", _absolute(request.embeddings)),
        ("--ratproof-rules", _absolute(request.rules)),
        *(("--ratproof-claim", name) for name in request.claims),
        *(("--ratproof-only", f"{claim}:{kind}") for claim, kind in request.only),
        ("--maxfail", 1 if request.stop_early else None),
    )
    options = ["--ratproof-evidence", *(f"{name}={value}" for name, value in given if value is not None)]
    if request.processes > 1:
        # a few tests at a time, so that they begin in their order: the three papers first
        options += [f"--numprocesses={request.processes}", "--maxschedchunk=4"]
    # No configuration, no cache and no plugin of the folder we happen to be in: only the tests and ours.
    return [
        str(folder),
        f"--rootdir={folder.parent}",
        "-c",
        os.devnull,
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:unraisableexception",  # which looks for garbage five times at the end, among torch's objects
        "-p",
        "no:benchmark",  # where it is installed, it warns of several processes
        "-p",
        "ratproof.ladder.plugin",
        *options,
    ]


def _absolute(path: str | None) -> str | None:
    return None if path is None else str(Path(path).absolute())


@contextmanager
def pytest_environment(request: Request) -> Iterator[None]:
    """How many examples; and no options but ours."""
    threads = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    names = (
        "RATPROOF_EXAMPLES",
        "PYTEST_ADDOPTS",
        "PYTEST_PLUGINS",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
        *threads,
    )
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    if request.examples is not None:
        os.environ["RATPROOF_EXAMPLES"] = str(request.examples)
    # one process a core: the libraries below should not start threads of their own
    os.environ.update(
        dict.fromkeys(threads, "1")
        if request.processes > 1
        else {k: v for k, v in before.items() if k in threads}
    )
    try:
        with unchanged_afterwards():
            yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update(before)
