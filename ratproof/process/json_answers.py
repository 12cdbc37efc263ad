"""Output of results as a single JSON object on standard output."""

from __future__ import annotations

import json

from automata.aliases import JsonObject

SCHEMA_VERSION = 2
"""The version of the objects that ``--json`` prints.

The version increases if a field is removed or changes its meaning, or if verdicts depend on a new field
(``informative``, in version 2). Other new fields do not change the version.
"""


def print_json(data: JsonObject) -> None:
    """Print a JSON object on one line, in ASCII, which does not depend on the terminal's encoding."""
    print(json.dumps({"schema_version": SCHEMA_VERSION, **data}).replace("\x7f", "\\u007f"))
