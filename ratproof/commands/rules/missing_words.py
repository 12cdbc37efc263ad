"""A warning for words in rules that are not in the vocabulary."""

from __future__ import annotations

import warnings

from automata.rules.rule_set import RuleSet
from automata.text.number_text import shorten

NAMED = 5
"""Maximum number of missing words that are listed."""


def warn_of_missing(compiled: RuleSet) -> None:
    """Warn about missing words, because the automaton omits the parts of rules that contain them."""
    if not compiled.missing:
        return
    more = len(compiled.missing) - NAMED
    shown = ", ".join(map(shorten, compiled.missing[:NAMED])) + (f" and {more} more" if more > 0 else "")
    warnings.warn(
        f"the vocabulary lacks {shown}; the parts of rules with these words match no sentence", stacklevel=2
    )
