"""The exit statuses of every command."""

from __future__ import annotations

YES = 0
"""The claim holds, the automata are equivalent, the input is accepted, or the command is done."""
NO = 1
"""The result is negative: different, refuted or rejected. For a search, something was found."""
BAD_INPUT = 2
"""An argument or a file is invalid, and nothing was done."""
UNKNOWN = 3
"""The result is unknown or incomplete, or a limit was reached."""
NOT_WRITTEN = 4
"""The output could not be written, so the status does not say anything about the result."""
INTERRUPTED = 130
"""Ctrl-C interrupted the command."""
