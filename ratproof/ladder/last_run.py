"""The last run of ``verify`` in this folder, with its verdicts and the digests of its sources.

``python -m ratproof.ladder.last_run FILE`` copies the verdicts of the last complete run to a file. The exit
status is 1 if sources or libraries have changed since that run, or if there is no such run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import site
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from types import NoneType

from automata.aliases import JsonObject
from automata.errors import InputError, OutputError
from automata.io.files import write_whole
from automata.text.printable_text import printable
from ratproof.evidence.results import Result
from ratproof.ladder.outcome import Outcome, SavedRun
from ratproof.ladder.request import Request
from ratproof.process.json_answers import SCHEMA_VERSION
from theory.claim import EXACT, TORCH

LAST = Path(".ratproof") / "last-run.json"
WHOLE = {"cpu": Path(".ratproof") / "verdicts.json", "cuda": Path(".ratproof") / "verdicts-cuda.json"}
"""The file of the last complete run, keyed by the device."""
PACKAGES = ("automata", "theory", "neural", "ratproof")
SOURCES = ("*.py", "*.v", "*.cpp", "*.txt", "*.json")


@dataclass(frozen=True)
class SourceDigests:
    """Digests of the sources and libraries on which verdicts depend.

    Attributes:
        sources: The digest of ratproof's programs, theorems and data files.
        libraries: The digest of all installed libraries, Python, and Coq.
    """

    sources: str
    libraries: str


def keep(request: Request, outcome: Outcome, digests: SourceDigests) -> None:
    """Save the results of a run of ``verify`` in this folder, if it is writable.

    The results of a complete run are also saved to a second file, which partial runs do not replace.

    Args:
        request: The request.
        outcome: The outcome of the run.
        digests: The result of :func:`digest` before the run.
    """
    data = {"schema_version": SCHEMA_VERSION, **outcome.to_json(), **digests.__dict__}
    text = json.dumps(data) + "\n"
    with suppress(OutputError):
        write_whole(LAST, text)
        if request.is_whole and not (outcome.interrupted or outcome.errors):
            write_whole(WHOLE[request.device], text)


def unexpected() -> tuple[tuple[str, str], ...]:
    """Return the claims and kinds of evidence whose verdicts in the last run were not the expected ones.

    Raises:
        InputError: If there is no last run, or if it did not end and had no unexpected verdict.
    """
    data = _read(LAST)
    if data is None:
        raise InputError(f"--failed requires a previous run in this folder, but {LAST} contains none")
    different = [row for row in data["results"] if row["verdict"] != row["expected"]]
    if not different and (data.get("interrupted") or data.get("stopped") or data.get("errors")):
        raise InputError(
            "--failed requires a previous run that ended, but the last one did not; run it again"
        )
    return tuple(dict.fromkeys((str(row["claim"]), str(row["kind"])) for row in different))


def current_verdicts() -> str | None:
    """Return the verdicts of the last complete CPU run as JSON, or ``None`` if they are out of date.

    They are out of date if sources or libraries have changed since that run.
    """
    data = _read(WHOLE["cpu"])
    digests = digest()
    if data is None or (data.get("sources"), data.get("libraries")) != (digests.sources, digests.libraries):
        return None
    return json.dumps(data)


def saved_on_other_device(device: str, digests: SourceDigests) -> SavedRun | None:
    """Return the last complete run of the same sources on the other device (CPU or GPU), or ``None``.

    That run may have used other versions of the libraries, which the result contains.
    """
    for other, path in WHOLE.items():
        data = _read(path)
        if other == device or data is None or data.get("sources") != digests.sources:
            continue
        results = _results(data, other)
        if results is not None:
            versions = {str(name): printable(str(version)) for name, version in data["versions"].items()}
            model, when = printable(str(data.get("gpu") or "")), printable(str(data["when"]))
            return SavedRun(other, model, when, versions, results, str(path))
    return None


def _results(data: JsonObject, device: str) -> tuple[Result, ...] | None:
    """Return the results of a saved run, or None if the file is not a valid complete run on that device."""
    try:
        results = tuple(Result.from_json(row) for row in data["results"])
    except (KeyError, TypeError, ValueError):
        return None
    sound = (
        (data.get("schema_version"), data.get("device")) == (SCHEMA_VERSION, device)
        and not any(data.get(trouble) for trouble in ("interrupted", "errors", "stopped"))
        and isinstance(data.get("versions"), dict)
        and isinstance(data.get("gpu"), (str, NoneType))
        and isinstance(data.get("when"), str)
        and all(map(_is_sound, results))
        and all(result.device in (None, device) for result in results)
    )
    return results if sound else None


def _is_sound(result: Result) -> bool:
    """Return whether the fields of a result that the report reads have the expected types."""
    return (
        isinstance(result.variant, str)
        and isinstance(result.facts, dict)
        and result.expected in ("holds", "refuted")
        and result.ran in (None, EXACT, TORCH)
        and isinstance(result.device, (str, NoneType))
    )


def digest() -> SourceDigests:
    """Return the digests of the sources and libraries that verdicts depend on."""
    # exclude the working folder, which is on the path of python -m but not of an installed program
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    libraries = sorted({f"{d.name} {d.version}" for d in distributions(path=folders)})
    coqc = shutil.which("coqc")
    others = (sys.version, libraries, coqc, None if coqc is None else os.stat(coqc).st_mtime_ns)
    result = hashlib.sha256()
    for name in PACKAGES:
        package = importlib.util.find_spec(name)
        for folder in map(Path, (package.submodule_search_locations or ()) if package else ()):
            for path in sorted(p for pattern in SOURCES for p in folder.rglob(pattern)):
                result.update(f"{name}/{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    return SourceDigests(result.hexdigest(), hashlib.sha256(repr(others).encode()).hexdigest())


def _read(path: Path) -> JsonObject | None:
    """Return a saved run, or ``None`` if the file does not exist or is invalid."""
    try:
        data: JsonObject = json.loads(path.read_text(encoding="utf-8"))
        rows = [(row["claim"], row["kind"], row["verdict"], row["expected"]) for row in data["results"]]
        return data if all(isinstance(field, str) for row in rows for field in row) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def main(file: str) -> int:
    """Copy the verdicts if they are up to date, and return the exit status."""
    verdicts = current_verdicts()
    if verdicts is None:
        return 1
    write_whole(file, verdicts + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
