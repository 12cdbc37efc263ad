"""Reader for vocabularies, the words that sentences may contain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from automata.errors import FormatError
from automata.io.files import names_a_file, read_text
from automata.text.number_text import shorten
from automata.text.printable_text import has_half_a_character


def vocabulary(source: str, option: str = "--vocabulary") -> tuple[str, ...]:
    """Return the words of a file or of a comma-separated list.

    >>> vocabulary("show,me,flights")
    ('show', 'me', 'flights')

    Args:
        source: a file with one word per line; a JSON file with a list of words, or with such a list under
            ``"vocab"``; or the words, separated by commas.
        option: the option with these words, for messages.

    Raises:
        FormatError: If there are no words, a word occurs twice, is empty, or contains white space.
    """
    if not names_a_file(source):
        if "," not in source and ("/" in source or Path(source).suffix in (".json", ".txt")):
            raise FormatError(f"{source}: a vocabulary must be a readable file or comma-separated words")
        return _checked([word.strip() for word in source.split(",")], f"{option} {shorten(source)}")
    if Path(source).suffix == ".json":
        return _checked(_listed(read_text(source), source), source)
    return _checked([line.strip() for line in read_text(source).split("\n") if line.strip()], source)


def _listed(text: str, where: str) -> list[object]:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if [name for name, _ in pairs].count("vocab") > 1:
            raise FormatError(f"{where}: 'vocab' must occur once")
        return dict(pairs)

    try:
        value = json.loads(text, object_pairs_hook=once)
    except FormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: the file must be JSON ({str(error).splitlines()[0]})") from None
    words = value.get("vocab") if isinstance(value, dict) else value
    if not isinstance(words, list):
        raise FormatError(
            f'{where}: the vocabulary must be a list of strings, or an object with such a list under "vocab"'
        )
    return words


def _checked(words: list[object], where: str) -> tuple[str, ...]:
    names: list[str] = []
    for position, word in enumerate(words, start=1):
        if not isinstance(word, str) or not word or word.split() != [word]:
            raise FormatError(
                f"{where}: word {position} must be a string without white space, got {shorten(word)}"
            )
        if has_half_a_character(word):
            raise FormatError(
                f"{where}: word {position} must not contain a lone surrogate, got {shorten(word)}"
            )
        names.append(word)
    twice = [word for word, count in Counter(names).items() if count > 1]
    if twice:
        raise FormatError(f"{where}: each word must occur once, got {shorten(twice[0])} twice")
    if not words:
        raise FormatError(f"{where}: the file must have at least one word")
    return tuple(names)
