"""Matching of sentences against the rules of all labels at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from automata.errors import LimitReached, UnknownSymbol
from automata.rules.rule_set import RuleSet
from automata.rules.syntax import Either, Repeat, Rule
from automata.rules.syntax import Sequence as InOrder
from automata.rules.words import BEGIN
from automata.text.number_text import shorten

MOST_STEPS = 1 << 28
"""Maximum number of letters times states; each entry takes 4 bytes."""


def matched(rules: RuleSet, sentences: Iterable[Sequence[str]]) -> list[tuple[str | None, ...]]:
    r"""Return the labels whose rules each sentence matches, in the file's order.

    >>> from automata.rules.rule_files import loads
    >>> from automata.rules.rule_set import rule_set
    >>> fares = rule_set(loads("[fare]\n$ * cost $ *\n[any]\n$ *"), ["what", "cost"])
    >>> matched(fares, ["BOS what cost EOS".split(), "BOS what EOS".split(), "what".split()])
    [('fare', 'any'), ('any',), ()]

    Raises:
        UnknownSymbol: If a word is not in the vocabulary.
    """
    strings = [tuple(sentence) for sentence in sentences]
    hits = matches(rules, strings)
    labels = tuple(rules.labels)
    return [tuple(labels[index] for index in np.flatnonzero(row)) for row in hits]


def matches(rules: RuleSet, sentences: Sequence[Sequence[str]]) -> NDArray[np.bool_]:
    """Return whether each sentence matches each label, shape ``(B, R)``; see :func:`matched`.

    All deterministic automata read all sentences at once; a step is one table lookup.
    """
    words, lengths = _letters(rules, sentences)
    after = transitions(rules)
    count, n = len(sentences), rules.automaton.states
    at = np.tile(np.array(rules.starts, dtype=np.int32), (count, 1))
    if rules.begins:
        begun = (words[:1] == rules.automaton.index[BEGIN]).any(axis=0) & (lengths > 0)
        at[~begun] = n
    for t in range(int(rules.begins), len(words)):
        running = lengths > t
        at[running] = after[words[t, running, None], at[running]]
    ends = np.zeros((n + 1, len(rules.labels)), dtype=bool)
    for column, states in enumerate(rules.labels.values()):
        ends[list(states), column] = True
    return np.asarray(ends[at].any(axis=1))


def _letters(
    rules: RuleSet, sentences: Sequence[Sequence[str]]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Encode the sentences as letters, shape ``(T, B)``, and return their lengths, shape ``(B,)``."""
    index = rules.automaton.index
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    words = np.zeros((int(lengths.max(initial=0)), len(sentences)), dtype=np.int32)
    try:
        for column, sentence in enumerate(sentences):
            words[: len(sentence), column] = [index[word] for word in sentence]
    except KeyError as error:
        raise UnknownSymbol(f"{shorten(error.args[0])} is not in the vocabulary") from None
    return words, lengths


def transitions(rules: RuleSet) -> NDArray[np.int32]:
    r"""Return the state after each letter in each state, shape ``(letters, n + 1)``; state n is dead.

    If sentences begin with BOS, all letters lead from state 0, which only reads BOS, to the dead state. Begin
    in :attr:`~automata.rules.rule_set.RuleSet.starts` instead.

    >>> from automata.rules.rule_files import loads
    >>> from automata.rules.rule_set import rule_set
    >>> transitions(rule_set(loads("[x]\na EOS"), ["a"])).tolist()  # for BOS, a and EOS
    [[4, 4, 4, 4, 4], [4, 2, 4, 4, 4], [4, 4, 3, 4, 4]]

    Raises:
        LimitReached: If the table would have more than :data:`MOST_STEPS` entries.
    """
    tables, n = rules.automaton.tables, rules.automaton.states
    if len(tables) * (n + 1) > MOST_STEPS:
        raise LimitReached(
            f"the matching table must have at most {MOST_STEPS:,} entries, got {len(tables):,} letters times"
            f" {n + 1:,} states"
        )
    after = np.full((len(tables), n + 1), n, dtype=np.int32)
    for row, table in zip(after, tables, strict=True):
        row[table.rows] = table.columns
    if rules.begins:
        after[:, 0] = n
    return after


def mirrored(rule: Rule) -> Rule:
    """Return the rule that matches the reversed sentences (Jiang et al. 2020, section 3.4).

    >>> from automata.rules.parser import parse
    >>> print(mirrored(parse("free $ * ( phone | phones ) $ *")))
    $ * ( phone | phones ) $ * free
    """
    if isinstance(rule, Repeat):
        return Repeat(mirrored(rule.part), rule.least, rule.most)
    if isinstance(rule, InOrder):
        return InOrder(tuple(map(mirrored, rule.parts[::-1])))
    return Either(tuple(map(mirrored, rule.parts))) if isinstance(rule, Either) else rule
