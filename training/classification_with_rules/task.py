"""Text classification with rules, as the engine trains it."""

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
"""The share of the learning rate that a cosine leaves at the end."""
TIE = 1e-6
"""What the dev set's loss counts, beside its accuracy, in the score of an epoch: of equal accuracies the
smaller loss is better.
"""


class RuleTask(ExampleTask):
    """A classifier, the training part and the dev part.

    Args:
        network: the classifier.
        settings: of the run.
        data: sentences and rules.

    Attributes:
        parts: the sentences as the network reads them.
    """

    settings: RuleClassification

    def __init__(
        self, network: FANetwork | PlainNetwork, settings: RuleClassification, data: RuledSentences
    ) -> None:
        self.index = {word: place for place, word in enumerate(data.words)}
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
        """Every training sentence once, and sentences drawn from the rules: these have the numbers behind."""
        made = super().batches(epoch)
        if self.rules is None or not self.rules.starts:
            return made
        s, count = self.settings, len(self.lengths)
        rng = random.Random(mixed(s.seed, 4, epoch))
        words = tuple(self.rules.draw(rng) for _ in range(s.drawn))
        unknown = Sentences(words, ("",) * len(words))
        self.drawn = EncodedSentences(unknown, self.index, (), torch.zeros(len(words), len(self.data.labels)))
        made += [count + places for places in batches(self.drawn.lengths, s.batch, s.seed, epoch)]
        rng.shuffle(made)
        return made

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Cross-entropies, shape ``(B,)``: with the labels, and with what the rules say, where they count."""
        s = self.settings
        device, count = next(self.network.parameters()).device, len(self.lengths)
        if int(examples[0]) >= count:  # a batch is of one kind
            assert self.drawn is not None and self.untrained is not None
            batch, _ = self.drawn.at(examples - count, device)
            with torch.no_grad():
                said = self.untrained.to(device)(batch).softmax(dim=1)
            return functional.cross_entropy(network(batch, noise), said, reduction="none")
        batch, labels = self.parts["train"].at(examples, device)
        logits = network(batch, noise)
        own = functional.cross_entropy(logits, labels, reduction="none")
        if s.model in TAUGHT_MODELS:
            own = self._imitating(own, logits, batch.matches.to(logits))
        return own * self.weights.to(device)[labels]

    def _imitating(self, own: Tensor, logits: Tensor, matches: Tensor) -> Tensor:
        """Part of the loss is that of imitating the rules, where any match.

        Knowledge distillation (Hinton et al. 2015): the labels of the rules, as a softmax. Posterior
        regularisation (Hu et al. 2016, equation 4): what the network says, projected to what the rules want.
        """
        s = self.settings
        wanted = s.confidence * matches
        if s.model.endswith("+pr"):
            wanted = wanted + logits.detach()
        imitated = functional.cross_entropy(logits, wanted.softmax(dim=1), reduction="none")
        matched = matches.any(dim=1)
        return torch.where(matched, (1 - s.imitation) * own + s.imitation * imitated, own)

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Accuracy on the dev part, which is the score but for ties, and mean cross-entropy."""
        said, loss = self.said(network, "dev")
        accuracy = float((said == self.parts["dev"].labels).double().mean())
        return accuracy - TIE * min(loss, 1e3), {"dev_accuracy": accuracy, "dev_loss": loss}

    @torch.no_grad()
    def said(self, network: nn.Module, part: str) -> tuple[Tensor, float]:
        """The place of the label that the network gives each sentence of a part, shape ``(N,)``, and the mean
        cross-entropy of those whose label it has.
        """
        network.eval()
        encoded, loss, known = self.parts[part], 0.0, 0
        device = next(network.parameters()).device
        said = torch.zeros(len(encoded), dtype=torch.long)
        for places in encoded.portions():
            batch, labels = encoded.at(places, device)
            logits = network(batch)
            said[places] = logits.argmax(dim=1).cpu()
            inside = labels >= 0
            known += int(inside.sum())
            loss += float(functional.cross_entropy(logits[inside], labels[inside], reduction="sum"))
        return said, loss / max(1, known)

    def in_words(self, score: float) -> str:
        """The accuracy in it."""
        return f"{score + TIE:.2%}"

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam; of an FA-RNN, the recurrence has a learning rate of its own."""
        s = self.settings
        groups = [list(self.network.parameters())]
        rates = [s.rate]
        if isinstance(self.network, FANetwork):
            recurrence, above = self.network.groups()
            groups, rates = [above, recurrence], [s.rate, s.rate * s.recurrence_share]
        named = [{"params": group, "lr": rate} for group, rate in zip(groups, rates, strict=True)]
        return torch.optim.Adam(named, weight_decay=s.weight_decay)

    def next_rate(self, epoch: int, rate: float) -> float:
        """A cosine's, or the same."""
        s = self.settings
        if s.schedule == "plateau":
            return rate
        return s.rate * (SLOWEST + 0.5 * (1 + math.cos(math.pi * min(1.0, epoch / s.epochs))))
