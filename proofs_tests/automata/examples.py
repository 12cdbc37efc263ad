"""Settings of Hypothesis that limit the number of examples of a test."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.semirings import Semiring

Test = TypeVar("Test", bound=Callable[..., None])


def examples(most: int) -> settings:
    """Return the settings for at most ``most`` examples; a run with a seed uses Hypothesis's default number.

    If a test is parametrised, its parameters share the examples of a run with a seed.
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
"""``@few_cases(st.integers())`` combines ``@few`` and ``@given(st.integers())``."""


def over(semirings: Iterable[Semiring]) -> pytest.MarkDecorator:
    """Parametrise a test over these semirings, which it receives as the argument ``k``."""
    return pytest.mark.parametrize("k", list(semirings), ids=lambda k: k.name)
