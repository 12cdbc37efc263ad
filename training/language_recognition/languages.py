"""The strings of each experiment for training, for the dev set, and for the test sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

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


def _drawn_language(
    module: Any,
    experiment: int,
    training: tuple[Any, Sequence[int]],
    dev: tuple[Any, Sequence[int]],
    columns: Sequence[Any],
    settings: Recognition,
    *numbers: int,
) -> Language:
    """Return the language of a module, whose sets are columns with numbers of strings.

    The seeds of a set depend on the number of the experiment; ``numbers`` are for training and dev sets only.
    """
    half = settings.test_strings // 2
    halves = half, settings.test_strings - half

    def draw(column: Any, many: Sequence[int], *more: int) -> Callable[[], Strings]:
        return lambda: module.draw(column, *many, _generator(experiment, *more))

    tests = {column.name: draw(column, halves, 9, number) for number, column in enumerate(columns)}
    return Language(module.ALPHABET, draw(*training, 1, *numbers), draw(*dev, 2, *numbers), tests)


def _parentheses(settings: Recognition) -> Language:
    p, small = parentheses, int(settings.size == "small")
    training, dev = p.SIZES[settings.size]
    columns = (*p.COLUMNS, p.DEEP)
    return _drawn_language(p, 0, (p.TRAINING, training), (p.DEV, dev), columns, settings, small)


def _palindromes(settings: Recognition) -> Language:
    return _palindromes_and(palindromes.USUAL, settings)


def _exchanges(settings: Recognition) -> Language:
    """Return the palindromes with additional negative strings, in which two letters are exchanged.

    The additional strings are in the training and dev sets. The test sets are those of :func:`_palindromes`.
    """
    return _palindromes_and((*palindromes.USUAL, *palindromes.EXCHANGES), settings)


def _palindromes_and(others: tuple[str, ...], settings: Recognition) -> Language:
    p, dev_sizes = palindromes, [many // DEV_SHARE for many in palindromes.SIZES[1]]
    training = p.PalindromeColumn("training", p.TRAINING_LENGTHS, others), p.SIZES[0]
    dev = p.PalindromeColumn("dev", p.DEV_LENGTHS, others), dev_sizes
    return _drawn_language(p, 1, training, dev, p.COLUMNS, settings)


def _tomita(settings: Recognition) -> Language:
    """Return the strings of the paper (Tables 9 and 10), and test sets of longer strings."""
    learned = languages.grammar(settings.grammar)

    def test(length: int) -> Callable[[], Strings]:
        rng = _generator(2, 9, settings.grammar, length)
        return lambda: _labelled(labelled_strings.draw_strings(learned, length, rng))

    @cache
    def parts() -> tuple[labelled_strings.LabelledStrings, labelled_strings.LabelledStrings]:
        return labelled_strings.draw(learned, DATA_SEED)

    def part(index: int) -> Strings:
        drawn = parts()[index]
        return _labelled(zip(drawn.tokens, drawn.labels, strict=True))

    tests = {f"l {length}": test(length) for length in TOMITA_TEST_LENGTHS}
    return Language(learned.alphabet, partial(part, 0), partial(part, 1), tests)


def _labelled(strings: Iterable[tuple[Sequence[int], bool]]) -> Strings:
    return Strings.of(
        [DrawnStrings(tokens, label, "accepted" if label else "rejected") for tokens, label in strings]
    )
