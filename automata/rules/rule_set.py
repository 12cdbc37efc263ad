"""The rules of a file as one automaton over "BOS words EOS" (Jiang et al. 2020, 3.1 and 3.5)."""

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
                    f"{rule.where}: names {BEGIN}, which each sentence has before what the rules are about"
                )
    written = [rule.rule for rule in labelled]
    known = letters_of(written, vocabulary, begins, vocabulary is None if pseudo is None else pseudo)
    one_each = known.one_word_each()
    parts: list[tuple[str | None, WFSA, tuple[int, ...]]] = []
    for label in dict.fromkeys(rule.label for rule in labelled):
        of_label = [place for place, rule in enumerate(labelled) if rule.label == label]
        several = together([_least(labelled[place], one_each) for place in of_label])
        parts += [(label, part, tuple(of_label[i] for i in own)) for part, own in several]
    n = int(begins) + sum(part.states for _, part, _ in parts)
    starting, final = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    labels: dict[str | None, list[int]] = {label: [] for label, _, _ in parts}
    at, blocks = int(begins), []
    for label, part, places in parts:
        own = slice(at, at + part.states)
        starting[own], final[own] = part.initial, part.final
        labels[label] += (at + np.flatnonzero(part.final)).tolist()
        blocks.append(Part(label, tuple(range(at, at + part.states)), places))
        at += part.states
    starts = np.flatnonzero(starting)
    tables = _side_by_side(n, int(begins), [part for _, part, _ in parts], one_each.alphabet)
    index = dict(zip(known.alphabet, known.letter, strict=True))
    initial = starting
    if begins:
        initial = np.arange(n) == 0
        tables = [SparseMatrix.of_pairs(n, [(0, q) for q in starts.tolist()]), *tables]
        index = {BEGIN: 0, **{word: place + 1 for word, place in index.items()}}
    automaton = WFSA.of_tables(BOOLEAN, initial, final, tables, index)
    finals = {label: tuple(states) for label, states in labels.items()}
    return RuleSet(automaton, finals, known.missing, tuple(starts.tolist()), begins, tuple(blocks))


def _least(rule: Labelled, known: Letters) -> WFSA:
    """The rule's automaton; an error says which rule it is."""
    try:
        return least(rule.rule, known)
    except InputError as error:
        raise type(error)(f"{rule.where}: {error}") from error


def _side_by_side(size: int, first: int, parts: Sequence[WFSA], words: Sequence[str]) -> list[SparseMatrix]:
    """For each of those words the transitions of all parts, one behind the other, from that state on."""
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
    """Return the letters of the rules; if sentences begin, with EOS and without BOS."""
    words = vocabulary
    if vocabulary is not None and begins:
        words = [*(word for word in vocabulary if word != BEGIN), END]
    if pseudo:
        return pseudo_letters(rules, words)
    if words is None:
        raise InputError("wildcards stand for the words of a vocabulary, and there is none")
    return letters(rules, words)
