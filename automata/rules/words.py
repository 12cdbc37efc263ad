"""Classification of vocabulary words by wildcards, and grouping of words that no rule distinguishes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from automata.errors import InputError
from automata.rules.syntax import ANY, MARK, NUMBER, Rule, Wildcard, Word, leaves

BEGIN, END = "BOS", "EOS"
"""The first and last word of a sentence.

No wildcard matches BOS; otherwise "$ a" would accept "BOS a" (section 3.5 has one BOS).
"""


def is_number(word: str) -> bool:
    """Return whether a word consists of digits, with optional punctuation between and around them.

    Examples are 900, 3.50, 7,000, 9-11, $85, and "900." with attached punctuation.

    >>> [is_number(word) for word in ("900", "3.50", "-7", "900.", "m25", "4th", ".")]
    [True, True, True, True, False, False, False]
    """
    return re.fullmatch(r"\W*[0-9]+(\W+[0-9]+)*\W*", word) is not None


def is_mark(word: str) -> bool:
    """Return whether a word consists only of punctuation and symbols.

    >>> [is_mark(word) for word in ("?", "...", "``", "'s", "")]
    [True, True, True, False, False]
    """
    return bool(word) and all(unicodedata.category(sign)[0] in "PS" for sign in word)


def stands_for(wildcard: str, word: str) -> bool:
    """Return whether the wildcard matches the word."""
    if word == BEGIN:
        return False
    return {ANY: True, NUMBER: is_number(word), MARK: is_mark(word)}[wildcard]


@dataclass(frozen=True)
class Letters:
    """A partition of a vocabulary into letters: classes of words that no rule distinguishes.

    Attributes:
        alphabet: the words, in order.
        letter: the letter of each word, in the alphabet's order.
        of_word: the letter of each word that occurs in a rule.
        of_wildcard: the letters of each wildcard.
        count: the number of letters.
        missing: words of rules that are not in the vocabulary.
    """

    alphabet: tuple[str, ...]
    letter: tuple[int, ...]
    of_word: dict[str, int]
    of_wildcard: dict[str, tuple[int, ...]]
    count: int
    missing: tuple[str, ...]

    def one_word_each(self) -> Letters:
        """Return letters over a smaller vocabulary, with only the first word of each letter.

        >>> from automata.rules.parser import parse
        >>> letters([parse("$ * b ?")], ["a", "b", "c"]).one_word_each().alphabet
        ('a', 'b')
        """
        first: dict[int, str] = {}
        for word, letter in zip(self.alphabet, self.letter, strict=True):
            first.setdefault(letter, word)
        return replace(self, alphabet=tuple(first.values()), letter=tuple(first))

    def read(self, leaf: Word | Wildcard) -> tuple[int, ...]:
        """Return the letters that a leaf of a rule matches; there are none for an unknown word."""
        if isinstance(leaf, Wildcard):
            return self.of_wildcard[leaf.kind]
        return (self.of_word[leaf.text],) if leaf.text in self.of_word else ()


def letters(rules: Iterable[Rule], vocabulary: Sequence[str]) -> Letters:
    """Return the letters of some rules over a vocabulary.

    >>> from automata.rules.parser import parse
    >>> letters([parse("$ * a ?")], ["a", "b", "c", "7"]).letter
    (0, 1, 1, 1)
    """
    all_leaves = [leaf for rule in rules for leaf in leaves(rule)]
    named = dict.fromkeys(leaf.text for leaf in all_leaves if isinstance(leaf, Word))
    kinds = tuple(dict.fromkeys(leaf.kind for leaf in all_leaves if isinstance(leaf, Wildcard)))
    alphabet = tuple(dict.fromkeys(vocabulary))
    number: dict[tuple[str | None, tuple[bool, ...]], int] = {}
    letter = []
    for word in alphabet:
        word_class = (word if word in named else None, tuple(stands_for(kind, word) for kind in kinds))
        letter.append(number.setdefault(word_class, len(number)))
    wild = {
        kind: tuple(index for (_, stands), index in number.items() if stands[i])
        for i, kind in enumerate(kinds)
    }
    of_word = {word_class[0]: index for word_class, index in number.items() if word_class[0] is not None}
    return Letters(
        alphabet,
        tuple(letter),
        of_word,
        wild,
        len(number),
        tuple(word for word in named if word not in of_word),
    )


def pseudo_letters(rules: Iterable[Rule], vocabulary: Sequence[str] | None = None) -> Letters:
    """Return the letters of the pseudo automaton of Jiang et al. 2020, section 3.1; wildcards are letters.

    Each word that occurs in a rule and each wildcard is a separate letter.

    >>> pseudo_letters([Wildcard("$"), Word("a"), Word("z")], ["a", "b", "c"])  # doctest: +ELLIPSIS
    Letters(alphabet=('a', 'b', 'c', '$'), letter=(0, 1, 1, 2), ..., missing=('z',))

    Args:
        rules: at least one rule.
        vocabulary: the words other than the wildcards; by default, those of the rules.

    Raises:
        InputError: If a word looks like a wildcard of the rules.
    """
    all_leaves = dict.fromkeys(leaf for rule in rules for leaf in leaves(rule))
    named = [leaf.text for leaf in all_leaves if isinstance(leaf, Word)]
    kinds = [leaf.kind for leaf in all_leaves if isinstance(leaf, Wildcard)]
    words = list(dict.fromkeys(named if vocabulary is None else vocabulary))
    for kind in kinds:
        if kind in words or kind in named:
            raise InputError(
                f"the word {kind!r} clashes with the wildcard {kind}; pass a vocabulary and drop --pseudo"
            )
    alphabet = (*words, *(kind for kind in kinds if kind not in words))
    separate = {*named, *kinds}
    # words that occur in no rule share a letter
    word_classes = [word if word in separate else None for word in alphabet]
    number = {each: index for index, each in enumerate(dict.fromkeys(word_classes))}
    of_word = {word: number[word] for word in named if word in number}
    of_wildcard: dict[str, tuple[int, ...]] = {kind: (number[kind],) for kind in kinds}
    missing = tuple(word for word in named if word not in number)
    return Letters(
        alphabet, tuple(number[each] for each in word_classes), of_word, of_wildcard, len(number), missing
    )
