"""Readable rules of an extracted rule system, and the words that its transitions gained in training.

See Figure 4 of Jiang et al. 2020.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from automata import determinisation
from automata.errors import InputError
from automata.operations import sum_of, trim
from automata.rules.elimination import rule_of
from automata.rules.parser import parse
from automata.rules.rule_set import letters_of
from automata.rules.simplify import either
from automata.rules.syntax import Either, Repeat, Rule, Sequence, Wildcard, Word
from automata.rules.thompson import thompson
from automata.rules.words import BEGIN
from automata.semirings import BOOLEAN
from automata.text.number_text import shorten
from automata.wfsa import WFSA
from neural.fa_rnn.classifier import Classifier, RuleBlock
from training.rules.read_back import ReadBack

FEW = 20
"""The maximum number of words of a set that is written out in a rule; larger sets have a name."""


@dataclass(frozen=True)
class Arrow:
    """A transition between two states of a rule, whose words training has changed.

    Attributes:
        source, target: the states.
        now: the number of words of this transition after training.
        came, went: the words that gained the transition, and the words that lost it.
    """

    source: int
    target: int
    now: int
    came: tuple[str, ...]
    went: tuple[str, ...]


@dataclass(frozen=True)
class ReadRule:
    """A rule of an extracted rule system.

    Attributes:
        label: the label of the rule.
        state: its final state.
        before: the texts of the initial rules with this state; empty if the state belonged to no rule.
        rule: the text of the rule, or ``None`` if it is not written. Words that the rule does not distinguish
            are one letter, such as ``$787`` for 787 words.
        sets: the words of each such letter.
        arrows: the changed transitions.
    """

    label: str
    state: int
    before: tuple[str, ...]
    rule: str | None
    sets: dict[str, tuple[str, ...]]
    arrows: tuple[Arrow, ...]


def block_of(model: Classifier, state: int) -> RuleBlock | None:
    """Return the block of rules to which a state belongs, or ``None``."""
    return next((block for block in model.blocks if state in block.states), None)


def before_training(model: Classifier) -> Tensor:
    """Compile the initial rules again, and return their transitions, shape ``(V, K, K)``.

    Each block of rules has the transitions of its minimal automaton, and a transition with BOS to its start
    state.
    """
    words = tuple(map(str, model.network.words))
    k = model.cell.states
    transitions = torch.zeros(len(words), k, k, dtype=torch.bool)
    start = int(model.network.initial.argmax())
    for block in model.blocks:
        rules = [parse(text) for text in block.rules]
        known = letters_of(rules, words, begins=True)
        # Add and minimise the automata one by one, because the sum of all automata could have exponentially
        # many states.
        several = [determinisation.minimal(thompson(rule, known)) for rule in rules]
        least = reduce(lambda one, other: determinisation.minimal(sum_of(one, other)), several)
        if not block.states:
            continue  # no sentence of these words matches the rules
        if least.states != len(block.states):
            raise InputError(
                f"the rules of {shorten(block.label)} must have {len(block.states)} states as in the"
                f" classifier, got {least.states}"
            )
        states = torch.tensor(block.states)
        for number, word in enumerate(words):
            if word == BEGIN:
                transitions[number, start, states] = torch.tensor(least.initial.tolist())
            else:
                transitions[number, states[:, None], states] = torch.tensor(least.matrix(word).tolist())
    return transitions


def rules_of(model: Classifier, system: ReadBack, write: bool) -> list[ReadRule]:
    """Return the rules of an extracted rule system in order of priority.

    Args:
        model: The network.
        system: The system.
        write: Whether to write each rule as text. This requires a system of separate rules, without
            transitions between the states of different rules.
    """
    old = before_training(model)
    words = tuple(map(str, model.network.words))
    return [_rule_of(model, system, old, words, state, label, write) for state, label in system.rules]


def _rule_of(
    model: Classifier,
    system: ReadBack,
    old: Tensor,
    words: tuple[str, ...],
    state: int,
    label: str,
    write: bool,
) -> ReadRule:
    block = block_of(model, state)
    own = () if block is None else block.states
    inside = torch.tensor([word != BEGIN for word in words])  # BOS occurs only at the start
    arrows = []
    for i in own:
        for j in own:
            now, then = system.transitions[:, i, j] & inside, old[:, i, j] & inside
            if bool((now != then).any()):
                came, went = (
                    tuple(words[number] for number in mask.nonzero()[:, 0].tolist())
                    for mask in (now & ~then, then & ~now)
                )
                arrows.append(Arrow(i, j, int(now.sum()), came, went))
    rule, sets = None, dict[str, tuple[str, ...]]()
    if write:
        named, names = in_sets(without_begin(automaton_of(model, system, state)))
        expression = rule_of(named, names)
        rule = (
            ""
            if expression is None
            else str(spelled(expression, {name: words for name, words in names.items() if len(words) <= FEW}))
        )
        sets = {name: words for name, words in names.items() if len(words) > FEW and name in rule.split()}
    return ReadRule(label, state, () if block is None else block.rules, rule, sets, tuple(arrows))


def automaton_of(model: Classifier, system: ReadBack, state: int) -> WFSA:
    """Return the automaton of the sentences that end in ``state``, or in one of several states."""
    final = np.zeros(len(system.initial), dtype=bool)
    final[state] = True
    tables = system.transitions.numpy()
    return trim(
        WFSA(
            BOOLEAN,
            system.initial.numpy(),
            final,
            {word: tables[number] for number, word in enumerate(model.network.words)},
        )
    )


def without_begin(automaton: WFSA) -> WFSA:
    """Return the automaton of the strings w for which the given automaton accepts BOS w."""
    start = (automaton.initial.astype(int) @ automaton.matrix(BEGIN).astype(int)) > 0
    tables = {word: automaton.matrix(word) for word in automaton.index if word != BEGIN}
    return trim(WFSA(BOOLEAN, start, automaton.final, tables))


def in_sets(automaton: WFSA) -> tuple[WFSA, dict[str, tuple[str, ...]]]:
    """Replace each set of indistinguishable words by one letter.

    A set of one word is named by the word. A set of 787 words is named ``$787``, as in Figure 4, or ``$787b``
    if there is another set of this size.

    Returns:
        The automaton over the letters, and the words of each letter.
    """
    words_by_matrix: dict[bytes, list[str]] = {}
    for word in automaton.index:
        words_by_matrix.setdefault(automaton.matrix(word).tobytes(), []).append(str(word))
    names: dict[str, tuple[str, ...]] = {}
    for words in words_by_matrix.values():
        name = words[0] if len(words) == 1 else f"${len(words)}"
        while name in names:
            name += "b"
        names[name] = tuple(sorted(words))
    tables = {name: automaton.matrix(words[0]) for name, words in names.items()}
    return WFSA(BOOLEAN, automaton.initial, automaton.final, tables), names


def spelled(rule: Rule, names: dict[str, tuple[str, ...]]) -> Rule:
    """Return the rule with some letters replaced by the words that they represent."""
    if isinstance(rule, Word):
        return either(map(Word, names[rule.text])) if rule.text in names else rule
    if isinstance(rule, Wildcard):
        return rule
    if isinstance(rule, Repeat):
        return Repeat(spelled(rule.part, names), rule.least, rule.most)
    parts = tuple(spelled(part, names) for part in rule.parts)
    return either(parts) if isinstance(rule, Either) else Sequence(parts)
