"""Automata back to rules: state elimination, with wildcards where the language allows them."""

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
"""The states before the first and behind the last one."""
FEW = 40
"""Words on an arrow are tried one by one up to so many."""
Steps = dict[tuple[int, int], frozenset[str]]


def rule_of(automaton: WFSA, stand: Mapping[str, Sequence[str]] | None = None) -> Rule | None:
    """A rule with the automaton's language over the automaton's words; ``None`` where it accepts nothing.

    A set of words becomes a wildcard, alone or beside words, where that leaves the language as it is: that is
    decided.

    >>> from automata.rules.compiling import compiled
    >>> from automata.rules.parser import parse
    >>> print(rule_of(compiled(parse("$ * ( a | b ) c $ *"), ["a", "b", "c", "d"])))
    $ * ( a | b ) c $ *

    Args:
        automaton: boolean.
        stand: where a letter stands for several words, which ones; no wildcard is written that stands for
            some of them only.

    Raises :class:`~automata.errors.InputError` for an automaton that is not boolean, and for a symbol with
    white space in it.
    """
    if not automaton.semiring.is_boolean:
        raise InputError(
            f"rules are read from boolean automata; this one is over the {automaton.semiring.name} semiring"
        )
    for symbol in automaton.alphabet:
        if str(symbol).split() != [str(symbol)]:
            raise InputError(
                f"the automaton reads {shorten(symbol)}, and a rule is made of words without white space"
            )
    least = determinisation.minimal(automaton)
    plain = trim(remove_epsilon(automaton))
    small = plain if plain.states <= least.states else least
    if not small.states:
        return None
    return eliminated(small, _widened(small, least, stand or {}))


def words_between(automaton: WFSA) -> Steps:
    """For each pair of states the words that lead from one to the other."""
    words_between: dict[tuple[int, int], set[str]] = defaultdict(set)
    users: dict[int, list[str]] = defaultdict(list)
    for word, place in automaton.index.items():
        users[place].append(str(word))
    for place, table in enumerate(automaton.tables):
        for pair in zip(table.rows.tolist(), table.columns.tolist(), strict=True):
            words_between[pair].update(users[place])
    return {pair: frozenset(words) for pair, words in words_between.items()}


def _widened(automaton: WFSA, least: WFSA, stand: Mapping[str, Sequence[str]]) -> dict[tuple[int, int], Rule]:
    """The steps between states as rules: with wildcards, without arrows and words it can spare."""
    words = [str(word) for word in automaton.alphabet]
    kinds = {kind: _of_kind(kind, words, stand) for kind in WILDCARDS}
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
            # a person writes a wildcard for many words, not for one that happens to be alone of its kind
            many = count(own & all_of_it) >= 2 and count(all_of_it - own) <= count(own)
            if many and try_(pair, own | all_of_it):
                wild[pair] = kind
                break
    # loops are kept as they are as long as they can be, and what leads back goes first
    for pair in sorted(steps, key=lambda pair: (pair[0] == pair[1], -pair[0], pair[1])):
        if try_(pair, frozenset()):
            del steps[pair]
    for pair in sorted(steps):
        sparing = steps[pair] - (kinds[wild[pair]] if pair in wild else frozenset())
        for word in sorted(sparing) if len(sparing) <= FEW else ():
            try_(pair, steps[pair] - {word})
    return {pair: _rule(own, kinds, wild.get(pair)) for pair, own in steps.items()}


def _of_kind(kind: str, words: Sequence[str], stand: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The letters that a wildcard stands for; none, where it stands for some of a letter's words only."""
    fits = {word: {stands_for(kind, one) for one in stand.get(word, (word,))} for word in words}
    return (
        frozenset()
        if any(len(meanings) > 1 for meanings in fits.values())
        else frozenset(word for word in words if True in fits[word])
    )


def _rule(words: frozenset[str], kinds: dict[str, frozenset[str]], kind: str | None) -> Rule:
    beside = words if kind is None else words - kinds[kind]
    return either([*([] if kind is None else [Wildcard(kind)]), *map(Word, sorted(beside))])


def _with(automaton: WFSA, steps: Steps) -> WFSA:
    """The automaton with other steps."""
    by_word: dict[str, list[tuple[int, int]]] = {str(word): [] for word in automaton.alphabet}
    for pair, words in steps.items():
        for word in words:
            by_word[word].append(pair)
    place: dict[frozenset[tuple[int, int]], int] = {}
    index = {word: place.setdefault(frozenset(pairs), len(place)) for word, pairs in by_word.items()}
    tables = [SparseMatrix.of_pairs(automaton.states, pairs) for pairs in place]
    return WFSA.of_tables(BOOLEAN, automaton.initial, automaton.final, tables, index)


def eliminated(automaton: WFSA, arrows: dict[tuple[int, int], Rule]) -> Rule:
    """Eliminate one state after the other, those with few ways through them first."""
    rules = dict(arrows)
    rules |= {(START, int(q)): EMPTY for q in np.flatnonzero(automaton.initial)}
    rules |= {(int(q), END): EMPTY for q in np.flatnonzero(automaton.final)}
    states = set(range(automaton.states))
    while states:
        state = min(states, key=lambda q: (_ways(rules, q), q))
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


def _ways(arrows: dict[tuple[int, int], Rule], state: int) -> int:
    """How much longer the arrows get without it: ways through it, times what is written on them."""
    into = [len(str(rule)) for (q, r), rule in arrows.items() if r == state != q]
    out = [len(str(rule)) for (q, r), rule in arrows.items() if q == state != r]
    loop = len(str(arrows.get((state, state), "")))
    return sum(into) * (len(out) - 1) + sum(out) * (len(into) - 1) + loop * (len(into) * len(out) - 1)
