"""Benchmark of all rules of a data set as one automaton: time and memory of each step.

Run it with ``python bench/large_rules.py FOLDER...``. Each folder has a rule file (``.config``) and labelled
sentences (``train.tsv``, ``dev.tsv``, ``test.tsv``), whose words are the vocabulary. The steps are to compile
the rules, match the sentences, minimise the automaton, and decide that the automaton equals a copy with its
states in another order. The decision and its certificate use a vocabulary with one word from each class of
words that no rule distinguishes, because a certificate lists the transitions of every word.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
from timing import gigabytes, show

from automata.batch import scores
from automata.determinisation import minimal
from automata.equivalence import equivalent
from automata.errors import LimitReached
from automata.operations import trim
from automata.rules import rule_files
from automata.rules.matching import matches
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import letters_of, rule_set
from automata.rules.words import BEGIN, END
from automata.sparse_matrix import SparseMatrix
from automata.wfsa import WFSA
from neural.fa_rnn import sentences as labelled
from ratproof.checkers.table import judge

T = TypeVar("T")


def timed(what: str, work: Callable[[], T]) -> T:
    """Run a step of the benchmark, print its seconds and the peak memory so far, and return its result."""
    begun = perf_counter()
    result = work()
    show(f"  {what}", {"seconds": perf_counter() - begun, "GB": gigabytes()})
    return result


def permuted(automaton: WFSA) -> WFSA:
    """Return the automaton with its states in another order."""
    order = np.random.default_rng(7).permutation(automaton.states)
    back = np.argsort(order)
    tables = [
        SparseMatrix.of_entries(automaton.states, order[t.rows], order[t.columns], t.weights)
        for t in automaton.tables
    ]
    return automaton.replace(initial=automaton.initial[back], final=automaton.final[back], tables=tables)


def minimal_or_none(automaton: WFSA) -> WFSA | None:
    """Return the minimal deterministic automaton.

    If it would be too large, print the limit and return ``None``.
    """
    try:
        return minimal(automaton)
    except LimitReached as limit:
        print(f"  {limit}")
        return None


def main() -> None:
    """Run all steps for the rules in the given folders, and print the figures."""
    folders = [Path(name) for name in sys.argv[1:]]
    rules = [
        Labelled(f"{folder.name} {rule.label}", rule.rule, rule.line)
        for folder in folders
        for rule in rule_files.read(rule_files.rule_file_in(folder))
    ]
    sentences = [s for folder in folders for part in labelled.read(folder).values() for s in part.words]
    words = sorted({word for sentence in sentences for word in sentence} - {BEGIN, END})
    all_rules = timed(f"compile {len(rules)} rules over {len(words)} words", lambda: rule_set(rules, words))
    automaton = all_rules.automaton
    print(f"  {automaton!r}: {automaton.transitions} transitions, {sum(map(len, automaton.tables))} stored")
    timed("trim", lambda: trim(automaton))
    hits = timed(f"match {len(sentences)} sentences", lambda: matches(all_rules, sentences))
    few = sentences[::10]
    right = timed(f"score {len(few)} of them", lambda: scores(automaton, few))
    assert right.astype(bool).tolist() == hits.any(axis=1)[::10].tolist()
    other = permuted(automaton)
    assert timed("equal to itself permuted", lambda: equivalent(automaton, other)).verdict == "equivalent"
    timed("minimise", lambda: minimal_or_none(automaton))
    known = letters_of([rule.rule for rule in rules], words, True).one_word_each()
    one_each = [word for word in known.alphabet if word != END]
    small = rule_set(rules, one_each).automaton
    print(f"  one word for each letter: {small!r}, {small.transitions} transitions")
    answer = timed("equal to itself permuted", lambda: equivalent(small, permuted(small)))
    assert answer.certificate is not None
    data = timed("certificate", lambda: json.dumps(answer.certificate.to_json()))
    print(f"  {len(data) / 1e6:.1f} MB of JSON")
    assert timed("check", lambda: judge(json.loads(data))).verdict == "accepted"
    decided, begun = 0, perf_counter()
    for label in all_rules.labels:
        own = rule_set([rule for rule in rules if rule.label == label], one_each).automaton
        smallest = minimal_or_none(own)
        if smallest is not None:
            assert equivalent(own, smallest).verdict == "equivalent"
            decided += 1
    print(f"  {decided} of {len(all_rules.labels)} labels minimised, and decided equal to that, in", end=" ")
    print(f"{perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
