r"""A bidirectional FA-RNN (section 3.4).

One network reads sentences forward. Another one, compiled from the mirrored rules, reads them from the end.
The paper averages the vectors h_N, whose states belong to two different automata. This module averages the
labels' scores instead, each clamped to at most 1 because scores count matches
(``theory/fa_rnn/bidirectional.py``).

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
    """The mean of the scores of the two directions.

    Args:
        forth: the network that reads sentences, which begin with BOS.
        back: the network that reads BOS and then the rest of the sentence backwards; it has the same groups.
    """

    def __init__(self, forth: FARNN, back: FARNN) -> None:
        super().__init__()
        if set(forth.words) != set(back.words) or len(forth.final) != len(back.final):
            raise InputError("both directions must have the same words and the same number of scores")
        self.forth, self.back = forth, back

    @classmethod
    def of_rules(cls, rules: Sequence[Labelled], words: Sequence[str], **more: Any) -> Bidirectional:
        """Return the network of a set of rules.

        The keyword arguments ``more`` are passed to :meth:`neural.fa_rnn.network.FARNN.of`.
        """
        back = [replace(rule, rule=mirrored(rule.rule)) for rule in rules]
        return cls(
            FARNN.of_rules(rule_set(rules, words), **more), FARNN.of_rules(rule_set(back, words), **more)
        )

    def forward(self, sentences: Sequence[Sequence[Hashable]]) -> Tensor:
        """Return the scores, from 0 to 1, shape ``(B, R)``."""
        both = (
            self.forth(sentences).clamp(max=1),
            self.back([mirror(tuple(sentence)) for sentence in sentences]).clamp(max=1),
        )
        return torch.stack(both).mean(dim=0)


def mirror(sentence: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """Reverse the sentence after BOS, because mirrored rules also begin after BOS.

    >>> mirror(("BOS", "a", "b", "EOS"))
    ('BOS', 'EOS', 'b', 'a')
    """
    return (*sentence[:1], *sentence[:0:-1])
