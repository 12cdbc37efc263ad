"""Tests of training strings: labels, lengths, counts, disjoint sets, and the same strings for a seed."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata.languages.random_dfas import random_minimal_dfa
from automata.languages.tomita import tomita
from training.state_regularized import strings
from training.state_regularized.languages import RegularLanguage, balanced, grammar
from training.state_regularized.strings import TRAINING_LENGTHS, VALIDATION_LENGTHS, LabelledStrings


def languages() -> st.SearchStrategy[RegularLanguage]:
    random = st.builds(
        lambda n, s: RegularLanguage(f"{n}-{s}", random_minimal_dfa(n, ("a", "b"), s)),
        st.integers(2, 8),
        st.integers(0, 9),
    )
    return st.one_of(st.integers(1, 7).map(grammar), st.integers(1, 4).map(balanced), random)


@settings(max_examples=12)
@given(languages(), st.integers(0, 99), st.booleans())
def test_drawn_strings_are_sorted_distinct_and_disjoint(language, seed, near_misses):
    training, validation = strings.draw(language, seed, near_misses)
    assert (training, validation) == strings.draw(language, seed, near_misses)
    assert not set(training.tokens) & set(validation.tokens)
    for part, lengths in ((training, TRAINING_LENGTHS), (validation, VALIDATION_LENGTHS)):
        assert len(set(part.tokens)) == len(part)
        assert [len(x) for x in part.tokens] == sorted(len(x) for x in part.tokens)
        _right(language, part, lengths)


def _right(language: RegularLanguage, part: LabelledStrings, lengths: tuple[int, ...]) -> None:
    counts = Counter[tuple[int, bool]]()
    for tokens, label in zip(part.tokens, part.labels, strict=True):
        assert label == language.dfa.accepts([language.alphabet[a] for a in tokens])
        counts[len(tokens), label] += 1
    assert {length for length, _ in counts} <= set(lengths)
    for length in lengths:
        yes, no = counts[length, True], counts[length, False]
        assert max(yes, no) <= min(strings.A_LENGTH // 2, min(yes, no) + strings.SURPLUS)


@pytest.mark.parametrize("number", range(1, 8))
def test_labels_are_those_of_the_words(number):
    training, _ = strings.draw(grammar(number), 0)
    for tokens, label in zip(training.tokens, training.labels, strict=True):
        assert label == tomita(number).contains("".join(map(str, tokens)))


def test_a_sparse_language_has_accepted_strings_of_every_possible_length():
    training, _ = strings.draw(grammar(2), 0)
    accepted = {len(x) for x, label in zip(training.tokens, training.labels, strict=True) if label}
    assert accepted == {0, 2, 4, 6, 8, 10, 12, 16, 22}
    uniform, _ = strings.draw(grammar(2), 0, near_misses=False)
    assert uniform.accepted < len(accepted)  # as in the paper's Table 9, which has 6


def test_other_seeds_give_other_strings():
    assert strings.draw(grammar(5), 0) != strings.draw(grammar(5), 1)
