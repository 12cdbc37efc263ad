"""Text classification with rules as a task of the training engine."""

from __future__ import annotations

import copy
import math
import random

import torch
from torch import Tensor, nn
from torch.nn import functional

from neural.fa_rnn.sentences import Sentences
from training.classification_with_rules.data import EncodedSentences, RuledSentences
from training.classification_with_rules.drawn import RuleSentences
from training.classification_with_rules.fa_network import FANetwork
from training.classification_with_rules.plain_networks import PlainNetwork
from training.classification_with_rules.settings import TAUGHT_MODELS, RuleClassification
from training.engine.noise import Noise
from training.engine.sampler import batches
from training.engine.seeds import mixed
from training.engine.task import ExampleTask

SLOWEST = 0.01
"""The final learning rate of a cosine schedule, relative to the initial learning rate."""
TIE = 1e-6
"""The weight of the dev loss in an epoch's score; the loss decides between epochs of equal accuracy."""


class RuleTask(ExampleTask):
    """A training task for a classifier, with training and dev sentences.

    Args:
        network: the classifier.
        settings: the settings of the run.
        data: the sentences and rules.

    Attributes:
        parts: the sentences of each split as word indices.
    """

    settings: RuleClassification

    def __init__(
        self, network: FANetwork | PlainNetwork, settings: RuleClassification, data: RuledSentences
    ) -> None:
        self.index = {word: number for number, word in enumerate(data.words)}
        self.data = data
        self.parts = {
            name: EncodedSentences(part, self.index, data.labels, data.hits[name])
            for name, part in data.parts.items()
        }
        super().__init__(network, settings, self.parts["train"].lengths)
        self.average = settings.average
        self.drawn: EncodedSentences | None = None
        self.rules = RuleSentences(data.rules, data.parts["train"].words) if settings.drawn else None
        self.untrained = copy.deepcopy(network).eval() if settings.drawn else None
        targets = self.parts["train"].labels
        counts = torch.bincount(targets, minlength=len(data.labels)).clamp(min=1).float()
        self.weights = counts**-settings.balance
        if len(targets):
            self.weights /= self.weights[targets].mean()

    def batches(self, epoch: int) -> list[Tensor]:
        """Return the batches of an epoch: every training sentence once, and sentences drawn from the rules.

        Batches are tensors of indices. Drawn sentences have the indices after the training sentences.
        """
        result = super().batches(epoch)
        if self.rules is None or not self.rules.starts:
            return result
        s, count = self.settings, len(self.lengths)
        rng = random.Random(mixed(s.seed, 4, epoch))
        words = tuple(self.rules.draw(rng) for _ in range(s.drawn))
        unknown = Sentences(words, ("",) * len(words))
        self.drawn = EncodedSentences(unknown, self.index, (), torch.zeros(len(words), len(self.data.labels)))
        result += [count + indices for indices in batches(self.drawn.lengths, s.batch, s.seed, epoch)]
        rng.shuffle(result)
        return result

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return the cross-entropy of each sentence, shape ``(B,)``.

        The target of a sentence that was drawn from the rules is the prediction of the untrained network.
        """
        s = self.settings
        device, count = next(self.network.parameters()).device, len(self.lengths)
        if int(examples[0]) >= count:  # a batch has only drawn sentences or none
            assert self.drawn is not None and self.untrained is not None
            batch, _ = self.drawn.at(examples - count, device)
            with torch.no_grad():
                target = self.untrained.to(device)(batch).softmax(dim=1)
            return functional.cross_entropy(network(batch, noise), target, reduction="none")
        batch, labels = self.parts["train"].at(examples, device)
        logits = network(batch, noise)
        own = functional.cross_entropy(logits, labels, reduction="none")
        if s.model in TAUGHT_MODELS:
            own = self._imitating(own, logits, batch.matches.to(logits))
        return own * self.weights.to(device)[labels]

    def _imitating(self, own: Tensor, logits: Tensor, matches: Tensor) -> Tensor:
        """Return the weighted mean of the loss and of the loss of imitating the rules, shape ``(B,)``.

        Knowledge distillation (Hinton et al. 2015) imitates the rules' labels as a softmax. Posterior
        regularisation (Hu et al. 2016, equation 4) imitates the network's predictions, projected to the
        rules.
        """
        s = self.settings
        wanted = s.confidence * matches
        if s.model.endswith("+pr"):
            wanted = wanted + logits.detach()
        imitated = functional.cross_entropy(logits, wanted.softmax(dim=1), reduction="none")
        matched = matches.any(dim=1)
        return torch.where(matched, (1 - s.imitation) * own + s.imitation * imitated, own)

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the score of an epoch (the dev accuracy minus ``TIE`` times the loss) and its metrics."""
        predicted, loss = self.predict(network, "dev")
        accuracy = float((predicted == self.parts["dev"].labels).double().mean())
        return accuracy - TIE * min(loss, 1e3), {"dev_accuracy": accuracy, "dev_loss": loss}

    @torch.no_grad()
    def predict(self, network: nn.Module, part: str) -> tuple[Tensor, float]:
        """Return the index of the predicted label of each sentence, shape ``(N,)``, and the mean loss.

        The loss is the mean cross-entropy over the sentences with a known label.
        """
        network.eval()
        encoded, loss, known = self.parts[part], 0.0, 0
        device = next(network.parameters()).device
        predicted = torch.zeros(len(encoded), dtype=torch.long)
        for indices in encoded.portions():
            batch, labels = encoded.at(indices, device)
            logits = network(batch)
            predicted[indices] = logits.argmax(dim=1).cpu()
            inside = labels >= 0
            known += int(inside.sum())
            loss += float(functional.cross_entropy(logits[inside], labels[inside], reduction="sum"))
        return predicted, loss / max(1, known)

    def in_words(self, score: float) -> str:
        """Return the accuracy as text."""
        return f"{score + TIE:.2%}"

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam; the recurrence of an FA-RNN has its own learning rate."""
        s = self.settings
        groups = [list(self.network.parameters())]
        rates = [s.rate]
        if isinstance(self.network, FANetwork):
            recurrence, above = self.network.groups()
            groups, rates = [above, recurrence], [s.rate, s.rate * s.recurrence_share]
        named = [{"params": group, "lr": rate} for group, rate in zip(groups, rates, strict=True)]
        return torch.optim.Adam(named, weight_decay=s.weight_decay)

    def next_rate(self, epoch: int, rate: float) -> float:
        """Return the learning rate of the cosine schedule; without this schedule, return ``rate``."""
        s = self.settings
        if s.schedule == "plateau":
            return rate
        return s.rate * (SLOWEST + 0.5 * (1 + math.cos(math.pi * min(1.0, epoch / s.epochs))))
