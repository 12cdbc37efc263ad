"""Conversion of automata to rules: state elimination, with wildcards where the language allows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from automata import determinisation
from automata.errors import InputError
from automata.operations import remove_epsilon, trim
from automata.rules.simplify import EMPTY, either, repeat, sequence
from automata.rules.syntax import WILDCARDS, Rule, Wildcard, Word
from automata.rules.words import stands_for
from automata.semirings import BOOLEAN
from automata.sparse_matrix import SparseMatrix
from automata.text.number_text import shorten
from automata.wfsa import WFSA

START, END = -1, -2
"""Extra states before the initial and after the final states."""
FEW = 40
"""Up to this many words on a transition, try to drop each word."""
Steps = dict[tuple[int, int], frozenset[str]]


def rule_of(automaton: WFSA, stand: Mapping[str, Sequence[str]] | None = None) -> Rule | None:
    """Return a rule with the automaton's language, or ``None`` if the language is empty.

    A set of words becomes a wildcard, alone or with other words, if the language does not change;
    this is decided exactly.

    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> print(rule_of(compiled(parse("$ * ( a | b ) c $ *"), ["a", "b", "c", "d"])))
    $ * ( a | b ) c $ *

    Args:
        automaton: a boolean automaton.
        stand: the words that a letter represents, if it represents several. A wildcard is used only
            if it matches all of them.

    Raises:
        InputError: If the automaton is not boolean, or a symbol contains white space.
    """
    if not automaton.semiring.is_boolean:
        raise InputError(
            "the automaton must be boolean to read a rule, got one over the"
            f" {automaton.semiring.name} semiring"
        )
    for symbol in automaton.alphabet:
        if str(symbol).split() != [str(symbol)]:
            raise InputError(
                f"symbols must be words without white space to read a rule, got {shorten(symbol)}"
            )
    least = determinisation.minimal(automaton)
    plain = trim(remove_epsilon(automaton))
    small = plain if plain.states <= least.states else least
    if not small.states:
        return None
    return eliminated(small, _widened(small, least, stand or {}))


def words_between(automaton: WFSA) -> Steps:
    """Return the words of the transitions between each pair of states."""
    words_between: dict[tuple[int, int], set[str]] = defaultdict(set)
    users: dict[int, list[str]] = defaultdict(list)
    for word, number in automaton.index.items():
        users[number].append(str(word))
    for number, table in enumerate(automaton.tables):
        for pair in zip(table.rows.tolist(), table.columns.tolist(), strict=True):
            words_between[pair].update(users[number])
    return {pair: frozenset(words) for pair, words in words_between.items()}


def _widened(automaton: WFSA, least: WFSA, stand: Mapping[str, Sequence[str]]) -> dict[tuple[int, int], Rule]:
    """Return the transitions as rules, with wildcards where possible and redundant words dropped."""
    words = [str(word) for word in automaton.alphabet]
    kinds = {kind: _words_of_kind(kind, words, stand) for kind in WILDCARDS}
    steps, wild = words_between(automaton), {}

    def count(several: frozenset[str]) -> int:
        return sum(len(stand.get(word, (word,))) for word in several)

    def try_(pair: tuple[int, int], own: frozenset[str]) -> bool:
        other = {**steps, pair: own}
        if own == steps[pair] or determinisation.minimal(_with(automaton, other)) == least:
            steps[pair] = own
            return True
        return False

    for pair, own in sorted(steps.items(), key=lambda step: (-count(step[1]), step[0])):
        for kind, all_of_it in kinds.items():
            # use a wildcard only for several words; a single word may be the only word that it matches
            many = count(own & all_of_it) >= 2 and count(all_of_it - own) <= count(own)
            if many and try_(pair, own | all_of_it):
                wild[pair] = kind
                break
    # try to drop backward transitions first, and loops last
    for pair in sorted(steps, key=lambda pair: (pair[0] == pair[1], -pair[0], pair[1])):
        if try_(pair, frozenset()):
            del steps[pair]
    for pair in sorted(steps):
        sparing = steps[pair] - (kinds[wild[pair]] if pair in wild else frozenset())
        for word in sorted(sparing) if len(sparing) <= FEW else ():
            try_(pair, steps[pair] - {word})
    return {pair: _rule(own, kinds, wild.get(pair)) for pair, own in steps.items()}


def _words_of_kind(kind: str, words: Sequence[str], stand: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the letters that a wildcard matches.

    The result is empty if the wildcard matches only some of the words that a letter represents.
    """
    fits = {word: {stands_for(kind, one) for one in stand.get(word, (word,))} for word in words}
    return (
        frozenset()
        if any(len(meanings) > 1 for meanings in fits.values())
        else frozenset(word for word in words if True in fits[word])
    )


def _rule(words: frozenset[str], kinds: dict[str, frozenset[str]], kind: str | None) -> Rule:
    others = words if kind is None else words - kinds[kind]
    return either([*([] if kind is None else [Wildcard(kind)]), *map(Word, sorted(others))])


def _with(automaton: WFSA, steps: Steps) -> WFSA:
    by_word: dict[str, list[tuple[int, int]]] = {str(word): [] for word in automaton.alphabet}
    for pair, words in steps.items():
        for word in words:
            by_word[word].append(pair)
    number: dict[frozenset[tuple[int, int]], int] = {}
    index = {word: number.setdefault(frozenset(pairs), len(number)) for word, pairs in by_word.items()}
    tables = [SparseMatrix.of_pairs(automaton.states, pairs) for pairs in number]
    return WFSA.of_tables(BOOLEAN, automaton.initial, automaton.final, tables, index)


def eliminated(automaton: WFSA, arrows: dict[tuple[int, int], Rule]) -> Rule:
    """Return the rule of the automaton by eliminating its states, those with the lowest cost first.

    The argument ``arrows`` has the rule on the transition between each pair of states.
    """
    rules = dict(arrows)
    rules |= {(START, int(q)): EMPTY for q in np.flatnonzero(automaton.initial)}
    rules |= {(int(q), END): EMPTY for q in np.flatnonzero(automaton.final)}
    states = set(range(automaton.states))
    while states:
        state = min(states, key=lambda q: (_added_length(rules, q), q))
        states.remove(state)
        loop = rules.pop((state, state), None)
        around = EMPTY if loop is None else repeat(loop, 0, None)
        into = {q: rule for (q, r), rule in rules.items() if r == state}
        out = {r: rule for (q, r), rule in rules.items() if q == state}
        rules = {pair: rule for pair, rule in rules.items() if state not in pair}
        for q, before in into.items():
            for r, behind in out.items():
                through = sequence([before, around, behind])
                rules[q, r] = either([rules[q, r], through]) if (q, r) in rules else through
    return rules[START, END]


def _added_length(arrows: dict[tuple[int, int], Rule], state: int) -> int:
    """Return how much longer the rules on the transitions become if the state is eliminated."""
    into = [len(str(rule)) for (q, r), rule in arrows.items() if r == state != q]
    out = [len(str(rule)) for (q, r), rule in arrows.items() if q == state != r]
    loop = len(str(arrows.get((state, state), "")))
    return sum(into) * (len(out) - 1) + sum(out) * (len(into) - 1) + loop * (len(into) * len(out) - 1)
