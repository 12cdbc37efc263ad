"""Results of runs as JSON files, and archives of campaign results."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from automata.errors import FormatError, InputError, OutputError
from automata.io.files import read_text, write_whole
from neural.state_regularized.component import finite
from training.engine.names import RESULT
from training.engine.progress import Progress
from training.engine.settings import Settings
from training.machine import installation, machine

FORMAT = 1
ARCHIVE = "results.jsonl.xz"
"""The file name of a campaign's archive of results, which has one line per run and is compressed."""
KEYS = ("experiment", "model", "seed", "metrics", "paper", "seconds", "machine", "configuration")
"""The entries of every result."""
PAPER_FIGURES = ("accuracy", "deviation", "perplexity", "_error_")
"""Parts of the names of the paper's figures; other entries, such as the source, may be texts."""
RATE = "_per_second"
"""The suffix of the names of metrics that depend on the machine."""


def result(
    experiment: str,
    settings: Settings,
    progress: Progress,
    metrics: dict[str, Any],
    paper: dict[str, Any] | None,
    more: dict[str, Any],
) -> dict[str, Any]:
    """Return the result of a finished run.

    Args:
        experiment: the name of the experiment, such as ``sst2``.
        settings: the settings of the run.
        progress: the progress of the loop.
        metrics: the metrics by name.
        paper: the paper's figures for these settings, or ``None``.
        more: further entries of the result.
    """
    return {
        "format": FORMAT,
        "experiment": experiment,
        "model": settings.model,
        "seed": settings.seed,
        "metrics": metrics,
        "paper": paper,
        "seconds": round(progress.seconds, 1),
        "machine": machine() | installation(),
        "configuration": settings.to_json(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "epochs": progress.epoch,
        "best_epoch": progress.best_epoch,
        "steps": progress.step,
        **more,
    }


def write(data: dict[str, Any], path: Path) -> None:
    """Write the result of a run to a JSON file.

    Raises :class:`~automata.errors.InputError` if it cannot be written; the checkpoint is not affected.
    """
    try:
        write_whole(path, json.dumps(data, ensure_ascii=False, indent=1) + "\n", durable=True)
    except OutputError as error:
        raise InputError(f"{error}; the trained network is saved, and --resume writes the result") from None


def read(path: str | Path) -> dict[str, Any]:
    """Read the result of a run from a JSON file.

    Raises :class:`~automata.errors.FormatError` if the file is not a result.
    """
    text = read_text(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: the file must be the JSON result of a run") from None
    return require_result(data, path)


def require_result(data: Any, where: str | Path) -> dict[str, Any]:
    """Return the parsed JSON; raise :class:`~automata.errors.FormatError` if it is not a result."""
    lacking = [key for key in KEYS if key not in data] if isinstance(data, dict) else list(KEYS)
    if lacking:
        raise FormatError(f"{where}: the result of a run must have {lacking[0]}")
    wrong = _wrong(data)
    if wrong is not None:
        raise FormatError(f"{where}: in the result of a run, {wrong}")
    checked: dict[str, Any] = data
    return checked


def _wrong(data: dict[str, Any]) -> str | None:
    """Return the first requirement that the result violates, or ``None``; no required key may be missing."""
    paper, decided = data["paper"], data.get("decided")
    accuracy = data["metrics"].get("test_accuracy", 0) if isinstance(data["metrics"], dict) else 0
    checks = {
        "experiment and model must be names": all(
            isinstance(data[key], str) for key in ("experiment", "model")
        ),
        "seed must be a non-negative integer": type(data["seed"]) is int and data["seed"] >= 0,
        "seconds must be a non-negative number": finite(data["seconds"]) and data["seconds"] >= 0,
        "machine must be an object": isinstance(data["machine"], dict),
        "metrics must be an object of numbers": _numbers(data["metrics"]),
        "the test accuracy must be between 0 and 1": finite(accuracy) and 0 <= accuracy <= 1,
        "configuration must be an object of settings": isinstance(data["configuration"], dict)
        and all(isinstance(value, str | bool) or finite(value) for value in data["configuration"].values()),
        "paper must be an object or null, and its figures must be numbers": paper is None or _paper(paper),
        "data must have the number of sentences, tokens or strings of each part": _parts(
            data.get("data", {})
        ),
        "decided must be null or have a claim, the number of units, and layers with their symbols": decided
        is None
        or _decided(decided),
        "epochs and best_epoch must be integers": all(
            type(data.get(key)) is int for key in ("epochs", "best_epoch")
        ),
    }
    return next((rule for rule, holds in checks.items() if not holds), None)


def _numbers(values: Any) -> bool:
    return isinstance(values, dict) and all(value is None or finite(value) for value in values.values())


def _decided(decided: Any) -> bool:
    if not isinstance(decided, dict) or type(decided.get("units")) is not int:
        return False
    layers = decided.get("layers")
    return (isinstance(decided.get("claim"), str) and isinstance(layers, list)) and all(
        isinstance(layer, dict) and type(layer.get("symbols")) is int and isinstance(layer.get("of"), str)
        for layer in layers
    )


def _paper(paper: Any) -> bool:
    """Return whether the paper's figures are numbers, and ``errors`` is an object of numbers."""
    if not isinstance(paper, dict) or not isinstance(paper.get("errors", {}), dict):
        return False
    figures = {name: value for name, value in paper.items() if any(one in name for one in PAPER_FIGURES)}
    return all(map(finite, [*figures.values(), *paper.get("errors", {}).values()]))


def _parts(data: Any) -> bool:
    if not isinstance(data, dict):
        return False
    parts = [data[name] for name in ("train", "dev", "test") if name in data]
    sizes = [size_of(part) if isinstance(part, dict) else None for part in parts]
    return all(type(size) is int and finite(size) and size > 0 for size in sizes)


def size_of(part: dict[str, Any]) -> Any:
    """Return the number of sentences, tokens or strings of a split in a result, or ``None``."""
    return next((part[unit] for unit in ("sentences", "tokens", "strings") if unit in part), None)


def write_archive(results: Mapping[str, dict[str, Any]], folder: Path) -> None:
    """Write results, keyed by name, to the folder's archive; equal results give equal bytes."""
    lines = [
        json.dumps({"run": name, "result": results[name]}, ensure_ascii=False, separators=(",", ":"))
        for name in sorted(results)
    ]
    write_whole(folder / ARCHIVE, lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=9))


def read_archive(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the results in the folder's archive by run name, in the order of the names.

    The mapping is empty if there is no archive.

    Raises :class:`~automata.errors.FormatError` if the file is not an archive, or if a line is not a result.
    """
    path = folder / ARCHIVE
    if not path.exists():
        return {}
    try:
        lines = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
        named = {str(line["run"]): line["result"] for line in lines}
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (lzma.LZMAError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise FormatError(
            f"{path}: the file must contain compressed JSON lines with run and result, got {error}"
        ) from None
    return {name: require_result(result, f"{path}, {name}") for name, result in named.items()}


def results_in(folder: str | Path) -> list[dict[str, Any]]:
    """Return all results in a folder and its subfolders, ordered by path and name.

    Results are in single files and in archives. JSON files that are not results are skipped, and copies of a
    result are returned once.

    Raises :class:`~automata.errors.InputError` if the folder does not exist, or a ``result.json`` or an
    archive in it is invalid.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{folder}: the path must be a folder with results (result.json below it)")
    distinct: dict[str, dict[str, Any]] = {}  # by their text, because NaN equals NaN there
    for path in result_files(root):
        for data in read_archive(path.parent).values() if path.name == ARCHIVE else _results_at(path):
            distinct.setdefault(json.dumps(data, sort_keys=True), data)
    return list(distinct.values())


def result_files(folder: Path) -> list[Path]:
    """Return the archives and JSON files in a folder and its subfolders, ordered by path."""
    return sorted([*folder.rglob("*.json"), *folder.rglob(ARCHIVE)])


def _results_at(path: Path) -> list[dict[str, Any]]:
    """Return the result in a file as a list, which is empty if the file is not a result."""
    try:
        return [read(path)]
    except FormatError:
        if path.name == RESULT:
            raise
        return []
