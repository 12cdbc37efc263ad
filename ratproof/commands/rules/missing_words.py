"""A warning for words that rules name and the vocabulary lacks."""

from __future__ import annotations

import warnings

from automata.rules.rule_set import RuleSet
from automata.text.number_text import shorten

NAMED = 5
"""Missing words that are named; the rest are counted."""


def warn_of_missing(compiled: RuleSet) -> None:
    """Warn, where there are any: what a rule says with such a word is not in the automaton."""
    if not compiled.missing:
        return
    more = len(compiled.missing) - NAMED
    shown = ", ".join(map(shorten, compiled.missing[:NAMED])) + (f" and {more} more" if more > 0 else "")
    warnings.warn(
        f"the vocabulary lacks {shown}: what a rule says with them matches no sentence", stacklevel=2
    )
