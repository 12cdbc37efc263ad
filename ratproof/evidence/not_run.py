"""The error for evidence that cannot run on this machine and is therefore reported as not run."""

from __future__ import annotations


class NotRun(Exception):
    """Raised if a requirement of the evidence is missing; the message says how to install the requirement."""
