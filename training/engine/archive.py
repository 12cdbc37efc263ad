"""The kept results of a campaign: one compressed file of JSON lines, a line for each run."""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from automata.io.files import write_whole

ARCHIVE = "results.jsonl.xz"


def write_archive(results: Mapping[str, dict[str, Any]], folder: Path) -> None:
    """Write the results of runs, by name, into the folder's archive; the same results give the same bytes."""
    lines = [
        json.dumps({"run": name, "result": results[name]}, ensure_ascii=False, separators=(",", ":"))
        for name in sorted(results)
    ]
    write_whole(folder / ARCHIVE, lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=9))


def read_archive(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the results in the folder's archive by the names of their runs, in the order of these; none if
    there is no archive.

    Raises :class:`~automata.errors.FormatError` if the file is not an archive, or a line has no result.
    """
    from training.engine.results import require_result

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
            f"{path}: must hold compressed JSON lines with run and result, got {error}"
        ) from None
    return {name: require_result(result, f"{path}, {name}") for name, result in named.items()}
