"""Fine-tuning of a network until it can be certified.

Training uses noise on the hidden state, a margin, and a penalty on distances that do not shrink. They turn
the states of the automaton into attractors of the network. The strength of the penalty follows the training
accuracy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from automata.moore import Moore
from ratproof.certification.ordinary_networks.counterexamples import labels_along
from ratproof.certification.ordinary_networks.groups import symbol_groups

BATCH, LONGEST = 96, 40
NOISE, MARGIN, RADIUS = 0.1, 3.0, 0.3
AFTER_ONE, AFTER_FOUR = 0.1, 0.001
"""Ratios to which squared distances should shrink after one and four symbols."""
STEPS, RATE = 600, 3e-3
"""Number of training steps in a round, and the learning rate at its start."""
FIRST_STRENGTH, LEAST_STRENGTH, MOST_STRENGTH = 0.1, 0.01, 3.0


@dataclass(frozen=True)
class Inputs:
    """The input vectors of the symbols.

    Attributes:
        embedding: A table that contains them.
        rows: The row of each symbol, of shape ``(symbols,)``.
    """

    embedding: nn.Embedding
    rows: Tensor

    @classmethod
    def constant(cls, vectors: Tensor) -> Inputs:
        """Return these vectors, of shape ``(symbols, inputs)``, which are not trained."""
        embedding = nn.Embedding(len(vectors), vectors.shape[1], _weight=vectors, _freeze=True)
        return cls(embedding, torch.arange(len(vectors), device=vectors.device))

    def vectors(self) -> Tensor:
        """Return the vectors, of shape ``(symbols, inputs)``."""
        return F.embedding(self.rows, self.embedding.weight, self.embedding.padding_idx)

    @property
    def trainable(self) -> bool:
        """Whether the table may be trained."""
        return self.embedding.weight.requires_grad


@dataclass
class Hardening:
    """The state of a fine-tuning.

    Attributes:
        strength: The factor of the penalty, which grows while all decisions of a batch are correct.
        most_strength: The largest strength; with 0 there is no penalty.
        mistakes: Counterexamples, which become a part of the batches.
    """

    strength: float = FIRST_STRENGTH
    most_strength: float = MOST_STRENGTH
    mistakes: tuple[tuple[int, ...], ...] = ()


def harden_round(
    rnn: nn.RNNBase,
    linear: nn.Linear,
    inputs: Inputs,
    threshold: float,
    machine: Moore,
    hardening: Hardening,
    rng: np.random.Generator,
    until: float,
    progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Train the modules in place for :data:`STEPS` steps, or until the time is up.

    Args:
        rnn: The recurrent layer.
        linear: The classifier of its outputs.
        inputs: The input of each symbol. A trainable table is trained if there are symbols that the automaton
            does not distinguish.
        threshold: The threshold of a single logit.
        machine: The automaton, with the decisions as outputs.
        hardening: The strength of the penalty and the counterexamples; updated in place.
        rng: The source of strings. Torch's global generator is the source of noise.
        until: The value of ``time.monotonic()`` at which to stop.
        progress: Called with a description of the current work.
    """
    similar = similar_symbols(inputs, machine)
    embedded = [inputs.embedding.weight] if inputs.trainable and similar is not None else []
    parameters = list(dict.fromkeys([*rnn.parameters(), *linear.parameters(), *embedded]))
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    for step in range(STEPS):
        if time.monotonic() > until:
            return
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, max(0.03, 2.5 * (1 - step / STEPS)))
        vectors = inputs.vectors()
        words = batch(machine, rng, hardening.mistakes)
        labels = torch.as_tensor(labels_along(machine, words), device=vectors.device)
        states, logits = noisy_run(rnn, linear, vectors, torch.as_tensor(words, device=vectors.device))
        task, right = task_loss(logits, labels, threshold)
        loss = task
        if similar is not None:
            loss = loss + input_penalty(rnn, vectors, similar)
        if hardening.strength:
            loss = loss + hardening.strength * contraction_penalty(rnn, vectors, states)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if step % 10 == 9:
            factor = 1.08 if right >= 0.9995 else 0.85 if right < 0.995 else 1.0
            least = min(LEAST_STRENGTH, hardening.most_strength)
            hardening.strength = float(np.clip(hardening.strength * factor, least, hardening.most_strength))
        if step % 100 == 0:
            progress(f"hardening: {step} of {STEPS} steps, {right:.2%} of the decisions are correct")


def batch(machine: Moore, rng: np.random.Generator, mistakes: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return a batch of strings of one length, shape ``(B, T)``: random, pumped, or misclassified before."""
    table, totals = np.array(machine.table), symbol_chances(machine).cumsum(1)
    length = int(rng.integers(4, 21))
    absorbing = np.array([set(row) == {q} for q, row in enumerate(machine.table)])
    words = np.zeros((BATCH, length), int)
    states = np.full(BATCH, machine.start)

    def drawn(states: np.ndarray) -> np.ndarray:
        return np.asarray((rng.random(len(states))[:, None] > totals[states, :-1]).sum(1))

    for position in range(length):
        # half of the strings avoid absorbing states at nearly all positions
        careful = (np.arange(BATCH) % 2 == 0) & (rng.random(BATCH) > 0.5 / length)
        words[:, position] = drawn(states)
        for _ in range(4):
            redo = careful & absorbing[table[states, words[:, position]]]
            words[redo, position] = drawn(states[redo])
        states = table[states, words[:, position]]
    if rng.random() < 0.5:
        start, width = int(rng.integers(length)), int(rng.integers(1, 4))
        block = words[:, start : start + width]
        times = int(rng.integers(2, 2 + 24 // width))
        words = np.concatenate([words[:, :start], *[block] * times, words[:, start + width :]], 1)[
            :, :LONGEST
        ]
    if mistakes and rng.random() < 0.5:
        word = np.array(mistakes[int(rng.integers(len(mistakes)))])[: 10 * LONGEST]
        tails = rng.integers(table.shape[1], size=(BATCH, 4))
        words = np.concatenate([np.tile(word, (BATCH, 1)), tails], 1)
    return words


def symbol_chances(machine: Moore) -> np.ndarray:
    """Return the probability of each symbol in each state of the automaton, of shape ``(states, symbols)``.

    Half of it is the same for all symbols. The other half is the same for all successors of the state, so
    that rare symbols occur if they matter.
    """
    table = np.array(machine.table)
    chances = np.full(table.shape, 0.5 / table.shape[1])
    for row, targets in zip(chances, table, strict=True):
        _, kinds, counts = np.unique(targets, return_inverse=True, return_counts=True)
        row += 0.5 / (len(counts) * counts[kinds])
    return chances


def noisy_run(rnn: nn.RNNBase, linear: nn.Linear, vectors: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
    """Return noisy states after each symbol, of shape ``(T, B, D)``, and logits of shape ``(T, B, C)``."""
    state = vectors.new_zeros(len(words), _size(rnn))
    states, outputs = [], []
    for position in range(words.shape[1]):
        state, hidden = advance(rnn, vectors[words[:, position]], state, NOISE)
        states.append(state)
        outputs.append(hidden)
    return torch.stack(states), linear(torch.stack(outputs))


def task_loss(logits: Tensor, labels: Tensor, threshold: float) -> tuple[Tensor, float]:
    """Return the loss of the decisions after each prefix, with a margin, and the share of correct decisions.

    Args:
        logits: Shape ``(T, B, C)``.
        labels: Shape ``(B, T)``.
        threshold: The threshold of a single logit.
    """
    targets = labels.T
    if logits.shape[-1] == 1:
        signed = (logits[..., 0] - threshold) * (2 * targets - 1)
        loss = F.softplus(-signed).mean()
    else:
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        own = logits.gather(2, targets[..., None])[..., 0]
        others = logits.scatter(2, targets[..., None], -torch.inf).amax(2)
        signed = own - others
    return loss + 0.1 * F.relu(MARGIN - signed).mean(), float((signed > 0).double().mean())


def similar_symbols(inputs: Inputs, machine: Moore) -> Tensor | None:
    """Return the group of each symbol, of shape ``(symbols,)``, so that each group has similar inputs.

    Returns:
        The groups of symbols that the automaton does not distinguish. None if there are no such symbols, or
        if their inputs can hardly become similar, because the vectors are constant and not independent.
    """
    groups = symbol_groups(machine)
    vectors = inputs.vectors()
    if len(groups) == len(vectors):
        return None
    if not inputs.trainable and torch.linalg.matrix_rank(vectors) < len(vectors):
        return None
    result = torch.empty(len(vectors), dtype=torch.long, device=vectors.device)
    for number, group in enumerate(groups):
        result[group] = number
    return result


def input_penalty(rnn: nn.RNNBase, vectors: Tensor, groups: Tensor) -> Tensor:
    """Return a penalty for different inputs of the first layer within a group of symbols.

    Then a proof can treat a group as one symbol (:mod:`ratproof.certification.ordinary_networks.groups`).
    """
    received = F.linear(vectors, rnn.all_weights[0][0])
    counts = groups.bincount()
    sums = received.new_zeros(len(counts), received.shape[1]).index_add(0, groups, received)
    return (received - (sums / counts[:, None])[groups]).square().sum(1).mean()


def contraction_penalty(rnn: nn.RNNBase, vectors: Tensor, states: Tensor) -> Tensor:
    """Return a penalty for pairs of nearby states whose distance does not shrink enough.

    The squared distance should shrink by the factors ``AFTER_ONE`` and ``AFTER_FOUR`` after one and four
    symbols.

    Some differences are large in a few entries, and others in most. In a difference with many large entries,
    the entries that shrink slowly would hardly matter.
    """
    count = states.shape[1]
    base = states[torch.randint(len(states), (count,)), torch.arange(count)]
    mask = torch.rand_like(base) < torch.rand(count, 1, device=base.device)
    difference = RADIUS * torch.randn_like(base) * mask + 1e-4 * torch.randn_like(base)
    first, second = base, base + difference
    before = difference.square().sum(1)
    penalty = base.new_zeros(())
    for step in range(4):
        inputs = vectors[torch.randint(len(vectors), (count,))]
        first, _ = advance(rnn, inputs, first)
        second, _ = advance(rnn, inputs, second)
        if step in (0, 3):
            ratio = (first - second).square().sum(1) / before
            penalty = penalty + F.relu(ratio - (AFTER_ONE if step == 0 else AFTER_FOUR)).mean()
    return penalty


def advance(rnn: nn.RNNBase, inputs: Tensor, state: Tensor, noise: float = 0.0) -> tuple[Tensor, Tensor]:
    """Return the next state, of shape ``(B, D)`` as in OrdinaryNetwork, and the last layer's output."""
    parts: list[Tensor] = []
    olds = list(torch.split(state, rnn.hidden_size, 1))
    hidden = inputs
    for layer in range(rnn.num_layers):
        weights: list[Any] = [*rnn.all_weights[layer]]
        weights += [None] * (4 - len(weights))
        if isinstance(rnn, nn.LSTM):
            pair = [olds[2 * layer], olds[2 * layer + 1]]
            hidden, memory = torch.lstm_cell(hidden, pair, *weights)
            new = [hidden, memory]
        else:
            hidden = _cell(rnn)(hidden, olds[layer], *weights)
            new = [hidden]
        if noise:
            new = [part + noise * torch.randn_like(part) for part in new]
        hidden = new[0]
        parts += new
    return torch.cat(parts, 1), hidden


def _cell(rnn: nn.RNNBase) -> Callable[..., Tensor]:
    if isinstance(rnn, nn.GRU):
        return torch.gru_cell
    relu = isinstance(rnn, nn.RNN) and rnn.nonlinearity == "relu"
    return torch.rnn_relu_cell if relu else torch.rnn_tanh_cell


def _size(rnn: nn.RNNBase) -> int:
    return rnn.hidden_size * rnn.num_layers * (2 if isinstance(rnn, nn.LSTM) else 1)
