"""A language to learn: a Tomita grammar, balanced parentheses up to a depth, or the language of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from automata.dfa import DFA
from automata.errors import FormatError, InputError
from automata.io import files
from automata.languages import parentheses, tomita
from automata.semirings import BOOLEAN
from training.state_regularized.settings import FromFile, Nested, Recipe, TomitaGrammar


@dataclass(frozen=True)
class RegularLanguage:
    """A language over symbols that are strings.

    Attributes:
        name: the name in reports and folders.
        dfa: its minimal complete DFA, which labels the data, and from which positive strings are drawn.
            Training does not use it otherwise.
    """

    name: str
    dfa: DFA

    @property
    def alphabet(self) -> tuple[str, ...]:
        """Return the symbols."""
        return tuple(map(str, self.dfa.alphabet))


def language_of(settings: Recipe, data: Path) -> RegularLanguage:
    """Return the language that a run with these settings learns.

    Args:
        settings: the settings of the run.
        data: the folder of the automaton's file, if the settings name a file.

    Raises:
        InputError: If the file is invalid, or the automaton accepts all strings or none.
    """
    if isinstance(settings, FromFile):
        if not settings.file:
            raise InputError("'file' must be the name of a file with a boolean automaton, got ''")
        return from_file(data / settings.file)
    if isinstance(settings, Nested):
        return balanced(settings.depth)
    assert isinstance(settings, TomitaGrammar)
    return grammar(settings.grammar)


def grammar(number: int) -> RegularLanguage:
    """Return Tomita's grammar with the given number, from 1 to 7.

    >>> grammar(5).name, grammar(5).dfa.states
    ('tomita-5', 4)
    """
    return RegularLanguage(f"tomita-{number}", tomita.tomita(number).dfa)


def balanced(depth: int) -> RegularLanguage:
    """Return the language of balanced parentheses up to a depth, with the letter ``a`` between them.

    >>> balanced(4).alphabet, balanced(4).dfa.states
    (('(', ')', 'a'), 6)
    """
    if depth < 1:
        raise InputError(f"--depth must be at least 1, got {depth}")
    return RegularLanguage(f"parentheses-{depth}", parentheses.balanced(depth, ("a",)).minimal())


def from_file(path: str | Path) -> RegularLanguage:
    """Return the language of a boolean automaton in a file; its name is the name of the file.

    Raises:
        InputError: If there is nothing to learn, because the automaton accepts all strings or none.
    """
    automaton = files.read(path)
    if automaton.semiring is not BOOLEAN:
        raise FormatError(
            f"{path}: semiring must be boolean, because a DFA is a boolean automaton, got"
            f" {automaton.semiring.name}"
        )
    if not automaton.alphabet or not all(isinstance(symbol, str) for symbol in automaton.alphabet):
        raise FormatError(
            f"{path}: the alphabet must have at least one symbol, and only strings, got"
            f" {automaton.alphabet!r:.60}"
        )
    least = DFA.from_wfsa(automaton).minimal()
    if least.states == 1:
        raise InputError(
            f"{path}: the automaton must accept at least one string and reject at least one, but it accepts"
            f" {'every' if least.final else 'no'} string"
        )
    return RegularLanguage(Path(path).stem, least)
