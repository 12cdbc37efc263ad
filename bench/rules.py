"""Benchmark of rule matching, compared with a loop over Python's compiled ``re`` in the same run.

``python bench/rules.py [RULES DIR]`` prints the times and the memory. RULES is a file of rules, and DIR is a
folder with ``train.tsv``, ``dev.tsv`` and ``test.tsv``. Without these arguments, similar rules and sentences
are generated. Both programs compute all labels of all sentences, and the results must agree. The memory is
the peak of NumPy's memory during matching.
"""

import random
import re
import sys
import time
import tracemalloc
from collections.abc import Sequence

import torch
from timing import median, show

from automata.rules import rule_files
from automata.rules.matching import matches
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import rule_set
from automata.rules.syntax import Either, Repeat, Rule, Wildcard, Word
from automata.rules.words import BEGIN, END, stands_for
from neural.fa_rnn import sentences as labelled
from neural.fa_rnn.network import FARNN

REPEATS = 5


def pattern(rule: Rule, words: Sequence[str]) -> str:
    """Convert a rule to a regular expression of Python's ``re``, for text with a blank after each word."""
    if isinstance(rule, Word):
        return re.escape(rule.text) + " "
    if isinstance(rule, Wildcard):
        some = [re.escape(word) for word in words if stands_for(rule.kind, word)]
        return "[^ ]+ " if rule.kind == "$" else f"(?:{'|'.join(some) or '(?!)'}) "
    if isinstance(rule, Repeat):
        return f"(?:{pattern(rule.part, words)}){{{rule.least},{'' if rule.most is None else rule.most}}}"
    joined = ("|" if isinstance(rule, Either) else "").join(pattern(part, words) for part in rule.parts)
    return f"(?:{joined})"


def synthetic() -> tuple[tuple[Labelled, ...], list[tuple[str, ...]]]:
    """Return 27 rules over 900 words, and 6,000 sentences of 3 to 20 words."""
    rng = random.Random(0)
    words = [f"w{i}" for i in range(900)]
    lines = [f"[label {i}]\n$ * ( {words[i]} | {words[i + 30]} ) $ * {words[i + 60]} $ *" for i in range(27)]
    weights = [1 / (1 + i) for i in range(900)]
    sentences = [(BEGIN, *rng.choices(words, weights, k=rng.randint(3, 20)), END) for _ in range(6000)]
    return rule_files.loads("\n".join(lines)), sentences


def main() -> None:
    """Print the seconds of both programs and their ratios."""
    if len(sys.argv) == 3:
        written, parts = rule_files.read(sys.argv[1]), labelled.read(sys.argv[2])
        sentences = [sentence for part in parts.values() for sentence in part.words]
    else:
        written, sentences = synthetic()
    words = sorted({word for sentence in sentences for word in sentence} - {BEGIN, END})
    start_time = time.perf_counter()
    rules = rule_set(written, words)
    compiling = time.perf_counter() - start_time
    by_label: dict[str | None, list[str]] = {}
    for rule in written:
        by_label.setdefault(rule.label, []).append(pattern(rule.rule, words))
    compiled = [re.compile("|".join(f"(?:{one})" for one in some)) for some in by_label.values()]
    texts = ["".join(word + " " for word in sentence[1:]) for sentence in sentences]

    def loop() -> list[list[bool]]:
        return [[one.fullmatch(text) is not None for one in compiled] for text in texts]

    right = loop()
    assert matches(rules, sentences).tolist() == right
    by_re, ours = median(loop, REPEATS), median(lambda: matches(rules, sentences), REPEATS)
    tracemalloc.start()
    matches(rules, sentences)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    network = FARNN.of_rules(rules)
    tokens = network.tokens(sentences)
    with torch.no_grad():
        assert (network(*tokens) > 0.5).tolist() == right
        by_network = median(lambda: network(*tokens), REPEATS)
    sizes = f"{len(words)} words, {rules.automaton.states} states; compiled in {compiling:.2f} s"
    print(f"{len(written)} rules, {len(sentences)} sentences, {sizes}")
    show("  Python's re, a loop", {"seconds": by_re})
    figures = {"seconds": ours, "times as fast as re": by_re / ours, "MiB at most": peak / 2**20}
    show("  matches(), one batch", figures)
    sizes = f"FA-RNN of rank {network.rank}, float32, {torch.get_num_threads()} threads"
    show(f"  {sizes}", {"seconds": by_network, "times as fast as re": by_re / by_network})


if __name__ == "__main__":
    main()
