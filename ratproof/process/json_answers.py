"""Answers as JSON: one object on standard output."""

from __future__ import annotations

import json
from typing import Any

SCHEMA_VERSION = 2
"""Of the objects that ``--json`` prints: a field that goes or changes its meaning makes it one more, and so
does a field that verdicts rest on (``informative``, in 2); another new field does not.
"""


def print_json(data: dict[str, Any]) -> None:
    """One JSON object, on one line, in ASCII: whatever the terminal's encoding, it is read back as the same
    object.
    """
    print(json.dumps({"schema_version": SCHEMA_VERSION, **data}).replace("\x7f", "\\u007f"))
