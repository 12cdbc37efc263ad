"""The rules of a file as one automaton over sentences "BOS words EOS" (Jiang et al. 2020, sections 3.1 and 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from automata.errors import InputError
from automata.rules.compiling import together
from automata.rules.rule_files import Labelled
from automata.rules.syntax import Rule, Word, leaves
from automata.rules.words import BEGIN, END, Letters, letters, pseudo_letters
from automata.semirings import BOOLEAN
from automata.wfsa import WFSA


@dataclass(frozen=True)
class RuleSet:
    """An automaton whose final states say which label's rules a sentence matches.

    Attributes:
        automaton: boolean, without epsilon.
        labels: for each label its final states, in the file's order.
        missing: words that rules name and the vocabulary lacks.
        starts: the first states of the deterministic automata that stand side by side in it: where BOS leads, or the initial states.
        begins: do sentences begin with BOS?
    """

    automaton: WFSA
    labels: dict[str | None, tuple[int, ...]]
    missing: tuple[str, ...]
    starts: tuple[int, ...]
    begins: bool


def rule_set(
    rules: Iterable[Labelled], vocabulary: Sequence[str] | None, begins: bool = True, pseudo: bool | None = None
) -> RuleSet:
    r"""The automaton of some rules.

    >>> from automata.rules.rule_files import loads
    >>> found = rule_set(loads("[fare]\n$ * cost $ *\n[city]\n$ * city $ *"), None)
    >>> found.automaton, found.labels
    (<WFSA: 5 states, 4 symbols, boolean semiring, exact>, {'fare': (2,), 'city': (4,)})

    Args:
        rules: of a file.
        vocabulary: the words; ``None``: those of the rules.
        begins: do sentences begin with BOS, which a start state reads, and end with EOS, which is a word like any other?
        pseudo: are wildcards letters (the pseudo automaton of section 3.1)? Without saying, where there is no vocabulary.
    """
    found = list(rules)
    if begins:
        for rule in found:
            if Word(BEGIN) in leaves(rule.rule):
                raise InputError(f"line {rule.line}: names {BEGIN}, which each sentence has before what the rules are about")
    written = [rule.rule for rule in found]
    known = _letters(written, vocabulary, begins, vocabulary is None if pseudo is None else pseudo)
    by_label: dict[str | None, list[WFSA]] = {}
    for label in dict.fromkeys(rule.label for rule in found):
        by_label[label] = together([rule.rule for rule in found if rule.label == label], known)
    parts = [(label, part) for label, own in by_label.items() for part in own]
    n = int(begins) + sum(part.states for _, part in parts)
    initial, final = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    matrices = np.zeros((known.count, n, n), dtype=bool)
    first = np.zeros((n, n), dtype=bool)
    labels: dict[str | None, list[int]] = {label: [] for label in by_label}
    at = int(begins)
    for label, part in parts:
        own = slice(at, at + part.states)
        for place, word in dict(zip(known.letter, known.alphabet, strict=True)).items():
            matrices[place, own, own] = part.matrix(word)
        final[own] = part.final
        (first[0] if begins else initial)[own] = part.initial
        labels[label] += (at + np.flatnonzero(part.final)).tolist()
        at += part.states
    if begins:
        initial[0] = True
    own_matrix = list(matrices)
    transitions = {word: own_matrix[place] for word, place in zip(known.alphabet, known.letter, strict=True)}
    if begins:
        transitions = {BEGIN: first, **transitions}
    automaton = WFSA(BOOLEAN, initial, final, transitions)
    finals = {label: tuple(states) for label, states in labels.items()}
    starts = tuple(np.flatnonzero(first[0] if begins else initial).tolist())
    return RuleSet(automaton, finals, known.missing, starts, begins)


def _letters(rules: Sequence[Rule], vocabulary: Sequence[str] | None, begins: bool, pseudo: bool) -> Letters:
    """The letters of the rules; with EOS, and without BOS, which the start state reads, where sentences begin."""
    words = vocabulary
    if vocabulary is not None and begins:
        words = [*(word for word in vocabulary if word != BEGIN), END]
    if pseudo:
        return pseudo_letters(rules, words)
    if words is None:
        raise InputError("wildcards stand for the words of a vocabulary, and there is none")
    return letters(rules, words)
