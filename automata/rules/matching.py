"""Which labels' rules a sentence matches: the rule system itself, by sets of states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from automata.dfa import sets
from automata.errors import UnknownSymbol
from automata.number_text import shorten
from automata.rules.rule_set import RuleSet
from automata.rules.syntax import Either, Repeat, Rule
from automata.rules.syntax import Sequence as InOrder


def matched(rules: RuleSet, sentences: Iterable[Sequence[str]]) -> list[tuple[str | None, ...]]:
    r"""For each sentence the labels whose rules it matches, in the file's order.

    >>> from automata.rules.rule_files import loads
    >>> from automata.rules.rule_set import rule_set
    >>> found = rule_set(loads("[fare]\n$ * cost $ *\n[any]\n$ *"), ["what", "cost"])
    >>> matched(found, ["BOS what cost EOS".split(), "BOS what EOS".split(), "what".split()])
    [('fare', 'any'), ('any',), ()]

    Raises :class:`~automata.errors.UnknownSymbol` for a word that the vocabulary lacks.
    """
    automaton = rules.automaton
    on = sets(automaton)
    ends = {label: sum(1 << state for state in states) for label, states in rules.labels.items()}
    place = automaton.index
    found = []
    for sentence in sentences:
        states = on.initial
        for word in sentence:
            if word not in place:
                raise UnknownSymbol(f"the vocabulary lacks {shorten(word)}")
            states = on.step(states, place[word])
            if not states:
                break
        found.append(tuple(label for label, end in ends.items() if states & end))
    return found


def mirrored(rule: Rule) -> Rule:
    """The rule that matches the sentences that this one matches, read from their ends (section 3.4).

    >>> from automata.rules.parser import parse
    >>> print(mirrored(parse("free $ * ( phone | phones ) $ *")))
    $ * ( phone | phones ) $ * free
    """
    if isinstance(rule, Repeat):
        return Repeat(mirrored(rule.part), rule.least, rule.most)
    if isinstance(rule, InOrder):
        return InOrder(tuple(map(mirrored, rule.parts[::-1])))
    return Either(tuple(map(mirrored, rule.parts))) if isinstance(rule, Either) else rule
