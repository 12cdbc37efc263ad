"""From rules to automata: over a vocabulary, or with wildcards as letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from automata import determinisation
from automata.operations import sum_of
from automata.rules.syntax import WILDCARDS, Rule
from automata.rules.thompson import thompson
from automata.rules.words import Letters, letters, pseudo_letters, stands_for
from automata.semirings import BOOLEAN
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA


def compiled(rule: Rule, vocabulary: Sequence[str] | None) -> WFSA:
    """The least deterministic automaton of a rule, without a dead state.

    Args:
        rule: see :func:`automata.rules.parser.parse`.
        vocabulary: the words that sentences have; ``None``: the pseudo automaton of section 3.1, in which
            ``$``, ``%`` and ``&`` are letters as words are.
    """
    return least(rule, pseudo_letters([rule]) if vocabulary is None else letters([rule], vocabulary))


def least(rule: Rule, known: Letters) -> WFSA:
    """The same over letters that other rules share."""
    return determinisation.minimal(thompson(rule, known))


def together(parts: Sequence[WFSA]) -> list[tuple[WFSA, tuple[int, ...]]]:
    """Deterministic automata that accept, between them, what some rule accepts, each with the places of the
    rules whose union it is.

    They have as many states in all as the rules have apart, or fewer. The least automaton of a union can be
    exponentially larger than its parts: one of m rules ``$ * a $ * b $ *`` has to know which of m words it
    has read. So automata are joined only as long as that makes none larger.
    """
    done: list[tuple[WFSA, tuple[int, ...]]] = []
    for place, part in enumerate(parts):
        one, apart = part, []
        own: tuple[int, ...] = (place,)
        for other, places in done:
            both = _joined(one, other)
            if both is None:
                apart.append((other, places))
            else:
                one, own = both, (*places, *own)
        done = [*apart, (one, own)]
    return done


def _joined(left: WFSA, right: WFSA) -> WFSA | None:
    """The least automaton of both, where it has at most as many states as both apart."""
    most = left.states + right.states
    try:
        joined = determinisation.minimal(sum_of(left, right), 2 * most + 2)
    except determinisation.TooManyStates:
        return None
    return joined if joined.states <= most else None


def spelled_out(pseudo: WFSA, vocabulary: Iterable[str]) -> WFSA:
    """The boolean automaton over a vocabulary in which a word goes wherever its own letter or a wildcard that
    stands for it goes.

    Or, not plus: with the wildcard's matrix *added* to a word's, as the authors do, ``$ | a`` would have two
    paths for ``a``.

    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> spelled_out(compiled(parse("$ * a"), None), ["a", "b"]).matrix("a").tolist()
    [[True, True], [False, False]]

    Args:
        pseudo: over words and the letters ``$``, ``%`` and ``&``; a word that the vocabulary lacks is left
            out.
        vocabulary: the words.
    """
    place: dict[tuple[str, ...], int] = {}
    index = {}
    for word in dict.fromkeys(vocabulary):
        letters = tuple(kind for kind in WILDCARDS if kind in pseudo.index and stands_for(kind, word))
        letters += (word,) if word in pseudo.index and word not in WILDCARDS else ()
        index[word] = place.setdefault(letters, len(place))
    tables = [_united(pseudo.states, [pseudo.table(letter) for letter in letters]) for letters in place]
    return WFSA.of_tables(BOOLEAN, pseudo.initial, pseudo.final, tables, index)


def _united(size: int, tables: Iterable[SparseMatrix]) -> SparseMatrix:
    """A transition wherever one of the tables has one."""
    pairs = [pair for t in tables for pair in zip(t.rows.tolist(), t.columns.tolist(), strict=True)]
    return SparseMatrix.of_pairs(size, pairs)
