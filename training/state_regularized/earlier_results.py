"""Results of runs that were measured before the engine had them: files of another format, which are read and
added to as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from automata.files import read_text

FORMAT = "training results 1"


def read(path: Path) -> dict[str, Any]:
    """The results in a file; none where there is no file.

    Raises :class:`~automata.errors.FormatError` where it is something else.
    """
    if not path.exists():
        return {"runs": []}
    try:
        results = json.loads(read_text(path))
    except ValueError as error:
        raise FormatError(f"{path}: is no JSON ({error})") from None
    if (
        not isinstance(results, dict)
        or results.get("format") != FORMAT
        or not isinstance(results.get("runs"), list)
    ):
        raise FormatError(f'{path}: holds no results: format "{FORMAT}" is right')
    return results
