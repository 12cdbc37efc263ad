"""Settings of Hypothesis that limit the number of examples of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.semirings import Semiring

Test = TypeVar("Test", bound=Callable[..., None])


def examples(most: int) -> settings:
    """At most ``most`` examples in the run that is the same every time; in a search with a seed the usual
    number.

    For a test that is parametrised: its parameters share what is searched.
    """
    usual = settings()
    return settings(max_examples=min(most, usual.max_examples)) if usual.derandomize else usual


few, some = examples(10), examples(25)


def _cases(number: settings) -> Callable[..., Callable[[Test], Test]]:
    def drawn(
        *strategies: st.SearchStrategy[object], **named: st.SearchStrategy[object]
    ) -> Callable[[Test], Test]:
        return lambda test: number(given(*strategies, **named)(test))

    return drawn


few_cases, some_cases = _cases(few), _cases(some)
"""``@few_cases(st.integers())`` is ``@few`` and ``@given(st.integers())``."""


def over(semirings: Iterable[Semiring]) -> pytest.MarkDecorator:
    """Return the mark of a test over each of these semirings, its argument ``k``."""
    return pytest.mark.parametrize("k", list(semirings), ids=lambda k: k.name)
