"""Which module a claim's file is."""

from __future__ import annotations

from theory.registry import modules


def module_of(name: str) -> str:
    """The dotted name of the module whose ``CLAIM`` has that name."""
    return {claim.name: module for module, claim in modules().items()}[name]
