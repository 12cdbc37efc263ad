"""FA-RNNs with the two linear layers of section 3.5 on the last state (Jiang et al. 2020).

Before training, their predictions are those of the rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from automata.rules.matching import mirrored
from automata.rules.rule_set import RuleSet, rule_set
from neural.fa_rnn.cells import FactoredCell, FAGRUCell
from neural.fa_rnn.classifier import SCALE, Classifier, RuleBlock
from neural.fa_rnn.network import FARNN
from training.classification_with_rules.data import RuledSentences, SentenceBatch
from training.classification_with_rules.settings import RuleClassification
from training.engine.noise import Noise

SPREAD = 0.5
"""The relative advantage of the last label in the file over the first label if several labels match."""
DEFAULT = 0.5 * SCALE
"""The logit of the default label if no rule matches, which is less than the logit of a match."""
RANDOM = 1e-3
"""The standard deviation of the noise that is added to the two linear layers, so that no weight is zero."""
LAST, VECTORS = 0, 1
"""The streams of random numbers for the dropout of the last state and of the word vectors."""


class MaskedVectors(nn.Module):
    """A replacement for a cell's dropout that multiplies word vectors by the given masks."""

    mask: Tensor | None = None

    def forward(self, vectors: Tensor) -> Tensor:
        """Return the vectors, shape ``(T, B, D)``, multiplied by the mask."""
        return vectors if self.mask is None else vectors * self.mask


class Direction(nn.Module):
    """An FA-RNN that reads sentences in one direction, followed by the first linear layer.

    The first linear layer computes how well the rules of each label match.

    Args:
        rules: the rules compiled in that direction.
        labels: the number of labels; the rules' labels come first, in order.
        settings: the settings of the run.
        vectors: the word vectors, shape ``(V, D)``; ``None`` if beta is 1.
    """

    def __init__(
        self, rules: RuleSet, labels: int, settings: RuleClassification, vectors: Tensor | None
    ) -> None:
        super().__init__()
        more: dict[str, Any] = {}
        if settings.tensor == "decomposed":
            more = {"extra": settings.extra, "gated": settings.model.endswith("gru")}
            if vectors is not None:
                more |= {"embeddings": vectors, "beta": settings.beta}
        scoring: Any = settings.scoring
        decomposed = settings.tensor == "decomposed"
        self.network = FARNN.of_rules(rules, scoring=scoring, decomposed=decomposed, **more)
        self.match = nn.Parameter(torch.zeros(labels, self.network.cell.states))
        self.masked = MaskedVectors()
        cell = self.factored
        with torch.no_grad():
            self.match[: len(self.network.final)] = self.network.final
            self.match.add_(RANDOM * torch.randn_like(self.match))
        if cell is not None:
            if settings.vector_dropout:  # a mask needs one vector per occurrence of a word
                cell.dropout = self.masked  # type: ignore[assignment]
            if settings.word_features == "trained":
                _train(cell)

    @property
    def factored(self) -> FactoredCell | None:
        """Return the cell with the factors of the transition tensor; ``None`` if there are no factors."""
        cell = self.network.cell
        inner = cell.inner if isinstance(cell, FAGRUCell) else cell
        return inner if isinstance(inner, FactoredCell) else None

    def forward(
        self, words: Tensor, lengths: Tensor, kept: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        """Compute how well each label's rules match, shape ``(B, labels)``.

        Args:
            words: shape ``(T, B)``.
            lengths: shape ``(B,)``.
            kept: the dropout mask of the last state, shape ``(B, K)``.
            mask: the dropout mask of the word vectors, shape ``(T, B, D)``.
        """
        order = lengths.argsort(descending=True, stable=True)  # the network sorts sentences like this
        self.masked.mask = None if mask is None else mask[:, order]
        h = self.network.states(words[:, order], lengths[order])[order.argsort()]
        h = h if kept is None else h * kept
        if self.network.scoring == "forward":
            return h @ self.match.T
        return (h.unsqueeze(1) * self.match).amax(dim=2)


class FANetwork(nn.Module):
    """A classifier that averages the label matches of one or two directions, followed by a linear layer.

    The paper averages the states of both directions, although they belong to two different automata. This
    network averages the matches of the labels instead (``theory/fa_rnn/bidirectional.py``).

    Args:
        data: the sentences and rules.
        settings: the settings of the run.
        vectors: the word vectors, shape ``(V, D)``; ``None`` if beta is 1.
    """

    def __init__(self, data: RuledSentences, settings: RuleClassification, vectors: Tensor | None) -> None:
        super().__init__()
        self.settings = settings
        labels = len(data.labels)
        both = [data.rules]
        if settings.model.startswith("bi"):
            back = [replace(rule, rule=mirrored(rule.rule)) for rule in data.written]
            both.append(rule_set(back, data.words))
            assert tuple(map(str, both[1].automaton.index)) == data.words
        self.directions = nn.ModuleList(Direction(rules, labels, settings, vectors) for rules in both)
        self.out = nn.Linear(labels, labels)
        order = len(data.rules.labels)
        rank = 1 + SPREAD * torch.arange(labels) / max(1, order - 1)
        with torch.no_grad():
            self.out.weight.copy_(torch.diag(SCALE * rank.clamp(max=1 + SPREAD)))
            if settings.share:
                self.out.weight.add_(RANDOM * torch.randn_like(self.out.weight))
            else:  # without training, remove the noise, so that a match is 0 or 1
                for direction in self.directions:
                    direction.match.copy_(direction.match.round())  # type: ignore[operator]
            self.out.bias.zero_()
            default = data.labels.index(data.default)
            self.out.bias[default] = DEFAULT
            # if the rules of the default label match, its logit must be the same as for another label
            self.out.weight[default, default] -= DEFAULT
        if settings.weights == "random":
            self._forget()

    def forward(self, batch: SentenceBatch, noise: Noise | None = None) -> Tensor:
        """Return the labels' logits, shape ``(B, labels)``; in training, ``noise`` draws dropout masks."""
        matches = []
        for number, (direction, words) in enumerate(
            zip(self.directions, (batch.words, batch.mirrored), strict=False)
        ):
            kept, mask = self._dropped(direction, batch, noise, number)
            matches.append(direction(words, batch.lengths, kept, mask))
        if self.settings.activation == "clamp":
            matches = [one.clamp(max=1) for one in matches]
        logits: Tensor = self.out(torch.stack(matches).mean(dim=0))
        return logits

    def classifier(self, data: RuledSentences) -> Classifier:
        """Convert the network to a classifier whose rules can be read back.

        Both layers become one linear layer. The network must have one direction, no gates, no activation,
        forward scoring and a decomposed tensor.
        """
        (direction,) = self.directions
        assert isinstance(direction, Direction) and self.settings.activation == "none"
        final = set(data.rules.automaton.final.nonzero()[0].tolist())
        blocks = [
            RuleBlock(
                str(part.label),
                tuple(str(data.written[number].rule) for number in part.rules),
                part.states,
                tuple(state for state in part.states if state in final),
            )
            for part in data.rules.parts
        ]
        network = FARNN.of(data.rules.automaton, [block.final for block in blocks])
        network.cell = direction.network.cell
        network.register_buffer("initial", direction.network.initial)
        extra = network.cell.states - network.final.shape[1]
        network.register_buffer("final", nn.functional.pad(network.final, (0, extra)))
        classifier = Classifier(network, data.labels, blocks)
        with torch.no_grad():
            classifier.readout.weight.copy_(self.out.weight @ direction.match)
            classifier.readout.bias.copy_(self.out.bias)
        return classifier

    def groups(self) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
        """Return the parameters of the recurrence, and the parameters of the two linear layers."""
        above = [self.out.weight, self.out.bias, *(d.match for d in self.directions)]
        ids = {id(parameter) for parameter in above}
        return [p for p in self.parameters() if id(p) not in ids], above  # type: ignore[return-value]

    def _dropped(
        self, direction: nn.Module, batch: SentenceBatch, noise: Noise | None, number: int
    ) -> tuple[Tensor | None, Tensor | None]:
        s = self.settings
        assert isinstance(direction, Direction)
        if noise is None:
            return None, None
        kept = mask = None
        if s.dropout:
            states = direction.network.cell.states
            kept = noise.kept(LAST + 2 * number, (states,), s.dropout, self.out.weight.dtype)
        cell = direction.factored
        if s.vector_dropout and cell is not None and cell.turn is not None:
            shape = (len(batch.words), cell.pretrained.shape[1])
            mask = noise.kept(VECTORS + 2 * number, shape, s.vector_dropout, self.out.weight.dtype)
            mask = mask.transpose(0, 1)
        return kept, mask

    def _forget(self) -> None:
        """Replace the weights from the rules by random weights (the variant "Rand" of Table 6)."""
        for direction in self.directions:
            assert isinstance(direction, Direction)
            cell = direction.factored
            nn.init.xavier_uniform_(direction.match)
            if cell is None:
                matrices = direction.network.cell.matrices
                assert isinstance(matrices, Tensor)
                nn.init.xavier_uniform_(matrices)
                continue
            cell.apart.zero_()
            cell.has_apart = False
            for weights in (cell.before, cell.after, cell.turn, cell.rules):
                if weights is not None:
                    nn.init.xavier_uniform_(weights)
        nn.init.xavier_uniform_(self.out.weight)
        nn.init.zeros_(self.out.bias)


def _train(cell: FactoredCell) -> None:
    """Replace the cell's buffer E_R by a trainable parameter with the same values."""
    features = cell.rules
    del cell.rules
    cell.rules = nn.Parameter(features)
