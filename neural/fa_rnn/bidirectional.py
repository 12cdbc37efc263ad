r"""A bidirectional FA-RNN: one network reads sentences, another one, of the mirrored rules, reads them from
their ends (section 3.4).

The paper takes the mean of the vectors h_N, whose states are those of two different automata; here it is the
mean of the labels' scores, each clamped to at most 1 before, since scores count matches
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
    """The mean of both directions' scores.

    Args:
        forth: reads sentences, which begin with BOS.
        back: reads BOS and what follows it from its end on; a score for each of the same groups.
    """

    def __init__(self, forth: FARNN, back: FARNN) -> None:
        super().__init__()
        if set(forth.words) != set(back.words) or len(forth.final) != len(back.final):
            raise InputError("the two directions have other words, or another number of scores")
        self.forth, self.back = forth, back

    @classmethod
    def of_rules(cls, rules: Sequence[Labelled], words: Sequence[str], **more: Any) -> Bidirectional:
        """The network of a set of rules; ``more`` as for :meth:`neural.fa_rnn.network.FARNN.of`."""
        back = [replace(rule, rule=mirrored(rule.rule)) for rule in rules]
        return cls(
            FARNN.of_rules(rule_set(rules, words), **more), FARNN.of_rules(rule_set(back, words), **more)
        )

    def forward(self, sentences: Sequence[Sequence[Hashable]]) -> Tensor:
        """The scores, from 0 to 1, shape ``(B, R)``."""
        both = (
            self.forth(sentences).clamp(max=1),
            self.back([mirror(tuple(sentence)) for sentence in sentences]).clamp(max=1),
        )
        return torch.stack(both).mean(dim=0)


def mirror(sentence: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
    """The sentence with BOS in its place and the rest reversed: mirrored rules begin after BOS too.

    >>> mirror(("BOS", "a", "b", "EOS"))
    ('BOS', 'EOS', 'b', 'a')
    """
    return (*sentence[:1], *sentence[:0:-1])
