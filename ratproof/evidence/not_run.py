"""The error for evidence that cannot run on this machine, which is reported as not run."""

from __future__ import annotations


class NotRun(Exception):
    """An error for a missing requirement of the evidence; the message says how to install it."""
