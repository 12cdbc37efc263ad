"""Compilation of rules to automata, over a vocabulary or with wildcards as letters."""

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
    """Return the minimal deterministic automaton of a rule, without a dead state.

    Args:
        rule: see :func:`automata.rules.parser.parse`.
        vocabulary: the words of the sentences; ``None`` selects the pseudo automaton of section
            3.1, in which ``$``, ``%`` and ``&`` are letters like words.
    """
    return least(rule, pseudo_letters([rule]) if vocabulary is None else letters([rule], vocabulary))


def least(rule: Rule, known: Letters) -> WFSA:
    """Return the minimal deterministic automaton of a rule over letters shared with other rules."""
    return determinisation.minimal(thompson(rule, known))


def together(parts: Sequence[WFSA]) -> list[tuple[WFSA, tuple[int, ...]]]:
    """Merge the automata of rules into deterministic automata, each with the indices of its rules.

    Together they have at most as many states as the inputs. The minimal automaton of a union can be
    exponentially larger than its parts: one for m rules ``$ * a $ * b $ *`` must track which of m
    words it has read. Automata are therefore merged only if the result has at most as many states
    as the two parts.
    """
    done: list[tuple[WFSA, tuple[int, ...]]] = []
    for index, part in enumerate(parts):
        one, separate = part, []
        own: tuple[int, ...] = (index,)
        for other, indices in done:
            both = _joined(one, other)
            if both is None:
                separate.append((other, indices))
            else:
                one, own = both, (*indices, *own)
        done = [*separate, (one, own)]
    return done


def _joined(left: WFSA, right: WFSA) -> WFSA | None:
    """Return the minimal automaton of the union of two languages.

    Return ``None`` if it has more states than the two automata together.
    """
    most = left.states + right.states
    try:
        joined = determinisation.minimal(sum_of(left, right), 2 * most + 2)
    except determinisation.TooManyStates:
        return None
    return joined if joined.states <= most else None


def spelled_out(pseudo: WFSA, vocabulary: Iterable[str]) -> WFSA:
    """Expand a pseudo automaton over a vocabulary.

    A word takes every transition of its own letter and of the wildcards that match it. The matrices
    are combined by "or", not added. If the wildcard's matrix were *added* to a word's, as the
    authors do, ``$ | a`` would have two paths for ``a``.


    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> spelled_out(compiled(parse("$ * a"), None), ["a", "b"]).matrix("a").tolist()
    [[True, True], [False, False]]

    Args:
        pseudo: a boolean automaton over words and the letters ``$``, ``%`` and ``&``; words outside the
            vocabulary are dropped.
        vocabulary: the words.
    """
    number: dict[tuple[str, ...], int] = {}
    index = {}
    for word in dict.fromkeys(vocabulary):
        letters = tuple(kind for kind in WILDCARDS if kind in pseudo.index and stands_for(kind, word))
        letters += (word,) if word in pseudo.index and word not in WILDCARDS else ()
        index[word] = number.setdefault(letters, len(number))
    tables = [_united(pseudo.states, [pseudo.table(letter) for letter in letters]) for letters in number]
    return WFSA.of_tables(BOOLEAN, pseudo.initial, pseudo.final, tables, index)


def _united(size: int, tables: Iterable[SparseMatrix]) -> SparseMatrix:
    """Return the entrywise "or" of boolean tables."""
    pairs = [pair for t in tables for pair in zip(t.rows.tolist(), t.columns.tolist(), strict=True)]
    return SparseMatrix.of_pairs(size, pairs)
