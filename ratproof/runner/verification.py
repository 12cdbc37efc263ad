"""Run the evidence tests through pytest, and gather what they showed."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from automata.equivalence.certificates import FORMAT as CERTIFICATE
from automata.errors import InputError, OutputError
from automata.files import write_whole
from ratproof.coq import programs as coq
from ratproof.process.outputs import require_outputs
from ratproof.record.kinds import KINDS, Verdict
from ratproof.record.results import Observation, Result, gather, in_order
from ratproof.runner.counterexample_files import keep
from ratproof.runner.hypothesis_profile import unchanged_afterwards
from ratproof.runner.plugin import CORPUS, NOT_RUN, OBSERVED, PARENT
from theory.claim import KERNEL
from theory.registry import claim_named, claims

COUNTEREXAMPLES = Path(".ratproof") / "counterexamples"
CERTIFICATES = Path(".ratproof") / "certificates"


@dataclass(frozen=True)
class Request:
    """What ``ratproof verify`` was asked.

    Attributes:
        claims: names; all without.
        kind: only this kind of evidence.
        examples: random cases a test; the tests' own number without.
        seed: fresh random cases with this seed; without, the same in every run of the same installation.
        device: ``cpu`` or ``cuda``.
        text, embeddings, units: a corpus for the tests on real text.
        rules: a folder with a rule file and labelled sentences, for the tests on real rules.
        junit: write a JUnit file there.
        jobs: how many processes; without, one a core when all is asked for, and one when only a part is.
    """

    claims: tuple[str, ...] = ()
    kind: str | None = None
    examples: int | None = None
    seed: int | None = None
    device: str = "cpu"
    text: str | None = None
    embeddings: str | None = None
    units: int = 64
    junit: str | None = None
    jobs: int | None = None
    rules: str | None = None

    @property
    def processes(self) -> int:
        """How many processes run the tests; one is this process itself."""
        return self.jobs or (1 if self.claims or self.kind else cores())


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class Outcome:
    """What ran: the results, whether it was interrupted, what went wrong outside of the evidence, and what
    could not run here.

    ``not_written`` says why a file that was asked for could not be written, where one could not.
    """

    results: list[Result]
    interrupted: bool = False
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_run: list[dict[str, str]] = field(default_factory=list)
    not_written: str = ""

    @property
    def as_expected(self) -> bool:
        """Did all run, and show what it should?"""
        return (
            bool(self.results)
            and not self.interrupted
            and not self.errors
            and all(r.as_expected for r in self.results)
        )


class Watch:
    """A pytest plugin that gathers what tests showed from their reports, in whatever process they ran.

    Args:
        names: the claims that are asked for.
        started: is told what begins to run, how many claims are done, and how many there are.
    """

    def __init__(self, names: Iterable[str], started: Callable[[str, int, int], None]) -> None:
        self.names, self.started = list(names), started
        self.left: Counter[str] = Counter()
        self.seen: list[Observation] = []
        self.errors: list[str] = []
        self.notes: list[str] = []
        self.not_run: list[dict[str, str]] = []
        self.interrupted = False
        self.corpus: Any = None

    def pytest_configure(self, config: pytest.Config) -> None:
        if self.corpus is not None:
            config.stash[CORPUS] = self.corpus

    def pytest_keyboard_interrupt(self) -> None:
        self.interrupted = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[PARENT] = os.getpid()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        self._collected(ids)

    def _collected(self, tests: Iterable[str]) -> None:
        self.left = Counter(dict.fromkeys(self.names, 0))
        self.left.update(name for test in tests if (name := claim_in(test, self.names)))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        done = sum(not tests for tests in self.left.values())
        self.started(_bare_name(nodeid), done, len(self.left))

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.left[claim_in(nodeid, self.names)] -= 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.seen += [
                Observation.from_text(str(text)) for name, text in report.user_properties if name == OBSERVED
            ]
            self.not_run += [
                json.loads(str(text)) for name, text in report.user_properties if name == NOT_RUN
            ]
        # they are for us, and would be long in a JUnit file
        report.user_properties = [
            pair for pair in report.user_properties if pair[0] not in (OBSERVED, NOT_RUN)
        ]
        if report.failed and report.when != "call":
            self.errors.append(f"{report.nodeid}: {last_line(report.longreprtext)}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(f"{report.nodeid}: {last_line(report.longreprtext)}")


def claim_in(test: str, names: Iterable[str]) -> str:
    """Which of these claims a test's file or parameters name; empty where none.

    >>> claim_in("test_ladder.py::test[model-b-max-plus-corrected-proved]", ["model-b", "model-b-max-plus"])
    'model-b-max-plus'
    >>> claim_in("test_theorem_3_1.py::test", ["theorem-3.1"])
    'theorem-3.1'
    """
    words = _hyphenated(test)
    return max((name for name in names if _hyphenated(name) in words), key=len, default="")


def _hyphenated(text: str) -> str:
    return re.sub(r"\W|_", "-", text)


def _bare_name(test: str) -> str:
    """What stands in its brackets, or else its function's name."""
    name = test.split("::")[-1]
    return name.partition("[")[2].removesuffix("]") or name.removeprefix("test_").replace("_", " ")


def verify(
    request: Request, started: Callable[[str, int, int], None] = lambda what, done, total: None
) -> Outcome:
    """Run what was asked; ``started`` is told what begins to run, how many claims are done, how many there
    are.

    Raises :class:`~automata.errors.InputError` for names, files and devices that are not there.
    """
    watch = Watch(request.claims or claims(), started)
    watch.corpus = _check(request)
    with TemporaryDirectory() as scratch:
        junit = Path(scratch) / "junit.xml"
        with pytest_environment(request), redirect_stdout(StringIO()) as said:
            code = pytest.main(pytest_arguments(request, junit), plugins=[watch])
        not_written = _keep_junit(junit, request.junit)
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        watch.errors.append(last_line(said.getvalue()) or "pytest could not start")
    results = gather(watch.seen, request.seed)
    if not watch.interrupted:
        results += _missing(request, results, watch.not_run)
    results = in_order(results, {name: [v.name for v in c.variants] for name, c in claims().items()})
    watch.notes += keep_evidence(results, request.seed)
    notes = list(dict.fromkeys(watch.notes))
    return Outcome(results, watch.interrupted, watch.errors, notes, watch.not_run, not_written)


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
    notes = []
    for result in results:
        if result.counterexample is not None:
            try:
                result.kept = str(
                    keep(result.counterexample, COUNTEREXAMPLES, seed, result.tests[0], result.kind)
                )
            except InputError as error:  # the verdict stands, and is shown, all the same
                notes.append(f"the counterexample is not kept: {error}")
        if result.certificate is not None and result.certificate.get("format") == CERTIFICATE:
            path = CERTIFICATES / f"{result.claim}--{result.variant}--{result.kind}.json"
            try:
                write_whole(path, json.dumps(result.certificate, ensure_ascii=False) + "\n")
                result.certificate_file = str(path)
            except InputError as error:
                notes.append(f"the certificate is not kept: {error}")
    return list(dict.fromkeys(notes))


def tests_folder() -> Path:
    """Where the tests lie: in a clone, or installed beside the other packages."""
    package = importlib.util.find_spec("proofs_tests")
    if package is None or not package.submodule_search_locations:
        raise InputError(
            "the package proofs_tests, which holds the evidence, is not installed beside ratproof"
        )
    return Path(next(iter(package.submodule_search_locations)))


def _missing(request: Request, results: list[Result], not_run: list[dict[str, str]]) -> list[Result]:
    """Evidence that was asked for and promised, and that no test showed: unknown, and never as expected."""
    there = {(r.claim, r.variant, r.kind) for r in results} | {
        (n["claim"], n["variant"], n["kind"]) for n in not_run
    }
    return [
        Result(name, v.name, kind, v.expected, Verdict.UNKNOWN, None, request.seed, why="no test showed it")
        for name in request.claims or claims()
        for v in claim_named(name).variants
        for kind in v.kinds
        if request.kind in (None, kind) and (name, v.name, kind) not in there
    ]


def _check(request: Request) -> Any:
    """Refuse what cannot run; the corpus, if one is asked for."""
    for name in request.claims:
        claim_named(name)
    if request.kind is not None and request.kind not in KINDS:
        raise InputError(f"there is no kind of evidence {request.kind!r}; there are {', '.join(KINDS)}")
    if request.kind is not None and not any(
        request.kind in v.kinds for name in request.claims or claims() for v in claim_named(name).variants
    ):
        raise InputError(f"no claim that was asked for promises evidence of the kind {request.kind}")
    for name in request.claims:
        if request.kind is not None and not any(request.kind in v.kinds for v in claim_named(name).variants):
            raise InputError(f"{name} promises no evidence of the kind {request.kind}")
    if request.kind == KERNEL:
        coq.version()
    check_device(request.device)
    if request.embeddings is not None and request.text is None:
        raise InputError("--embeddings gives vectors to the words of --text FILE, and there is no --text")
    if request.junit is not None and not Path(request.junit).absolute().parent.is_dir():
        raise InputError(
            f"--junit {request.junit}: there is no folder {Path(request.junit).absolute().parent}"
        )
    require_outputs({"--junit": request.junit}, reads=(request.text, request.embeddings, request.rules))
    if request.rules is not None:
        if not Path(request.rules).is_dir():
            raise InputError(
                f"{request.rules}: is no folder; one with a rule file (.config) and train.tsv, dev.tsv and"
                " test.tsv is right"
            )
        rule_file_in(Path(request.rules))
    if request.text is not None:
        from ratproof.sides.corpus import load_corpus

        return load_corpus(request.text, request.embeddings, request.units)
    return None


def rule_file_in(folder: Path) -> Path:
    """The one rule file in a folder."""
    files = sorted(folder.glob("*.config"))
    if len(files) != 1:
        raise InputError(f"{folder}: has {len(files)} rule files (.config), where one is right")
    return files[0]


def check_device(device: str) -> None:
    """Raise :class:`~automata.errors.InputError` for a device that is not there."""
    if device not in ("cpu", "cuda"):
        raise InputError(f"there is no device {device!r}; there are cpu and cuda")
    if device == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise InputError("torch finds no CUDA device on this machine; --device cpu runs everywhere")


def pytest_arguments(request: Request, junit: Path | None = None) -> list[str]:
    """What pytest is run with: the evidence that was asked for, and no configuration but ours."""
    folder = tests_folder()
    given: Sequence[tuple[str, Any]] = (
        ("--ratproof-device", request.device),
        ("--hypothesis-seed", request.seed),
        ("--junitxml", None if request.junit is None else junit),
        ("--ratproof-kind", request.kind),
        ("--ratproof-text", _absolute(request.text)),
        ("--ratproof-units", request.units),
        ("--ratproof-embeddings", _absolute(request.embeddings)),
        ("--ratproof-rules", _absolute(request.rules)),
        *(("--ratproof-claim", name) for name in request.claims),
    )
    options = ["--ratproof-evidence", *(f"{name}={value}" for name, value in given if value is not None)]
    if request.processes > 1:
        options.append(f"--numprocesses={request.processes}")
    # No configuration, no cache and no plugin of the folder we happen to be in: only the tests and ours.
    return [
        str(folder),
        f"--rootdir={folder.parent}",
        "-c",
        os.devnull,
        "-q",
        "-p",
        "no:cacheprovider",
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


def last_line(text: str) -> str:
    """The last line of what pytest says, without its mark."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("E").strip() if lines else ""
