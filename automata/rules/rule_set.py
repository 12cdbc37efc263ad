"""Combination of a file's rules into one automaton over "BOS words EOS" (Jiang et al. 2020, 3.1 and 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from automata.errors import InputError
from automata.rules.compiling import least, together
from automata.rules.rule_files import Labelled
from automata.rules.syntax import Rule, Word, leaves
from automata.rules.words import BEGIN, END, Letters, letters, pseudo_letters
from automata.semirings import BOOLEAN
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA


@dataclass(frozen=True)
class Part:
    """A deterministic automaton, which is one of the disjoint parts of the combined automaton.

    Attributes:
        label: the label of its rules.
        states: its states.
        rules: the indices of its rules in the file, from 0.
    """

    label: str | None
    states: tuple[int, ...]
    rules: tuple[int, ...]


@dataclass(frozen=True)
class RuleSet:
    """The rules of a file as one automaton, whose final states show which labels match a sentence.

    Attributes:
        automaton: boolean, without epsilon transitions.
        labels: the final states of each label, in the file's order.
        missing: words of rules that are not in the vocabulary.
        starts: the first states of the deterministic automata: the targets of BOS, or the initial
            states.
        begins: whether sentences begin with BOS.
        parts: the deterministic automata.
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
    r"""Return the automaton of some rules.

    >>> from automata.rules.rule_files import loads
    >>> both = rule_set(loads("[fare]\n$ * cost $ *\n[city]\n$ * city $ *"), None)
    >>> both.automaton, both.labels
    (<WFSA: 5 states, 4 symbols, boolean semiring, exact>, {'fare': (2,), 'city': (4,)})

    Args:
        rules: the labelled rules of a file.
        vocabulary: the words; ``None`` selects those of the rules.
        begins: whether sentences begin with BOS, which a start state reads, and end with EOS, which is an
            ordinary word.
        pseudo: whether wildcards are letters, as in the pseudo automaton of Jiang et al. 2020, section 3.1.
            By default, they are letters if there is no vocabulary.
    """
    labelled = list(rules)
    if begins:
        for rule in labelled:
            if Word(BEGIN) in leaves(rule.rule):
                raise InputError(
                    f"{rule.where}: a rule must not contain {BEGIN}, which begins every sentence"
                )
    written = [rule.rule for rule in labelled]
    known = letters_of(written, vocabulary, begins, vocabulary is None if pseudo is None else pseudo)
    one_each = known.one_word_each()
    parts: list[tuple[str | None, WFSA, tuple[int, ...]]] = []
    for label in dict.fromkeys(rule.label for rule in labelled):
        of_label = [position for position, rule in enumerate(labelled) if rule.label == label]
        several = together([_least(labelled[position], one_each) for position in of_label])
        parts += [(label, part, tuple(of_label[i] for i in own)) for part, own in several]
    n = int(begins) + sum(part.states for _, part, _ in parts)
    starting, final = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    labels: dict[str | None, list[int]] = {label: [] for label, _, _ in parts}
    at, blocks = int(begins), []
    for label, part, indices in parts:
        own = slice(at, at + part.states)
        starting[own], final[own] = part.initial, part.final
        labels[label] += (at + np.flatnonzero(part.final)).tolist()
        blocks.append(Part(label, tuple(range(at, at + part.states)), indices))
        at += part.states
    starts = np.flatnonzero(starting)
    tables = _side_by_side(n, int(begins), [part for _, part, _ in parts], one_each.alphabet)
    index = dict(zip(known.alphabet, known.letter, strict=True))
    initial = starting
    if begins:
        initial = np.arange(n) == 0
        tables = [SparseMatrix.of_pairs(n, [(0, q) for q in starts.tolist()]), *tables]
        index = {BEGIN: 0, **{word: position + 1 for word, position in index.items()}}
    automaton = WFSA.of_tables(BOOLEAN, initial, final, tables, index)
    finals = {label: tuple(states) for label, states in labels.items()}
    return RuleSet(automaton, finals, known.missing, tuple(starts.tolist()), begins, tuple(blocks))


def _least(rule: Labelled, known: Letters) -> WFSA:
    """Return the rule's minimal automaton; error messages begin with the rule's file and line."""
    try:
        return least(rule.rule, known)
    except InputError as error:
        raise type(error)(f"{rule.where}: {error}") from error


def _side_by_side(size: int, first: int, parts: Sequence[WFSA], words: Sequence[str]) -> list[SparseMatrix]:
    """Return the matrix of each word in the disjoint union of the parts.

    The states of the parts are numbered consecutively from ``first``.
    """
    numbers = np.cumsum([first, *(part.states for part in parts)])[:-1].tolist()

    def table(word: str) -> SparseMatrix:
        own = [(at, part.table(word)) for at, part in zip(numbers, parts, strict=True)]
        rows, columns = (
            np.concatenate([np.zeros(0, dtype=np.intp), *(at + getattr(t, name) for at, t in own)])
            for name in ("rows", "columns")
        )
        return SparseMatrix.of_entries(size, rows, columns, np.ones(len(rows), dtype=bool))

    return [table(word) for word in words]


def letters_of(
    rules: Sequence[Rule], vocabulary: Sequence[str] | None, begins: bool, pseudo: bool = False
) -> Letters:
    """Return the partition of the vocabulary into letters, which are classes of words, for these rules.

    If ``begins`` is true, the vocabulary includes EOS, but not BOS.
    """
    words = vocabulary
    if vocabulary is not None and begins:
        words = [*(word for word in vocabulary if word != BEGIN), END]
    if pseudo:
        return pseudo_letters(rules, words)
    if words is None:
        raise InputError("rules with wildcards require a vocabulary")
    return letters(rules, words)
