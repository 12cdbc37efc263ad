"""The exit statuses of every command."""

from __future__ import annotations

YES = 0
"""Holds, equivalent, accepted, done."""
NO = 1
"""Differs, refuted, rejected; or a search found what it looked for."""
BAD_INPUT = 2
"""An argument or a file is not what it should be; nothing was done."""
UNKNOWN = 3
"""Not decided, incomplete, or past a stated limit."""
NOT_WRITTEN = 4
"""There is an answer, and it could not be written: no other status is to be taken for it."""
INTERRUPTED = 130
"""By Ctrl-C."""
