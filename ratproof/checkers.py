"""Which of the independent programs checks a certificate."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ratproof import check_bisimulation, check_boxes, check_certificate, check_hankel, check_invariant

FORMAT = "ratproof certificate 1"
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, IndexError, ArithmeticError, MemoryError, RecursionError)
"""What a program raises on a certificate that does not show what it claims."""


def checker_of(data: dict[str, Any]) -> ModuleType:
    """The program for a certificate: of a network with boxes, of a cell, of automata over a field, or over another semiring."""
    if "nodes" in data:
        return check_boxes
    if "boxes" in data:
        return check_invariant
    if "cell" in data:
        return check_hankel
    first = data.get("A")
    field = isinstance(first, dict) and first.get("semiring") in ("real", "counting")
    return check_certificate if field else check_bisimulation
