"""The implementation of ``ratproof check``, which runs the evidence for the claims in a user's file."""

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

from hypothesis import HealthCheck, Phase, settings
from hypothesis._settings import local_settings

from automata.errors import InputError
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.results import Observation, gather
from ratproof.evidence.subjects import Subject, register
from ratproof.ladder.environment import EXAMPLES, unchanged_afterwards
from ratproof.ladder.last_run import PACKAGES
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.request import require_promised
from ratproof.ladder.steps import own_steps
from ratproof.ladder.verification import keep_evidence
from theory.claim import Claim

NAME = re.compile(r"(?=.{1,80}$)[a-z0-9]+([.-][a-z0-9]+)*")
"""The pattern of names of claims and variants. File names contain these names, separated by two hyphens."""
NO_IMPLEMENTATION = "a claim in a user's file has no implementation that provides this kind of evidence"
PHASES = (Phase.generate, Phase.shrink)
"""The phases of Hypothesis in which a claim is checked."""


def check(
    path: str,
    names: Sequence[str] = (),
    kinds: Sequence[str] = (),
    examples: int | None = None,
    seed: int | None = None,
    on_start: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Outcome:
    """Run all evidence that the file's claims promise.

    Args:
        path: Path of a Python file, which is executed.
        names: Names of the claims to check. Defaults to all claims.
        kinds: Kinds of evidence to run. Defaults to all kinds.
        examples: Number of random cases per kind of evidence.
        seed: Seed of the random cases. By default, every run of an installation has the same cases.
        on_start: A callback that receives the task that starts, the number of finished claims, and their
            total number.

    Raises:
        InputError: If the file, a name or a kind is invalid. For an error in the file, the message contains
            its line.
    """
    claims = load(path)
    _known(path, claims, names, kinds)
    chosen = [claim for claim in claims.values() if not names or claim.name in names]
    outcome = outcome_of(chosen, path, kinds, examples, seed, on_start)
    return replace(outcome, notes=keep_evidence(outcome.results, seed, path))


def outcome_of(
    claims: Sequence[Claim | Subject],
    where: str,
    kinds: Sequence[str] = (),
    examples: int | None = None,
    seed: int | None = None,
    on_start: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Outcome:
    """Run all evidence that a user's claims promise; ``where`` is the prefix of the tests' names."""
    ladder = [step for step in own_steps(claims) if not kinds or step.kind in kinds]
    observations: list[Observation] = []
    not_run: list[dict[str, str]] = []
    interrupted = False
    with random_cases(examples or EXAMPLES, derandomize=seed is None), redirect_stdout(sys.stderr):
        for step in ladder:
            on_start(step.label, claims.index(step.claim), len(claims))
            try:
                observations += step.run(seed, test=f"{where}::{step.claim.name}")
            except NotRun as reason:
                about = {"claim": step.claim.name, "variant": step.variant.name, "kind": step.kind}
                not_run.append({**about, "why": str(reason)})
            except KeyboardInterrupt:
                interrupted = True
                break
    return Outcome(
        gather(observations, seed), interrupted, not_run=[*not_run, *_without_evidence(claims, kinds)]
    )


def _without_evidence(claims: Sequence[Claim | Subject], kinds: Sequence[str]) -> list[dict[str, str]]:
    """Return an entry of ``not_run`` for each promised kind that no implementation of the claim provides."""
    steps = {(step.claim.name, step.variant.name, step.kind) for step in own_steps(claims)}
    return [
        {"claim": claim.name, "variant": variant.name, "kind": kind, "why": NO_IMPLEMENTATION}
        for claim in claims
        for variant in claim.variants
        for kind in variant.kinds
        if (not kinds or kind in kinds) and (claim.name, variant.name, kind) not in steps
    ]


def joined(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Combine the outcomes of several files.

    Raises:
        InputError: If two files have claims of the same name.
    """
    files: dict[str, str] = {}
    for path, outcome in outcomes.items():
        for name in {result.claim for result in outcome.results}:
            if name in files:
                raise InputError(
                    f"{path}: the name of the claim {name} must differ from the claims in {files[name]}"
                )
            files[name] = path
    parts = outcomes.values()
    return Outcome(
        [result for part in parts for result in part.results],
        interrupted=any(part.interrupted for part in parts),
        notes=[note for part in parts for note in part.notes],
        not_run=[row for part in parts for row in part.not_run],
    )


@contextmanager
def random_cases(examples: int, derandomize: bool) -> Iterator[None]:
    """Set Hypothesis's number of cases per kind of evidence within the block, unless a claim sets its own."""
    own = settings(
        max_examples=examples,
        derandomize=derandomize,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=PHASES,
        suppress_health_check=list(HealthCheck),
    )
    with unchanged_afterwards(), local_settings(own):
        yield


def load(path: str) -> dict[str, Claim | Subject]:
    """Run a Python file, register the claims that it assigns to names, and return them, keyed by name."""
    if not Path(path).is_file():
        problem = "must be a Python file, got a folder" if Path(path).is_dir() else "does not exist"
        raise InputError(f"{path}: the file with claims {problem}")
    if Path(path).suffix != ".py":
        raise InputError(f"{path}: the file name must end in .py")
    loader = _Uncached("brought_claims", path)
    spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
    assert spec is not None  # a loader is given
    _IMPORTS.begin(Path(path).resolve().parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look up the module there
    try:
        with redirect_stdout(sys.stderr):  # the file's output is not part of the report
            loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # including SystemExit
        raise InputError(f"{path}: {_line_of(path, error)}{_in_words(error)}") from error
    claims: dict[str, Claim | Subject] = {}
    for claim in _claims(vars(module).values()):
        require_names(path, claim, claims)
        claims[claim.name] = claim
        register(claim)
    if not claims:
        raise InputError(
            f"{path}: the file must assign a claim, such as step_claim(...) or kernel_claim(...), to a name"
            " at module level; claims inside functions run under pytest"
        )
    return claims


class _Uncached(SourceFileLoader):
    """Compile a file at every load.

    Python's bytecode files are keyed by size and time in seconds: they would hide a quick edit.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


class _Imports:
    """The folder from which the current file imports modules, and the modules that were there before."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.before: frozenset[str] = frozenset()

    def begin(self, folder: Path) -> None:
        """Import from this folder first, and forget the modules of another file's folder.

        Otherwise a module of one file would be used by another file that imports the same name.
        """
        if folder == self.folder:
            return
        if self.folder is not None:
            sys.path[:] = [entry for entry in sys.path if entry != str(self.folder)]
            for name in [n for n in sys.modules if n not in self.before and self._is_own(n)]:
                del sys.modules[name]
        sys.path.insert(0, str(folder))
        self.folder, self.before = folder, frozenset(sys.modules)

    def _is_own(self, name: str) -> bool:
        file = getattr(sys.modules[name], "__file__", None)
        if file is None or self.folder is None or name.partition(".")[0] in PACKAGES:
            return False
        path = Path(file).resolve()
        return self.folder in path.parents and not {"site-packages", "dist-packages"} & set(path.parts)


_IMPORTS = _Imports()


def require_names(path: str, claim: Claim | Subject, others: Mapping[str, object]) -> None:
    """Raise InputError if a name is not valid in file names, or if claims or variants have the same name."""
    if claim.name in others and others[claim.name] is not claim:
        raise InputError(f"{path}: names of claims must be distinct, got {claim.name} twice")
    for name in (claim.name, *(variant.name for variant in claim.variants)):
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise InputError(
                f"{path}: a name must consist of lowercase letters, digits and single hyphens,"
                f" at most 80 in all, got {name!r:.60}"
            )
    twice = [name for name, count in Counter(variant.name for variant in claim.variants).items() if count > 1]
    if twice:
        raise InputError(
            f"{path}: the variants of {claim.name} must have distinct names, got {twice[0]} twice"
        )


def _claims(values: Iterable[object], depth: int = 3) -> Iterator[Claim | Subject]:
    """Yield the claims among the values, and in lists, tuples, sets and dicts of them."""
    for value in values:
        if isinstance(value, Claim | Subject):
            yield value
        elif isinstance(value, (list, tuple, set, frozenset)) and depth:
            yield from _claims(value, depth - 1)
        elif isinstance(value, dict) and depth:
            yield from _claims(list(value.values()), depth - 1)


def _known(path: str, claims: dict[str, Claim | Subject], names: Sequence[str], kinds: Sequence[str]) -> None:
    for name in names:
        if name not in claims:
            raise InputError(f"{path}: the claim must be one of {', '.join(claims)}, got {name!r}")
    require_promised(kinds, [claims[name] for name in names or claims], bool(names), f"{path}: ")


def _line_of(path: str, error: BaseException) -> str:
    """Return ``line N: `` for the line of the file that raised the error, or ``""`` if there is none."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return f"line {error.lineno}: "
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == Path(path).resolve()
    ]
    return f"line {lines[-1]}: " if lines else ""


def _in_words(error: BaseException) -> str:
    """Return the exception's name and the first line of its message; for InputError, only that line."""
    # str(error) would repeat the file and the line
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    line = (message.splitlines() or [""])[0]
    return line if isinstance(error, InputError) else f"{type(error).__name__}: {line}"
