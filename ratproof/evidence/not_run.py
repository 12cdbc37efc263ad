"""Evidence that cannot be had on this machine: it shows nothing, and is told as not run, never as a
verdict.
"""

from __future__ import annotations


class NotRun(Exception):
    """What the evidence needs is not installed here; the message says how to get it."""
