"""A vocabulary: the words that sentences have."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from automata.errors import FormatError
from automata.io.files import names_a_file, read_text
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character


def vocabulary(source: str) -> tuple[str, ...]:
    """The words of a file, or those that stand there between commas.

    >>> vocabulary("show,me,flights")
    ('show', 'me', 'flights')

    Args:
        source: a file with a word a line; a JSON file with a list of words, or with one under ``"vocab"``; or
            the words themselves.

    Raises :class:`~automata.errors.FormatError`: it has no words, one twice, or one that is empty or has
    white space.
    """
    if not names_a_file(source):
        if "," not in source and ("/" in source or Path(source).suffix in (".json", ".txt")):
            raise FormatError(
                f"{source}: is no file that can be read; a vocabulary is a file, or words with commas between"
                " them"
            )
        return _checked([word.strip() for word in source.split(",")], f"--vocabulary {shorten(source)}")
    if Path(source).suffix == ".json":
        return _checked(_listed(read_text(source), source), source)
    return _checked([line.strip() for line in read_text(source).split("\n") if line.strip()], source)


def _listed(text: str, where: str) -> list[object]:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if [name for name, _ in pairs].count("vocab") > 1:
            raise FormatError(f"{where}: 'vocab' is there twice")
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=once)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: is no JSON ({str(error).splitlines()[0]})") from None
    words = value.get("vocab") if isinstance(value, dict) else value
    if not isinstance(words, list):
        raise FormatError(
            f'{where}: has no words, where a list of strings is right, or an object with one under "vocab"'
        )
    return words


def _checked(words: list[object], where: str) -> tuple[str, ...]:
    names: list[str] = []
    for place, word in enumerate(words, start=1):
        if not isinstance(word, str) or not word or word.split() != [word]:
            raise FormatError(
                f"{where}: word {place} is {shorten(word)}, where a word without white space is right"
            )
        if has_half_a_character(word):
            raise FormatError(f"{where}: word {place} is {shorten(word)}, half of a character")
        names.append(word)
    twice = [word for word, count in Counter(names).items() if count > 1]
    if twice:
        raise FormatError(f"{where}: has {shorten(twice[0])} twice")
    if not words:
        raise FormatError(f"{where}: has no word")
    return tuple(names)
