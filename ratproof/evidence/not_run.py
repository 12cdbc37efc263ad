"""An error for evidence that this machine cannot produce: it is reported as not run, never as a verdict."""

from __future__ import annotations


class NotRun(Exception):
    """An error for a missing requirement of the evidence; the message says how to install it."""
