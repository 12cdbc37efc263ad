r"""A bidirectional FA-RNN (Jiang et al. 2020, section 3.4).

One network reads sentences forward. A second network, compiled from the mirrored rules, reads them backward.
The paper averages the vectors h_N, although their components are states of two different automata. This
module averages the labels' scores instead (``theory/fa_rnn/bidirectional.py``). Scores count matches, so each
is first clamped to at most 1.

>>> from automata.rules.rule_files import loads
>>> rules = loads("[fare]\n$ * cost $ *\n[city]\n$ * city EOS")
>>> network = Bidirectional.of_rules(rules, ["what", "cost", "city"])
>>> network([("BOS", "what", "city", "EOS"), ("BOS", "cost", "EOS")]).tolist()
[[0.0, 1.0], [1.0, 0.0]]
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.rules.matching import mirrored
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import rule_set
from neural.fa_rnn.network import FARNN


class Bidirectional(nn.Module):
    """A network that averages the scores of a forward and a backward network.

    Args:
        forward_network: the network that reads each sentence from BOS to its end.
        backward_network: the network that reads BOS, and then the other words in reverse order. Both
            networks must have the same words and the same number of scores.
    """

    def __init__(self, forward_network: FARNN, backward_network: FARNN) -> None:
        super().__init__()
        same_words = set(forward_network.words) == set(backward_network.words)
        if not same_words or len(forward_network.final) != len(backward_network.final):
            raise InputError(
                "both directions must have the same set of words and the same number of scores, got"
                f" {len(forward_network.words)} and {len(backward_network.words)} words, and"
                f" {len(forward_network.final)} and {len(backward_network.final)} scores"
            )
        self.forward_network, self.backward_network = forward_network, backward_network

    @classmethod
    def of_rules(cls, rules: Sequence[Labelled], words: Sequence[str], **more: Any) -> Bidirectional:
        """Compile rules to a forward network, and the mirrored rules to a backward network.

        The keyword arguments ``more`` are passed to :meth:`neural.fa_rnn.network.FARNN.of`.
        """
        mirrored_rules = [replace(rule, rule=mirrored(rule.rule)) for rule in rules]
        return cls(
            FARNN.of_rules(rule_set(rules, words), **more),
            FARNN.of_rules(rule_set(mirrored_rules, words), **more),
        )

    def forward(self, sentences: Sequence[Sequence[Hashable]]) -> Tensor:
        """Return the scores of each sentence, numbers from 0 to 1, shape ``(B, R)``."""
        both = (
            self.forward_network(sentences).clamp(max=1),
            self.backward_network([mirror(tuple(sentence)) for sentence in sentences]).clamp(max=1),
        )
        return torch.stack(both).mean(dim=0)


def mirror(sentence: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """Reverse the sentence after BOS, because mirrored rules also begin after BOS.

    >>> mirror(("BOS", "a", "b", "EOS"))
    ('BOS', 'EOS', 'b', 'a')
    """
    return (*sentence[:1], *sentence[:0:-1])
