"""Hypothesis strategies for random rules, which shrink to a word.

>>> from hypothesis import given
>>> @given(rules(("a", "b")))
... def test_a_rule_is_parsed_as_it_is_written(rule): ...
"""

from __future__ import annotations

from collections.abc import Sequence as Many

from hypothesis import strategies as st

from automata.rules.syntax import WILDCARDS, Either, Repeat, Rule, Sequence, Wildcard, Word


def rules(words: Many[str], wildcards: Many[str] = WILDCARDS, leaves: int = 6) -> st.SearchStrategy[Rule]:
    """Return a strategy for rules with the given words and wildcards and at most ``leaves`` leaves."""
    leaf: st.SearchStrategy[Rule] = st.sampled_from([*map(Word, words), *map(Wildcard, wildcards)])
    return st.recursive(leaf, _larger, max_leaves=leaves)


def _larger(inside: st.SearchStrategy[Rule]) -> st.SearchStrategy[Rule]:
    parts = st.lists(inside, min_size=2, max_size=3).map(tuple)
    bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, None), (0, 0), (1, 2), (0, 3), (2, 2)])
    return st.one_of(
        parts.map(Sequence),
        parts.map(Either),
        st.builds(lambda part, many: Repeat(part, *many), inside, bounds),
        st.just(Sequence(())),
    )
