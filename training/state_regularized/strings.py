"""Labelled strings for training and validation, drawn as in the paper.

See Wang & Niepert 2019, Tables 9 and 10. For each length, there are at most 150 strings of each class, and
the larger class has at most 20 more strings than the smaller class. The paper's generator (Weiss et al. 2018)
samples 1,000 uniform strings per length. For a language as sparse as ``(10)*``, almost none of them are
accepted. Our generator draws accepted strings from the language, and half of the rejected strings are one
change away from an accepted string.

Training strings are drawn first, and they are removed from the validation set. If the training set contains
all strings of a short length, the validation set contains none of this length.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from automata.dfa import DFA
from training.state_regularized.languages import RegularLanguage

TRAINING_LENGTHS = (*range(14), 16, 19, 22)
VALIDATION_LENGTHS = tuple(range(1, 29, 3))
A_LENGTH = 300
"""The maximum number of strings of one length."""
SURPLUS = 20
"""The maximum difference between the numbers of accepted and rejected strings of one length."""
LOOKED_AT = 1000
"""The number of uniform strings of a length that the paper's generator samples."""

Tokens = tuple[int, ...]


@dataclass(frozen=True)
class LabelledStrings:
    """Strings of tokens (indices in the alphabet), sorted by length, each with its label.

    Attributes:
        tokens: the strings.
        labels: whether each string is in the language.
    """

    tokens: tuple[Tokens, ...]
    labels: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def accepted(self) -> int:
        """Return the number of strings in the language."""
        return sum(self.labels)

    @classmethod
    def of(cls, labels: dict[Tokens, bool]) -> LabelledStrings:
        """Create the set from strings and their labels; strings of equal length keep their order."""
        ordered = sorted(labels, key=len)
        return cls(tuple(ordered), tuple(labels[x] for x in ordered))


def draw(
    language: RegularLanguage, seed: int, near_misses: bool = True
) -> tuple[LabelledStrings, LabelledStrings]:
    """Draw strings for training and for validation, which the seed determines.

    Args:
        language: the language that labels the strings.
        seed: a non-negative integer.
        near_misses: whether to use our generator; otherwise, the paper's generator is used.
    """
    rng = np.random.default_rng([seed, 0x5EED])
    longest = max(*TRAINING_LENGTHS, *VALIDATION_LENGTHS) + 1
    source = _Near(language.dfa, longest, rng) if near_misses else _Uniform(language.dfa, rng)
    training: dict[Tokens, bool] = {}
    for length in TRAINING_LENGTHS:
        training |= _balanced(*source.draw(length))
    validation: dict[Tokens, bool] = {}
    for length in VALIDATION_LENGTHS:
        validation |= _balanced(*([x for x in drawn if x not in training] for drawn in source.draw(length)))
    return LabelledStrings.of(training), LabelledStrings.of(validation)


def draw_strings(
    language: RegularLanguage, length: int, rng: np.random.Generator
) -> list[tuple[Tokens, bool]]:
    """Return labelled strings of one length, at most 150 of each class, from our generator."""
    yes, no = _Near(language.dfa, length + 1, rng).draw(length)
    return [(x, True) for x in yes] + [(x, False) for x in no]


def _balanced(accepted: Iterable[Tokens], rejected: Iterable[Tokens]) -> dict[Tokens, bool]:
    yes, no = list(accepted)[: A_LENGTH // 2], list(rejected)[: A_LENGTH // 2]
    most = min(len(yes), len(no)) + SURPLUS
    return dict.fromkeys(yes[:most], True) | dict.fromkeys(no[:most], False)


class _Uniform:
    """The paper's generator: uniform strings of a length, separated by their labels."""

    def __init__(self, dfa: DFA, rng: np.random.Generator) -> None:
        self.dfa, self.rng = dfa, rng

    def draw(self, length: int) -> tuple[list[Tokens], list[Tokens]]:
        drawn = self.rng.integers(len(self.dfa.alphabet), size=(LOOKED_AT, length)).tolist()
        strings = list(dict.fromkeys(map(tuple, drawn)))
        return [x for x in strings if _ends_in(self.dfa, x)], [
            x for x in strings if not _ends_in(self.dfa, x)
        ]


class _Near:
    """Our generator: uniform accepted strings of a length, and rejected strings.

    Half of the rejected strings are uniform, and half are one change away from an accepted string.
    """

    def __init__(self, dfa: DFA, longest: int, rng: np.random.Generator) -> None:
        self.dfa, self.rng = dfa, rng
        self.accepted = _Paths(dfa, dfa.final, longest)
        self.rejected = _Paths(dfa, frozenset(range(dfa.states)) - dfa.final, longest)

    def draw(self, length: int) -> tuple[list[Tokens], list[Tokens]]:
        yes: dict[Tokens, None] = {}
        no: dict[Tokens, None] = {}
        for _ in range(A_LENGTH):
            if self.accepted.some(length) and len(yes) < A_LENGTH // 2:
                yes[self.accepted.draw(length, self.rng)] = None
            if len(no) >= A_LENGTH // 2:
                continue
            if self.rejected.some(length):
                no[self.rejected.draw(length, self.rng)] = None
            missed = self._near_miss(length)
            if missed is not None:
                no[missed] = None
        return list(yes), list(no)

    def _near_miss(self, length: int) -> Tokens | None:
        """Return a rejected string of this length that is one edit away from an accepted string.

        Return ``None`` if the drawn edit does not give a rejected string.
        """
        before = length + int(self.rng.integers(-1, 2))
        if before < 0 or not self.accepted.some(before) or (before == length == 0):
            return None
        string, symbols = list(self.accepted.draw(before, self.rng)), len(self.dfa.alphabet)
        if before < length:
            string.insert(int(self.rng.integers(before + 1)), int(self.rng.integers(symbols)))
        elif before > length:
            string.pop(int(self.rng.integers(before)))
        else:
            string[int(self.rng.integers(before))] = int(self.rng.integers(symbols))
        changed = tuple(string)
        return None if _ends_in(self.dfa, changed) else changed


class _Paths:
    """Uniform strings of a length that lead to given states, drawn symbol by symbol.

    The probability of a symbol is proportional to the number of its completions.
    """

    def __init__(self, dfa: DFA, ends: frozenset[int], longest: int) -> None:
        table = np.array(dfa.table)
        ways = np.array([float(q in ends) for q in range(dfa.states)])
        self.dfa, self.table, self.any = dfa, dfa.table, [bool(ways[dfa.start])]
        # for each number of remaining symbols and each state: the symbols' cumulative shares
        self.cumulative = []
        for _ in range(longest):
            after = ways[table]
            ways = after.sum(axis=1)
            shares = np.cumsum(after, axis=1)
            # The last symbol with a positive share ends at exactly 1, despite rounding.
            self.cumulative.append(
                np.where(
                    shares == shares[:, -1:], 1.0, shares / np.where(ways == 0, 1, ways)[:, None]
                ).tolist()
            )
            self.any.append(bool(ways[dfa.start]))

    def some(self, length: int) -> bool:
        return self.any[length]

    def draw(self, length: int, rng: np.random.Generator) -> Tokens:
        state, symbols = self.dfa.start, []
        for left, chance in zip(range(length - 1, -1, -1), rng.random(length).tolist(), strict=True):
            symbol = bisect(self.cumulative[left][state], chance)  # the first with a larger cumulative share
            symbols.append(symbol)
            state = self.table[state][symbol]
        return tuple(symbols)


def _ends_in(dfa: DFA, string: Tokens) -> bool:
    state = dfa.start
    for symbol in string:
        state = dfa.table[state][symbol]
    return state in dfa.final
