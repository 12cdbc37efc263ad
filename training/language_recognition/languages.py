"""The strings of each experiment for training, for the dev set, and for the test sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from training.language_recognition import palindromes, parentheses
from training.language_recognition.settings import Recognition
from training.language_recognition.strings import DrawnStrings, Strings
from training.state_regularized import languages
from training.state_regularized import strings as labelled_strings

DATA_SEED = 20191124
"""The seed of the strings; runs of an experiment differ only in weights, batches and noise."""
TOMITA_TEST_LENGTHS = (50, 200)
DEV_SHARE = 10
"""The factor by which our number of palindromes in the dev set is smaller than the paper's."""


@dataclass(frozen=True)
class Language:
    """A language to learn.

    Attributes:
        alphabet: the symbols.
        training, dev: functions that draw the strings.
        tests: functions that draw the strings of each test set, keyed by the name of the set.
    """

    alphabet: tuple[str, ...]
    training: Callable[[], Strings]
    dev: Callable[[], Strings]
    tests: dict[str, Callable[[], Strings]]


def language(experiment: str, settings: Recognition) -> Language:
    """Return the language of an experiment."""
    languages_by_experiment = {
        "tomita": _tomita,
        "parentheses": _parentheses,
        "palindromes": _palindromes,
        "exchanges": _exchanges,
    }
    return languages_by_experiment[experiment](settings)


def _generator(*numbers: int) -> np.random.Generator:
    return np.random.default_rng([DATA_SEED, *numbers])


def _parentheses(settings: Recognition) -> Language:
    p, small = parentheses, int(settings.size == "small")
    training, dev = p.SIZES[settings.size]
    half = settings.test_strings // 2

    def test(number: int, column: parentheses.ParenthesesColumn) -> Callable[[], Strings]:
        return lambda: p.draw(column, half, settings.test_strings - half, _generator(0, 9, number))

    return Language(
        p.ALPHABET,
        lambda: p.draw(p.TRAINING, *training, _generator(0, 1, small)),
        lambda: p.draw(p.DEV, *dev, _generator(0, 2, small)),
        {column.name: test(number, column) for number, column in enumerate((*p.COLUMNS, p.DEEP))},
    )


def _palindromes(settings: Recognition) -> Language:
    return _palindromes_and(palindromes.USUAL, settings)


def _exchanges(settings: Recognition) -> Language:
    """Return the palindromes with additional negative strings, in which two letters are exchanged.

    The additional strings are in the training and dev sets. The test sets are those of :func:`_palindromes`.
    """
    return _palindromes_and((*palindromes.USUAL, *palindromes.EXCHANGES), settings)


def _palindromes_and(others: tuple[str, ...], settings: Recognition) -> Language:
    p, half = palindromes, settings.test_strings // 2
    training = p.PalindromeColumn("training", p.TRAINING_LENGTHS, others)
    dev = p.PalindromeColumn("dev", p.DEV_LENGTHS, others)

    def test(number: int, column: palindromes.PalindromeColumn) -> Callable[[], Strings]:
        return lambda: p.draw(column, half, settings.test_strings - half, _generator(1, 9, number))

    return Language(
        p.ALPHABET,
        lambda: p.draw(training, *p.SIZES[0], _generator(1, 1)),
        lambda: p.draw(dev, p.SIZES[1][0] // DEV_SHARE, p.SIZES[1][1] // DEV_SHARE, _generator(1, 2)),
        {column.name: test(number, column) for number, column in enumerate(p.COLUMNS)},
    )


def _tomita(settings: Recognition) -> Language:
    """Return the strings of the paper (Tables 9 and 10), and test sets of longer strings."""
    learned = languages.grammar(settings.grammar)

    def test(length: int) -> Callable[[], Strings]:
        rng = _generator(2, 9, settings.grammar, length)
        return lambda: Strings.of(
            [
                DrawnStrings(tokens, label, "accepted" if label else "rejected")
                for tokens, label in labelled_strings.draw_strings(learned, length, rng)
            ]
        )

    def part(index: int) -> Callable[[], Strings]:
        return lambda: _as_drawn(labelled_strings.draw(learned, DATA_SEED)[index])

    tests = {f"l {length}": test(length) for length in TOMITA_TEST_LENGTHS}
    return Language(learned.alphabet, part(0), part(1), tests)


def _as_drawn(strings: labelled_strings.LabelledStrings) -> Strings:
    both = zip(strings.tokens, strings.labels, strict=True)
    return Strings.of(
        [DrawnStrings(tokens, label, "accepted" if label else "rejected") for tokens, label in both]
    )
