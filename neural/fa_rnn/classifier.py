r"""A sentence classifier that is initialised from rules: an FA-RNN and a linear layer on its last state h_N.

Section 3.5 of Jiang et al. 2020 computes a score for each rule (equation 8) and applies a two-layer
perceptron without activation function to the scores. That is equivalent to one linear layer on h_N. It is
initialised with the rules' final weights.

>>> from automata.rules.rule_files import loads
>>> from automata.rules.rule_set import rule_set
>>> rules = rule_set(loads("[fare]\n$ * cost $ *\n[city]\n$ * city EOS"), ["what", "cost", "city"])
>>> model = Classifier.of_rules(rules, ("fare", "city", "other"), default="other")
>>> sentences = [("BOS", "what", "city", "EOS"), ("BOS", "cost", "EOS"), ("BOS", "what", "EOS")]
>>> [model.labels[index] for index in model(sentences).argmax(dim=1).tolist()]
['city', 'fare', 'other']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.rules.rule_set import RuleSet
from automata.text.number_text import shorten
from neural.fa_rnn.cells import FactoredCell
from neural.fa_rnn.network import FARNN

SCALE = 5.0
"""The initial contribution of a match to its label's logit.

With two labels, the softmax of a match is then above 0.99.
"""


@dataclass(frozen=True)
class RuleBlock:
    """A block of rules that have the same label and are compiled together, with their states.

    Attributes:
        label: the label of the rules.
        rules: the text of each rule.
        states: the indices of the rules' states in h.
        final: the indices of those of the rules' states that are final in the compiled automaton.
    """

    label: str
    rules: tuple[str, ...]
    states: tuple[int, ...]
    final: tuple[int, ...]


class Classifier(nn.Module):
    """A classifier of sentences with the logits h_N R^T + b.

    Args:
        network: a network with forward scoring, equation 5 or 6, and one group of final states per block.
        labels: the labels of the logits.
        blocks: the blocks of rules.

    Attributes:
        readout: R, shape ``(labels, K)``, and b.
        dropout: dropout on h_N during training.
    """

    def __init__(
        self, network: FARNN, labels: Sequence[str], blocks: Sequence[RuleBlock], dropout: float = 0.0
    ) -> None:
        super().__init__()
        if not isinstance(network.cell, FactoredCell) or network.scoring != "forward":
            raise InputError(
                "network must be a decomposed FA-RNN with forward scoring and without gates, got a"
                f" {type(network.cell).__name__} with {network.scoring} scoring"
            )
        self.network, self.labels, self.blocks = network, tuple(labels), tuple(blocks)
        factory_kwargs: Any = {"device": network.initial.device, "dtype": network.initial.dtype}
        self.readout = nn.Linear(network.cell.states, len(self.labels), **factory_kwargs)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)
        self.dropout = nn.Dropout(dropout)

    @property
    def cell(self) -> FactoredCell:
        """Return the network's cell, which is a :class:`~neural.fa_rnn.cells.FactoredCell`."""
        assert isinstance(self.network.cell, FactoredCell)
        return self.network.cell

    @classmethod
    def of_rules(
        cls,
        rules: RuleSet,
        labels: Sequence[str],
        written: Sequence[str] | None = None,
        default: str | None = None,
        scale: float = SCALE,
        spread: float = 0.5,
        noise: float = 0.0,
        **more: Any,
    ) -> Classifier:
        """Return a classifier that is initialised with a compiled set of rules.

        Args:
            rules: the compiled rules.
            labels: the labels, which must include the rules' labels.
            written: the text of each rule, in the file's order. Defaults to "rule 1", "rule 2" and so on.
            default: the label of a sentence that matches no rule; its initial bias is half of ``scale``.
            scale: the contribution of a match to a logit.
            spread: the relative advantage of the last label over the first label. If rules of several labels
                match, the last of these labels wins. The contributions of several matching blocks of one
                label add up.
            noise: the standard deviation of the noise that is added to R.
            more: arguments of :meth:`neural.fa_rnn.network.FARNN.of`.
        """
        missing = [label for label in rules.labels if label not in labels]
        if missing:
            raise InputError(
                f"labels must include every label of the rules; {shorten(missing[0])} is missing"
            )
        if default is not None and default not in labels:
            raise InputError(f"default must be one of the labels, got {shorten(default)}")
        final = set(rules.automaton.final.nonzero()[0].tolist())
        blocks = [
            RuleBlock(
                str(part.label),
                tuple(written[n] if written is not None else f"rule {n + 1}" for n in part.rules),
                part.states,
                tuple(state for state in part.states if state in final),
            )
            for part in rules.parts
        ]
        network = FARNN.of(rules.automaton, [block.final for block in blocks], **more)
        model = cls(network, labels, blocks)
        order = list(rules.labels)
        with torch.no_grad():
            for block in blocks:
                row = model.labels.index(block.label)
                model.readout.weight[row, list(block.final)] = scale * (
                    1 + spread * order.index(block.label) / max(1, len(order) - 1)
                )
            if noise:
                model.readout.weight.add_(noise * torch.randn_like(model.readout.weight))
            if default is not None:
                model.readout.bias[model.labels.index(default)] = 0.5 * scale
        return model

    def forward(self, sentences: Any, lengths: Tensor | None = None) -> Tensor:
        """Return the logits, shape ``(B, labels)``; see :meth:`neural.fa_rnn.network.FARNN.states`."""
        logits: Tensor = self.readout(self.dropout(self.network.states(sentences, lengths)))
        return logits

    @torch.no_grad()
    def predict(self, sentences: Sequence[Sequence[str]], at_once: int = 512) -> list[str]:
        """Return the predicted label of each sentence, computed in batches of ``at_once``."""
        indices: list[int] = []
        for at in range(0, len(sentences), at_once):
            indices += self(sentences[at : at + at_once]).argmax(dim=1).tolist()
        return [self.labels[index] for index in indices]
