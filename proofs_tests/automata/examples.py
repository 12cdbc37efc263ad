"""How many examples a test draws, where the usual number says no more than a smaller one."""

from __future__ import annotations

from hypothesis import settings


def examples(most: int) -> settings:
    """At most ``most`` examples in the run that is the same every time; in a search with a seed the usual
    number.

    For a test that is parametrised: its parameters share what is searched.
    """
    usual = settings()
    return settings(max_examples=min(most, usual.max_examples)) if usual.derandomize else usual


few, some = examples(10), examples(25)
