"""Named settings for text classification with rules."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "paper": {},
    "zero-shot": {"share": 0.0, "beta": 1.0, "activation": "clamp"},
}
"""Values for the fields that a command line leaves open: those of the authors' program; and no training, with
matches that count at most once, as the rules have it.
"""
