"""The training loop: cross-entropy, Adam, and the epoch that is best on the dev set.

All that an epoch draws depends on the seed and the epoch's number alone, and a run is kept after each epoch:
interrupted and gone on with, it gives the same classifier. Test sentences are not here.
"""

from __future__ import annotations

import copy
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from neural.fa_rnn.classifier import Classifier
from neural.fa_rnn.sentences import Sentences
from training.engine.threads import one_thread
from training.fa_rnn.drawn import RuleSentences
from training.fa_rnn.recipe import Recipe

Outcome = Literal["trained", "out of time", "interrupted"]
AT_ONCE = 256
POOL = 20
"""Batches are of sentences of like lengths: those of so many batches are sorted together."""
SLOWEST = 0.01
"""The share of the learning rate that is left at the end."""


@dataclass
class Progress:
    """How far a run is.

    Attributes:
        epoch: how many are done; before the first one -1.
        steps: of Adam.
        best: dev accuracy, and its cross-entropy turned round, of the best epoch; best_epoch: which one.
        history: for each epoch from 0 on its dev accuracy and cross-entropy.
        seconds: spent, those before an interruption too.
    """

    epoch: int = -1
    steps: int = 0
    best: tuple[float, float] = (-1.0, 0.0)
    best_epoch: int = 0
    history: list[list[float]] = field(default_factory=list)
    seconds: float = 0.0


class Trainer:
    """A run of training.

    Args:
        model: what begins; it is changed.
        recipe: how.
        seed: of batches, drawn sentences and dropout.
        training, dev: labelled sentences, of the model's words; a label of the dev set that the model lacks
            is never right.
        drawn: what sentences are drawn from.
    """

    def __init__(
        self,
        model: Classifier,
        recipe: Recipe,
        seed: int,
        training: Sentences,
        dev: Sentences,
        drawn: RuleSentences,
    ) -> None:
        self.model, self.recipe, self.seed, self.drawn = model, recipe, seed, drawn
        place = {label: number for number, label in enumerate(model.labels)}
        self.rows = encoded(model, training.words)
        self.targets = torch.tensor([place[label] for label in training.labels])
        self.dev = list(_batched(encoded(model, dev.words), AT_ONCE))
        self.dev_targets = torch.tensor([place.get(label, -1) for label in dev.labels])
        self.teacher = copy.deepcopy(model).eval()
        readout = set(model.readout.parameters())
        groups = [
            {"params": [p for p in model.parameters() if p not in readout], "lr": recipe.rate},
            {"params": list(readout), "lr": recipe.readout_rate},
        ]
        counts = torch.bincount(self.targets, minlength=len(model.labels)).clamp(min=1).float()
        self.weights = counts**-recipe.balance / (counts**-recipe.balance)[self.targets].mean()
        self.rates = [recipe.rate, recipe.readout_rate]
        self.optimiser = torch.optim.Adam(groups)
        self.mean = copy.deepcopy(model)
        self.best = copy.deepcopy(model)
        self.progress = Progress()

    def run(
        self,
        seconds: float,
        tell: Callable[[str], None] = lambda line: None,
        keep: Callable[[], None] = lambda: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Train until no epoch is better, or the last one is done.

        Args:
            seconds: the most to spend, with those of before.
            tell: called with the progress.
            keep: keeps a checkpoint; called after each epoch.
            stop: should it stop here? What an epoch has done so far is then lost.
        """
        begun = time.monotonic() - self.progress.seconds
        p = self.progress
        with one_thread():
            while not self.done:
                if not self._epoch(p.epoch + 1, tell, stop):
                    return "interrupted"
                p.seconds = time.monotonic() - begun
                keep()
                if p.seconds > seconds and not self.done:
                    return "out of time"
        return "trained"

    @property
    def done(self) -> bool:
        """Is the last epoch done, or has none been better for long?"""
        p, r = self.progress, self.recipe
        return p.epoch >= r.epochs or p.epoch - p.best_epoch >= r.patience

    def _epoch(self, number: int, tell: Callable[[str], None], stop: Callable[[], bool]) -> bool:
        """One epoch, and what the dev set says of it; epoch 0 only asks. ``False`` where it was stopped, and
        nothing was done.
        """
        state = copy.deepcopy(
            (
                self.model.state_dict(),
                self.mean.state_dict(),
                self.optimiser.state_dict(),
                self.progress.steps,
            )
        )
        rng = random.Random(f"{self.seed}, epoch {number}")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(rng.getrandbits(62))
            batches = self._batches(rng) if number else []
            for count, (words, lengths, targets) in enumerate(batches):
                if stop():
                    self.model.load_state_dict(state[0])
                    self.mean.load_state_dict(state[1])
                    self.optimiser.load_state_dict(state[2])
                    self.progress.steps = state[3]
                    return False
                if count % 10 == 0:
                    tell(f"epoch {number} of {self.recipe.epochs}, batch {count} of {len(batches)}; {self}")
                self._step(words, lengths, targets)
        accuracy, loss = self.measure(self.mean)
        p = self.progress
        p.epoch = number
        p.history.append([accuracy, loss])
        if (accuracy, -loss) > tuple(p.best):
            p.best, p.best_epoch = (accuracy, -loss), number
            self.best.load_state_dict(self.mean.state_dict())
        return True

    def __str__(self) -> str:
        p = self.progress
        return f"best on dev {p.best[0]:.2%} in epoch {p.best_epoch}" if p.history else "nothing measured yet"

    def _batches(self, rng: random.Random) -> list[tuple[Tensor, Tensor, Tensor]]:
        """Training sentences, with their labels; and drawn ones, with what the untrained network says."""
        size = self.recipe.batch
        order = list(range(len(self.rows)))
        rng.shuffle(order)
        batches: list[tuple[Tensor, Tensor, Tensor]] = []
        for group in _pools(order, self.rows, size):
            batches.append((*_padded([self.rows[i] for i in group]), self.targets[group]))
        if self.recipe.drawn and self.drawn.starts:
            rows = encoded(self.model, [self.drawn.draw(rng) for _ in range(self.recipe.drawn)])
            for group in _pools(list(range(len(rows))), rows, size):
                words, lengths = _padded([rows[i] for i in group])
                with torch.no_grad():
                    batches.append((words, lengths, self.teacher(words, lengths).softmax(dim=1)))
        rng.shuffle(batches)
        return batches

    def _step(self, words: Tensor, lengths: Tensor, targets: Tensor) -> None:
        r, p = self.recipe, self.progress
        whole = r.epochs * -(-len(self.rows) // r.batch)
        share = SLOWEST + 0.5 * (1 + math.cos(math.pi * min(1.0, p.steps / whole)))
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = rate * share
        self.model.train()
        weights = self.weights if targets.dim() == 1 else None
        loss = nn.functional.cross_entropy(self.model(words, lengths), targets, weights)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), r.clip)
        if torch.isfinite(norm):
            self.optimiser.step()
        decay = min(r.mean, (1 + p.steps) / (10 + p.steps))
        with torch.no_grad():
            for mean, now in zip(self.mean.parameters(), self.model.parameters(), strict=True):
                mean.lerp_(now, 1 - decay)
        p.steps += 1

    @torch.no_grad()
    def measure(self, model: Classifier) -> tuple[float, float]:
        """The share of the dev set's sentences with the right label, and their mean cross-entropy."""
        model.eval()
        right, loss, known = 0, 0.0, 0
        for words, lengths, places in self.dev:
            logits, targets = model(words, lengths), self.dev_targets[places]
            right += int((logits.argmax(dim=1) == targets).sum())
            inside = targets >= 0
            known += int(inside.sum())
            loss += float(nn.functional.cross_entropy(logits[inside], targets[inside], reduction="sum"))
        return right / len(self.dev_targets), loss / max(1, known)


def encoded(model: Classifier, sentences: Sequence[Sequence[str]]) -> list[Tensor]:
    """Sentences as places of words."""
    index = model.network.index
    return [torch.tensor([index[word] for word in sentence]) for sentence in sentences]


def _padded(rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    return nn.utils.rnn.pad_sequence(list(rows)), torch.tensor([len(row) for row in rows])


def _batched(rows: Sequence[Tensor], size: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Words, lengths and places of all sentences, the longest first."""
    order = sorted(range(len(rows)), key=lambda i: -len(rows[i]))
    for at in range(0, len(order), size):
        group = order[at : at + size]
        yield (*_padded([rows[i] for i in group]), torch.tensor(group))


def _pools(order: list[int], rows: Sequence[Tensor], size: int) -> Iterator[list[int]]:
    """Groups of that size of sentences of like lengths."""
    pool = size * POOL
    like = [
        i
        for at in range(0, len(order), pool)
        for i in sorted(order[at : at + pool], key=lambda i: -len(rows[i]))
    ]
    for at in range(0, len(like), size):
        yield like[at : at + size]
