"""The implementation of ``ratproof verify``, which runs the evidence for the papers' claims."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from automata.equivalence.certificates import FORMAT as CERTIFICATE
from automata.errors import InputError, OutputError
from automata.io.files import write_whole
from ratproof.evidence.counterexample import ScriptedCounterexample
from ratproof.evidence.kinds import RUN_ON_STRINGS, Verdict
from ratproof.evidence.results import Result, gather, in_order
from ratproof.ladder import last_run
from ratproof.ladder.counterexample_files import keep, keep_script
from ratproof.ladder.junit import junit
from ratproof.ladder.outcome import Outcome
from ratproof.ladder.request import Request, require
from ratproof.ladder.tasks import EvidenceTask, OnStart, read_inputs, show_all
from theory.claim import EXACT, Claim, Variant
from theory.registry import claim_named, claims

COUNTEREXAMPLES = Path(".ratproof") / "counterexamples"
CERTIFICATES = Path(".ratproof") / "certificates"
NO_TEST = "no test ran"


def verify(request: Request, on_start: OnStart = lambda what, done, total: None) -> Outcome:
    """Run the requested evidence.

    Args:
        request: The request.
        on_start: A callback that receives the task that starts, the number of finished claims, and their
            total number.

    Raises:
        InputError: If a name, a file or a device does not exist.
    """
    require(request)
    read_inputs(request)
    digests = last_run.digest()
    shown = show_all(tasks_of(request), request, on_start)
    results = gather(shown.observations, request.seed)
    stopped = request.stop_early and any(not result.as_expected for result in results)
    if not shown.interrupted and not stopped:
        results += _missing(request, results, shown.not_run)
    results = in_order(results, {name: [v.name for v in c.variants] for name, c in claims().items()})
    notes = keep_evidence(results, request.seed)
    outcome = Outcome(
        results,
        shown.interrupted,
        shown.errors,
        notes,
        shown.not_run,
        stopped=stopped,
        device=request.device,
        other_device=last_run.saved_on_other_device(request.device, digests),
    )
    if request.junit is not None:
        outcome.not_written = write_junit(outcome, request.junit, "ratproof verify")
    last_run.keep(request, outcome, digests)
    return outcome


def tasks_of(request: Request) -> list[EvidenceTask]:
    """Return the requested kinds of evidence, claim by claim, in the order of the papers."""
    return [
        EvidenceTask(name, kind)
        for name in dict.fromkeys(request.claims or claims())
        for kind in dict.fromkeys(kind for v in claim_named(name).variants for kind in v.kinds)
        if request.wants(name, kind)
    ]


def write_junit(outcome: Outcome, file: str, name: str) -> str:
    """Write the JUnit file, and return an error message or ""."""
    try:
        write_whole(file, junit(outcome, name))
    except OutputError as error:
        return str(error)
    return ""


def keep_evidence(results: list[Result], seed: int | None, claims_file: str = "") -> list[str]:
    """Save counterexamples and certificates, and return messages about files that could not be saved.

    The paths of the saved files are stored in the results.

    Args:
        results: The results with their evidence.
        seed: The seed of the run.
        claims_file: The file that defines the claims, for the scripts that run counterexamples again.
    """
    failed: dict[tuple[str, str], list[str]] = {}  # the paths, keyed by the kind of file and the reason
    rows: Counter[tuple[str, str, str]] = Counter()
    for result in results:
        row = result.claim, result.variant, result.kind
        rows[row] += 1
        # a kind may have several rows, for example for exact arithmetic and for torch
        named = result.kind if rows[row] == 1 else f"{result.kind}-{rows[row]}"
        name = f"{result.claim}--{result.variant}--{named}"
        if result.counterexample is not None:
            try:
                kept = _keep(result, named, seed, claims_file)
                result.kept = None if kept is None else str(kept)
            except InputError as error:  # the verdict is still shown
                _add_failure(failed, "counterexample", COUNTEREXAMPLES / name, error)
        if result.certificate is not None and result.certificate.get("format") == CERTIFICATE:
            path = CERTIFICATES / f"{name}.json"
            try:
                write_whole(path, json.dumps(result.certificate, ensure_ascii=False) + "\n")
                result.certificate_file = str(path)
            except InputError as error:
                _add_failure(failed, "certificate", CERTIFICATES / name, error)
    return [
        f"the {what} was not saved: {paths[0]}: {why}"
        if len(paths) == 1
        else f"{len(paths)} {what}s were not saved: {Path(paths[0]).parent}: {why}"
        for (what, why), paths in failed.items()
    ]


def _add_failure(failed: dict[tuple[str, str], list[str]], what: str, file: Path, error: InputError) -> None:
    path, why = str(file), str(error)
    if isinstance(error, OutputError):  # its message begins with the path
        path, _, why = why.partition(": ")
    failed.setdefault((what, why), []).append(path)


def _keep(result: Result, named: str, seed: int | None, claims_file: str) -> Path | None:
    counterexample = result.counterexample
    assert counterexample is not None
    if isinstance(counterexample, ScriptedCounterexample):
        file = str(Path(claims_file).resolve()) if claims_file else ""
        return keep_script(counterexample, file, COUNTEREXAMPLES, named)
    return keep(counterexample, COUNTEREXAMPLES, seed, result.tests[0], named)


def _missing(request: Request, results: list[Result], not_run: list[dict[str, str]]) -> list[Result]:
    """Return a result with the verdict unknown for each requested kind of evidence that no test produced.

    Only evidence that the claims promise is included, except evidence that this machine cannot run.
    """
    there: dict[tuple[str, str, str], set[str | None]] = {}
    for r in results:
        there.setdefault((r.claim, r.variant, r.kind), set()).add(r.ran)
    skipped = {(n["claim"], n["variant"], n["kind"]) for n in not_run}
    return [
        Result(name, v.name, kind, v.expected, Verdict.UNKNOWN, ran, None, request.seed, why=NO_TEST)
        for name in dict.fromkeys(request.claims or claims())
        for v in claim_named(name).variants
        for kind in v.kinds
        if request.wants(name, kind) and (name, v.name, kind) not in skipped
        for ran in _promised(claim_named(name), v, kind)
        if ran not in there.get((name, v.name, kind), set())
    ]


def _promised(claim: Claim, variant: Variant, kind: str) -> tuple[str | None, ...]:
    """Return the names of the implementations that must have run for this kind of evidence."""
    if kind == "sampled":
        return claim.runs_of(variant)
    return (EXACT,) if kind in RUN_ON_STRINGS else (None,)
