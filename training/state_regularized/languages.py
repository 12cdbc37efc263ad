"""A language to learn: a Tomita grammar, balanced parentheses up to a depth, or that of a DFA in a file."""

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
        name: what reports and folders call it.
        dfa: its least complete DFA. Data are labelled by it and positive strings drawn from it; what training
            decides never sees it.
    """

    name: str
    dfa: DFA

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The symbols."""
        return tuple(map(str, self.dfa.alphabet))


def language_of(settings: Recipe, data: Path) -> RegularLanguage:
    """The language that such a run learns.

    Args:
        settings: of the run.
        data: the folder with the file, where one is named.

    Raises :class:`~automata.errors.InputError`: the file is none, or there is nothing to learn.
    """
    if isinstance(settings, FromFile):
        return from_file(data / settings.file)
    if isinstance(settings, Nested):
        return balanced(settings.depth)
    assert isinstance(settings, TomitaGrammar)
    return grammar(settings.grammar)


def grammar(number: int) -> RegularLanguage:
    """Tomita's grammar of that number.

    >>> grammar(5).name, grammar(5).dfa.states
    ('tomita-5', 4)
    """
    return RegularLanguage(f"tomita-{number}", tomita.tomita(number).dfa)


def balanced(depth: int) -> RegularLanguage:
    """Parentheses that are balanced and nested at most that deep, with the letter ``a`` between them.

    >>> balanced(4).alphabet, balanced(4).dfa.states
    (('(', ')', 'a'), 6)
    """
    if depth < 1:
        raise InputError(f"--depth is {depth}, where 1 or more is right")
    return RegularLanguage(f"parentheses-{depth}", parentheses.balanced(depth, ("a",)).minimal())


def from_file(path: str | Path) -> RegularLanguage:
    """The language of a boolean automaton in a file; it is named as the file is.

    Raises :class:`~automata.errors.InputError` where there is nothing to tell apart: all strings are
    accepted, or none.
    """
    automaton = files.read(path)
    if automaton.semiring is not BOOLEAN:
        raise FormatError(
            f"{path}: semiring is {automaton.semiring.name}, where boolean is right: a DFA is a boolean"
            " automaton"
        )
    if not automaton.alphabet or not all(isinstance(symbol, str) for symbol in automaton.alphabet):
        raise FormatError(
            f"{path}: the alphabet is {automaton.alphabet!r:.60}, where one symbol or more is right, each a"
            " string"
        )
    least = DFA.from_wfsa(automaton).minimal()
    if least.states == 1:
        raise InputError(
            f"{path}: the automaton accepts {'every' if least.final else 'no'} string, so there is nothing to"
            " learn"
        )
    return RegularLanguage(Path(path).stem, least)
