"""Conversion of a trained FA-RNN to automata and rules (Jiang et al. 2020, section 6), and their accuracy.

A threshold gamma converts the transition tensor (equation 9) to an automaton, in which a sentence leads to a
set of states. Each state that votes for a label is a rule, which matches the sentences that reach the state.
The paper does not specify the label of a sentence that matches several rules. Here the rules are ordered, and
the first rule that matches determines the label. If no rule matches, the label is the most frequent label.
The order is determined by sequential covering of the training sentences. The next rule is always the most
accurate rule on the sentences that no earlier rule matches. Three values are chosen on the dev set: gamma,
the minimum readout weight of a state that votes for a label, and the minimum number of sentences of a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor

from neural.fa_rnn.classifier import SCALE, Classifier
from neural.fa_rnn.sentences import Sentences

GAMMAS = (0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.5)
SPEAKS = (0.05, 0.1, 0.2, 0.4, 0.6)
"""The minimum readout weights with which a state votes for a label, as shares of the weight of a match."""
SUPPORTS = (1, 2, 3)
AT_ONCE = 256


@dataclass(frozen=True)
class ReadBackChoice:
    """The values chosen on the dev set.

    Attributes:
        gamma: the threshold of transitions.
        speaks: the minimum readout weight with which a state votes for a label, as a share of the weight of a
            match.
        support: the minimum number of training sentences that a rule classifies correctly.
    """

    gamma: float
    speaks: float
    support: int


@dataclass(frozen=True)
class ReadBack:
    """An ordered rule system that is extracted from a network.

    Attributes:
        transitions: the transitions of the automaton, boolean, shape ``(V, K, K)``.
        initial: the initial states, boolean, shape ``(K,)``.
        rules: (state, label) for each rule, in order of priority.
        default: the label of a sentence that matches no rule.
        choice: the values that were chosen on the dev set.
        dev: the accuracy on the dev set.
    """

    transitions: Tensor
    initial: Tensor
    rules: tuple[tuple[int, str], ...]
    default: str
    choice: ReadBackChoice
    dev: float

    def predict(self, reached: Tensor) -> list[str]:
        """Return the label of each sentence; ``reached`` contains the states it reaches, shape ``(N, K)``."""
        labels: list[str] = []
        for row in reached.tolist():
            labels.append(next((label for state, label in self.rules if row[state]), self.default))
        return labels


def read_back(
    model: Classifier,
    training: Sentences,
    dev: Sentences,
    separate_rules: bool = False,
    progress: Callable[[str], None] = lambda line: None,
    tensor: Tensor | None = None,
    gammas: Sequence[float] = GAMMAS,
    speaks: Sequence[float] = SPEAKS,
    readout: Tensor | None = None,
) -> ReadBack:
    """Return the rule system with the best dev accuracy.

    If several systems have the best accuracy, the larger threshold wins, and then the smaller number of
    rules.

    Args:
        model: the classifier, trained or not.
        training: the sentences that determine the rules and their order.
        dev: the sentences on which values are chosen.
        separate_rules: whether to omit transitions between the states of different rules, which training may
            have added. Each rule is then a readable automaton with few states.
        progress: called with each stage.
        tensor: the transition tensor; by default, the model's.
        gammas: the thresholds to try.
        speaks: the minimum readout weights to try.
        readout: the readout's weights; by default, the model's.
    """
    tensor = model.cell.tensor().detach() if tensor is None else tensor
    weights = model.readout.weight.detach() if readout is None else readout
    if separate_rules:
        tensor = tensor * own_states(model)
    initial = model.network.initial > 0.5
    default = Counter(training.labels).most_common(1)[0][0]
    index = {label: number for number, label in enumerate(model.labels)}
    targets = torch.tensor([index[label] for label in training.labels])
    best: tuple[tuple[float, float, int], ReadBack] | None = None
    for number, gamma in enumerate(gammas, start=1):
        progress(f"threshold {number} of {len(gammas)}")
        transitions = tensor >= gamma
        seen, ends = (reached(transitions, initial, encoded(model, part.words)) for part in (training, dev))
        for share, support in product(speaks, SUPPORTS):
            allowed = weights >= share * SCALE
            pairs = covering(seen, targets, allowed, support, index[default])
            candidate = ReadBack(
                transitions,
                initial,
                tuple((state, model.labels[label]) for state, label in pairs),
                default,
                ReadBackChoice(gamma, share, support),
                0.0,
            )
            predictions = zip(candidate.predict(ends), dev.labels, strict=True)
            right = sum(predicted == label for predicted, label in predictions) / len(dev)
            key = (right, gamma, -len(pairs))
            if best is None or key > best[0]:
                best = key, ReadBack(transitions, initial, candidate.rules, default, candidate.choice, right)
    assert best is not None
    return best[1]


def own_states(model: Classifier) -> Tensor:
    """Return a mask of the transitions within one rule, or from a state of no rule (the start state).

    The mask has shape ``(K, K)``.
    """
    k = model.cell.states
    own, owned = torch.zeros(k, k, dtype=torch.bool), torch.zeros(k, dtype=torch.bool)
    for block in model.blocks:
        states = torch.tensor(block.states, dtype=torch.long)
        own[states[:, None], states] = True
        owned[states] = True
    own[~owned] = True
    return own


def reached(transitions: Tensor, initial: Tensor, rows: Sequence[Tensor]) -> Tensor:
    """Return the states in which each sentence may end, shape ``(N, K)``, boolean."""
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    states = torch.zeros(len(rows), len(initial), dtype=torch.bool)
    for at in range(0, len(order), AT_ONCE):
        group = order[at : at + AT_ONCE]
        words = torch.nn.utils.rnn.pad_sequence([rows[i] for i in group])
        lengths = torch.tensor([len(rows[i]) for i in group])
        h = initial.float().expand(len(group), -1)
        for t in range(len(words)):
            size = int((lengths > t).sum())
            after = torch.bmm(h[:size, None], transitions[words[t, :size]].float())[:, 0]
            h = torch.cat([(after > 0).float(), h[size:]])
        states[group] = h > 0
    return states


def covering(
    seen: Tensor, targets: Tensor, allowed: Tensor, support: int, default: int
) -> list[tuple[int, int]]:
    """Return the rules, which are pairs of a state and a label, in order of priority.

    On the sentences that no earlier rule matches, each rule is correct more often than the default label.

    Args:
        seen: the states that each training sentence reaches, boolean, shape ``(N, K)``.
        targets: the indices of the sentences' labels, shape ``(N,)``.
        allowed: which states may vote for which labels, boolean, shape ``(L, K)``.
        support: the minimum number of sentences that a rule classifies correctly.
        default: the index of the label of sentences without a match.
    """
    states, labels = seen.float(), torch.nn.functional.one_hot(targets, len(allowed)).float()
    left, free = torch.ones(len(seen), dtype=torch.bool), allowed.clone()
    chosen: list[tuple[int, int]] = []
    while left.any():
        matched = states[left].sum(dim=0)
        right = labels[left].T @ states[left]
        more = right - right[default]
        more[default] = right[default]
        sure = (right + 0.5) / (matched + 1) + 1e-6 * right
        sure[~(free & (right >= support) & (more > 0))] = -1
        label, state = divmod(int(sure.argmax()), seen.shape[1])
        if sure[label, state] < 0:
            break
        chosen.append((state, label))
        free[:, state] = False
        left &= ~seen[:, state]
    return chosen


def encoded(model: Classifier, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
    """Return sentences as word indices."""
    index = model.network.index
    return [torch.tensor([index[word] for word in sentence]) for sentence in sentences]


def accuracy(system: ReadBack, model: Classifier, part: Sentences) -> float:
    """Return the share of sentences to which the rule system assigns the correct label."""
    predicted = system.predict(reached(system.transitions, system.initial, encoded(model, part.words)))
    return sum(one == label for one, label in zip(predicted, part.labels, strict=True)) / len(part)
