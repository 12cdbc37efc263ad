"""From a trained FA-RNN back to automata and rules (Jiang et al. 2020, section 6), and how well they do.

The transition tensor (equation 9) becomes an automaton by a threshold gamma. On a sentence it is in a set of
states, and each state that speaks for a label is a rule: the sentences that reach it. Which label a sentence
gets that several rules match, the paper does not say; here the rules stand in a list, the first that matches
decides, and what matches none gets the most frequent label. The list comes from sequential covering of the
training sentences: next comes the rule that is right most often on those that are left. Gamma, from what
weight of the readout on a state speaks for a label, and how many sentences a rule needs, are chosen on the
dev set.
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
"""From which share of a match's weight in the readout on a state speaks for a label."""
SUPPORTS = (1, 2, 3)
AT_ONCE = 256


@dataclass(frozen=True)
class ReadBackChoice:
    """What the dev set chose.

    Attributes:
        gamma: the threshold of transitions.
        speaks: the share of a match's weight in the readout from which on a state speaks for a label.
        support: how many training sentences a rule has to be right on.
    """

    gamma: float
    speaks: float
    support: int


@dataclass(frozen=True)
class ReadBack:
    """A rule system.

    Attributes:
        transitions: boolean, shape ``(V, K, K)``.
        initial: boolean, shape ``(K,)``.
        rules: (state, label) in the order in which they decide.
        default: the label of a sentence that none matches.
        choice: what it was built with.
        dev: the share of the dev set that is right.
    """

    transitions: Tensor
    initial: Tensor
    rules: tuple[tuple[int, str], ...]
    default: str
    choice: ReadBackChoice
    dev: float

    def said(self, reached: Tensor) -> list[str]:
        """The label of each sentence, from the states that it reaches, shape ``(N, K)``."""
        labels: list[str] = []
        for row in reached.tolist():
            labels.append(next((label for state, label in self.rules if row[state]), self.default))
        return labels


def read_back(
    model: Classifier,
    training: Sentences,
    dev: Sentences,
    apart: bool = False,
    tell: Callable[[str], None] = lambda line: None,
) -> ReadBack:
    """The rule system that is best on the dev set; of equally good ones that with the larger threshold, then
    with the fewer rules.

    Args:
        model: trained, or not.
        training: the sentences that the list is built from.
        dev: what chooses.
        apart: leave out transitions between the states of different rules, which training may have added:
            then each rule is an automaton of a few states, which a person can read.
        tell: called with each stage.
    """
    return best_of(model, model.cell.tensor().detach(), training, dev, GAMMAS, SPEAKS, apart, tell)


def best_of(
    model: Classifier,
    tensor: Tensor,
    training: Sentences,
    dev: Sentences,
    gammas: Sequence[float],
    speaks: Sequence[float],
    apart: bool,
    tell: Callable[[str], None],
    readout: Tensor | None = None,
) -> ReadBack:
    """The system that is best on the dev set, from this tensor and one of the thresholds; with the model's
    own readout, unless there is another.
    """
    weights = model.readout.weight.detach() if readout is None else readout
    if apart:
        tensor = tensor * own_states(model)
    initial = model.network.initial > 0.5
    default = Counter(training.labels).most_common(1)[0][0]
    place = {label: number for number, label in enumerate(model.labels)}
    targets = torch.tensor([place[label] for label in training.labels])
    best: tuple[tuple[float, float, int], ReadBack] | None = None
    for number, gamma in enumerate(gammas, start=1):
        tell(f"threshold {number} of {len(gammas)}")
        transitions = tensor >= gamma
        seen, ends = (reached(transitions, initial, encoded(model, part.words)) for part in (training, dev))
        for share, support in product(speaks, SUPPORTS):
            allowed = weights >= share * SCALE
            pairs = covering(seen, targets, allowed, support, place[default])
            candidate = ReadBack(
                transitions,
                initial,
                tuple((state, model.labels[label]) for state, label in pairs),
                default,
                ReadBackChoice(gamma, share, support),
                0.0,
            )
            right = sum(
                said == label for said, label in zip(candidate.said(ends), dev.labels, strict=True)
            ) / len(dev)
            key = (right, gamma, -len(pairs))
            if best is None or key > best[0]:
                best = key, ReadBack(transitions, initial, candidate.rules, default, candidate.choice, right)
    assert best is not None
    return best[1]


def own_states(model: Classifier) -> Tensor:
    """Which transitions join states of one rule, or lead from a state that is no rule's (the start state),
    shape ``(K, K)``.
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
    """The states that each sentence may end in, shape ``(N, K)``, boolean."""
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
    """States and labels, the surest first: each is right more often, on what those before it leave, than the
    default label is.

    Args:
        seen: the states that each training sentence reaches, shape ``(N, K)``.
        targets: its label, shape ``(N,)``.
        allowed: which states may speak for which labels, shape ``(L, K)``.
        support: the least number of sentences that a rule is right on.
        default: the label of what is left at the end.
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
        place = int(sure.argmax())
        label, state = divmod(place, seen.shape[1])
        if sure[label, state] < 0:
            break
        chosen.append((state, label))
        free[:, state] = False
        left &= ~seen[:, state]
    return chosen


def encoded(model: Classifier, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
    """Sentences as places of words."""
    index = model.network.index
    return [torch.tensor([index[word] for word in sentence]) for sentence in sentences]


def accuracy(system: ReadBack, model: Classifier, part: Sentences) -> float:
    """The share of sentences that the rule system gives the right label."""
    said = system.said(reached(system.transitions, system.initial, encoded(model, part.words)))
    return sum(one == label for one, label in zip(said, part.labels, strict=True)) / len(part)
