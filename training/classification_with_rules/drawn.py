"""Random sentences that match rules.

In training, these sentences represent the labels of rules that do not occur in a small training set.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import numpy as np

from automata.errors import InputError
from automata.rules.matching import transitions
from automata.rules.rule_set import RuleSet
from automata.rules.words import BEGIN, END

NEVER = 10**6
LONGEST, ENOUGH = 40, 15
"""The maximum length of a sentence, and the length after which each word leads closer to a final state."""
AFTER = 5
"""The maximum number of words after a rule has matched."""
RARE = 0.01
"""The weight of a uniform distribution that is added to word frequencies, so that unseen words occur."""


class RuleSentences:
    """A generator of sentences: random walks through the rules' automata from a start to a final state.

    In a share of the steps, a word is drawn uniformly from the words that lead closer to a final state. In
    the other steps, a word is drawn by its frequency in the training sentences, and may lead at most one step
    farther from a final state.

    Args:
        rules: the rules compiled over the words of the sentences.
        sentences: the sentences whose word frequencies are used.
        direct_share: the share of the steps that lead closer to a final state.
    """

    def __init__(self, rules: RuleSet, sentences: Iterable[Sequence[str]], direct_share: float = 0.5) -> None:
        index = rules.automaton.index
        self.words = tuple(map(str, index))
        self.direct_share = direct_share
        number_of = {word: number for number, word in enumerate(self.words)}
        table = transitions(rules)  # the state after each letter; the last state is dead
        self.dead = table.shape[1] - 1
        after = table[np.array(list(index.values()))].T
        final = np.append(np.asarray(rules.automaton.final, dtype=bool), False)
        self.near = final[after[:, number_of[END]]]
        counts = np.zeros(len(self.words))
        for sentence in sentences:
            np.add.at(counts, [number_of[word] for word in sentence], 1)
        counts += RARE * max(1.0, counts.sum()) / len(counts)
        for word in (BEGIN, END):
            after[:, number_of[word]] = self.dead
        self.after, self.counts = after, counts
        self.far = self._distances()
        self.starts: dict[str | None, list[int]] = {}
        for part in rules.parts:
            own = [start for start in rules.starts if start in part.states and self.far[start] < NEVER]
            if own:
                self.starts.setdefault(part.label, []).extend(own)
        self.choices: dict[tuple[int, bool], tuple[np.ndarray, np.ndarray]] = {}

    def _distances(self) -> np.ndarray:
        """Return, for each state, the minimum number of words that complete an accepted sentence."""
        far = np.where(self.near, 0, NEVER)
        while True:
            less = np.minimum(far, 1 + far[self.after].min(axis=1))
            less[self.dead] = NEVER
            if (less == far).all():
                return far
            far = less

    def _next_words(self, state: int, direct: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return the indices of the words that may follow in this state, and their cumulative weights."""
        if (state, direct) not in self.choices:
            far = self.far[self.after[state]]
            fits = far < self.far[state] if direct else (far <= self.far[state] + 1) & (far < NEVER)
            weights = np.where(fits, 1.0 if direct else self.counts, 0.0)
            self.choices[state, direct] = np.flatnonzero(fits), np.cumsum(weights[fits])
        return self.choices[state, direct]

    def draw(self, rng: random.Random) -> tuple[str, ...]:
        """Draw a sentence from BOS to EOS that matches a rule; all labels are equally likely.

        Raises:
            InputError: If no rule matches any sentence.
        """
        if not self.starts:
            raise InputError("no rule matches a sentence that ends with EOS, so no sentence can be drawn")
        state = rng.choice(self.starts[rng.choice(list(self.starts))])
        sentence, more = [BEGIN], rng.randint(0, AFTER)
        while len(sentence) < LONGEST:
            at_end = self.far[state] == 0
            if at_end and (more == 0 or len(sentence) > ENOUGH):
                break
            more -= int(at_end)
            direct = not at_end and (rng.random() < self.direct_share or len(sentence) > ENOUGH)
            words, sums = self._next_words(state, direct)
            if not len(words):
                break
            word = int(
                words[min(np.searchsorted(sums, rng.random() * sums[-1], side="right"), len(words) - 1)]
            )
            sentence.append(self.words[word])
            state = int(self.after[state, word])
        return (*sentence, END)
