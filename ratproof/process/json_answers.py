"""Output of results as a single JSON object on standard output."""

from __future__ import annotations

import json

from automata.aliases import JsonObject

SCHEMA_VERSION = 2
"""The version of the objects that ``--json`` prints.

It increases if a field disappears or changes its meaning, or if verdicts depend on a new field
(``informative``, in 2). Other new fields do not change it.
"""


def print_json(data: JsonObject) -> None:
    """Print one JSON object on one line in ASCII, which is independent of the terminal's encoding."""
    print(json.dumps({"schema_version": SCHEMA_VERSION, **data}).replace("\x7f", "\\u007f"))
