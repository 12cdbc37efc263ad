"""The rules of a file as one automaton over sentences "BOS words EOS" (Jiang et al. 2020, sections 3.1 and
3.5).
"""

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
from automata.wfsa import MOST_BOOLEANS, WFSA, require_room


@dataclass(frozen=True)
class Part:
    """One of the deterministic automata that stand side by side.

    Attributes:
        label: of its rules.
        states: its own.
        rules: their places in the file, from 0.
    """

    label: str | None
    states: tuple[int, ...]
    rules: tuple[int, ...]


@dataclass(frozen=True)
class RuleSet:
    """An automaton whose final states say which label's rules a sentence matches.

    Attributes:
        automaton: boolean, without epsilon.
        labels: for each label its final states, in the file's order.
        missing: words that rules name and the vocabulary lacks.
        starts: the first states of the deterministic automata that stand side by side in it: where BOS leads,
            or the initial states.
        begins: do sentences begin with BOS?
        parts: what stands side by side.
    """

    automaton: WFSA
    labels: dict[str | None, tuple[int, ...]]
    missing: tuple[str, ...]
    starts: tuple[int, ...]
    begins: bool
    parts: tuple[Part, ...] = ()


def rule_set(
    rules: Iterable[Labelled],
    vocabulary: Sequence[str] | None,
    begins: bool = True,
    pseudo: bool | None = None,
) -> RuleSet:
    r"""The automaton of some rules.

    >>> from automata.rules.rule_files import loads
    >>> both = rule_set(loads("[fare]\n$ * cost $ *\n[city]\n$ * city $ *"), None)
    >>> both.automaton, both.labels
    (<WFSA: 5 states, 4 symbols, boolean semiring, exact>, {'fare': (2,), 'city': (4,)})

    Args:
        rules: of a file.
        vocabulary: the words; ``None``: those of the rules.
        begins: do sentences begin with BOS, which a start state reads, and end with EOS, which is a word like
            any other?
        pseudo: are wildcards letters (the pseudo automaton of section 3.1)? Without saying, where there is no
            vocabulary.
    """
    labelled = list(rules)
    if begins:
        for rule in labelled:
            if Word(BEGIN) in leaves(rule.rule):
                raise InputError(
                    f"line {rule.line}: names {BEGIN}, which each sentence has before what the rules are"
                    " about"
                )
    written = [rule.rule for rule in labelled]
    known = letters_of(written, vocabulary, begins, vocabulary is None if pseudo is None else pseudo)
    parts: list[tuple[str | None, WFSA, tuple[int, ...]]] = []
    for label in dict.fromkeys(rule.label for rule in labelled):
        of_label = [place for place, rule in enumerate(labelled) if rule.label == label]
        several = together([written[place] for place in of_label], known)
        parts += [(label, part, tuple(of_label[i] for i in own)) for part, own in several]
    n = int(begins) + sum(part.states for _, part, _ in parts)
    require_room(BOOLEAN, n, known.count + 1, most=MOST_BOOLEANS)
    initial, final = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    matrices = np.zeros((known.count, n, n), dtype=bool)
    first = np.zeros((n, n), dtype=bool)
    labels: dict[str | None, list[int]] = {label: [] for label, _, _ in parts}
    at, blocks = int(begins), []
    for label, part, places in parts:
        own = slice(at, at + part.states)
        for place, word in dict(zip(known.letter, known.alphabet, strict=True)).items():
            matrices[place, own, own] = part.matrix(word)
        final[own] = part.final
        (first[0] if begins else initial)[own] = part.initial
        labels[label] += (at + np.flatnonzero(part.final)).tolist()
        blocks.append(Part(label, tuple(range(at, at + part.states)), places))
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
    return RuleSet(automaton, finals, known.missing, starts, begins, tuple(blocks))


def letters_of(
    rules: Sequence[Rule], vocabulary: Sequence[str] | None, begins: bool, pseudo: bool = False
) -> Letters:
    """The letters of the rules; with EOS, and without BOS, which the start state reads, where sentences
    begin.
    """
    words = vocabulary
    if vocabulary is not None and begins:
        words = [*(word for word in vocabulary if word != BEGIN), END]
    if pseudo:
        return pseudo_letters(rules, words)
    if words is None:
        raise InputError("wildcards stand for the words of a vocabulary, and there is none")
    return letters(rules, words)
